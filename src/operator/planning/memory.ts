/** Custom resources in memory, behind the ports that the engine has to the cluster. */
import { keyText } from "../../engine/contract/keys.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { Cache, JsonObject, KubeObject, Writer } from "../../kube/api/types.ts";

export interface Memory {
  readonly cache: Cache;
  /** Every write stays here. */
  readonly writer: Writer;
}

/** @param onChange told of every write. */
export function createMemory(
  objects: readonly KubeObject[],
  onChange: (object: KubeObject, old: KubeObject) => void,
): Memory {
  const held = new Map(objects.map((object) => [keyText(keyOf(object)), object]));

  const write = (object: KubeObject, change: (old: KubeObject) => KubeObject): KubeObject => {
    const key = keyText(keyOf(object));
    const old = held.get(key) ?? object;
    const next = change(old);
    held.set(key, next);
    onChange(next, old);
    return next;
  };
  const annotated = (
    object: KubeObject,
    annotations: Readonly<Record<string, string | null>>,
    finalizers?: readonly string[],
  ): KubeObject =>
    write(object, (old) => ({
      ...old,
      metadata: {
        ...old.metadata,
        annotations: merged(old.metadata.annotations ?? {}, annotations),
        ...(finalizers === undefined ? {} : { finalizers }),
      },
    }));

  return {
    cache: {
      get: (key) => held.get(keyText(key)),
      list: (kind, namespace) =>
        [...held.values()].filter(
          (object) => object.kind === kind && (namespace === undefined || object.metadata.namespace === namespace),
        ),
    },
    writer: {
      patchChecked: (object, { annotations = {}, finalizers }) =>
        Promise.resolve(annotated(object, annotations, finalizers)),
      storeOutcome: (object, annotations) => Promise.resolve(annotated(object, annotations)),
      patchStatus: (object, status: JsonObject) => Promise.resolve(write(object, (old) => ({ ...old, status }))),
      confirm: () => Promise.resolve(),
      delete: () => Promise.resolve(),
    },
  };
}

function merged(
  old: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string>> {
  const all: readonly (readonly [string, string | null])[] = Object.entries({ ...old, ...change });
  return Object.fromEntries(all.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}
