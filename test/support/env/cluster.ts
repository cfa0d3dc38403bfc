import { setTimeout as sleep } from "node:timers/promises";

import { GROUP } from "../../../src/api/names.ts";
import { TYPES } from "../../../src/config/kinds.ts";
import { conditionOf, conditionsOf, type Condition } from "../../../src/engine/contract/status.ts";
import { createKubeClient, type ConnectedClient } from "../../../src/kube/api/client.ts";
import { systemClock } from "../../../src/kube/api/clock.ts";
import { isKube } from "../../../src/kube/api/errors.ts";
import { member } from "../../../src/kube/api/json.ts";
import { parseObject } from "../../../src/kube/api/objects.ts";
import { collectionPath, CONFIG_MAP, EVENT, LEASE, objectPath, SECRET } from "../../../src/kube/api/paths.ts";
import { type KubeClient, readOptional } from "../../../src/kube/api/transport.ts";
import type { Clock, Json, JsonObject, KubeObject, ResourceType } from "../../../src/kube/api/types.ts";
import { listAll } from "../../../src/kube/watch/list.ts";

/** An object as a user writes it. */
export type Manifest = JsonObject & {
  readonly kind: string;
  readonly metadata: JsonObject & { readonly name: string };
};

/** What identifies an object in its namespace. */
interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

export { type Condition, conditionOf as condition };

/** When waiting ends: when a function returns true, or a condition (Ready by default) matches for the generation. */
export type Until = ((object: KubeObject) => boolean) | Partial<Pick<Condition, "type" | "status" | "reason">>;

const LOOKS = { firstMs: 40, factor: 1.25, lastMs: 300 };
export const PATIENCE_MS = 60_000;

const types: ReadonlyMap<string, ResourceType> = new Map(
  [...TYPES, SECRET, CONFIG_MAP, EVENT, LEASE].map((type) => [type.kind, type]),
);

export function clientAt(path: string, userAgent: string, clock: Clock = systemClock()): ConnectedClient {
  return createKubeClient({ config: { from: "file", path }, userAgent, clock });
}

export async function createNamespace(client: KubeClient, name: string): Promise<void> {
  await client.request({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
}

export type Cluster = ReturnType<typeof cluster>;

/**
 * One namespace of a real cluster, through a client of the cluster's admin. Kinds are the custom resources, Secret,
 * ConfigMap, Event and Lease.
 */
export function cluster(client: () => KubeClient, namespace: string) {
  const at = (kind: string, name: string, subresource?: "status"): string =>
    objectPath(typeOf(kind), { namespace, name }, subresource);

  const get = async (kind: string, name: string): Promise<KubeObject> => {
    const object = parseObject(typeOf(kind), await client().request({ method: "GET", path: at(kind, name) }));
    if (object === undefined) throw new Error(`${kind} ${name} is no object`);
    return object;
  };

  const find = async (kind: string, name: string): Promise<KubeObject | undefined> => {
    const answer = await readOptional(client(), at(kind, name));
    return answer === undefined ? undefined : parseObject(typeOf(kind), answer);
  };

  const patch = async (kind: string, name: string, body: JsonObject, subresource?: "status"): Promise<void> => {
    await client().request({ method: "PATCH", path: at(kind, name, subresource), body });
  };

  const waitFor = async (kind: string, name: string, until: Until, timeoutMs = PATIENCE_MS): Promise<KubeObject> => {
    let last: KubeObject | undefined;
    const found = await comes(async () => {
      last = await find(kind, name);
      return last !== undefined && holds(last, until) ? last : undefined;
    }, timeoutMs);
    if (found === undefined) throw new Error(`${kind} ${name} did not reach the state: ${shown(last)}`);
    return found;
  };

  const remove = async (kind: string, name: string): Promise<void> => {
    await client().request({ method: "DELETE", path: at(kind, name) });
  };

  const waitGone = async (kind: string, name: string, timeoutMs = PATIENCE_MS): Promise<void> => {
    let last: KubeObject | undefined;
    const gone = await comes(async () => {
      last = await find(kind, name);
      return last === undefined ? true : undefined;
    }, timeoutMs);
    if (gone === undefined) throw new Error(`${kind} ${name} is still there: ${shown(last)}`);
  };

  const apply = async (...manifests: readonly Manifest[]): Promise<void> => {
    for (const manifest of manifests) await applyOne(client(), manifest, namespace);
  };

  return {
    /** @throws KubeError "NotFound" */
    get,
    find,
    patch,
    /** @throws Error with the last status after `timeoutMs` */
    waitFor,
    /** Waits until an object is Stalled for a reason, and Ready's message contains or matches the text. */
    stalled: (kind: string, name: string, reason: string, says: string | RegExp = ""): Promise<KubeObject> =>
      waitFor(kind, name, (object) => {
        const message = conditionOf(object, "Ready")?.message ?? "";
        const isSaid = typeof says === "string" ? message.includes(says) : says.test(message);
        return isSaid && holds(object, { reason }) && holds(object, { type: "Stalled", status: "True" });
      }),
    /** Creates the objects, or merges them into existing ones; in this namespace unless they have another. */
    apply,
    /**
     * Applies the objects and waits until each custom resource among them is Ready.
     *
     * @returns the last custom resource
     */
    ready: async (...manifests: readonly Manifest[]): Promise<KubeObject> => {
      await apply(...manifests);
      let last: KubeObject | undefined;
      for (const { kind, metadata } of manifests) {
        if (typeOf(kind).group === GROUP) last = await waitFor(kind, metadata.name, { status: "True" });
      }
      if (last === undefined) throw new Error("there is no custom resource to wait for");
      return last;
    },
    list: async (kind: string): Promise<readonly KubeObject[]> => {
      const type = typeOf(kind);
      return (await listAll(client(), type, collectionPath(type, namespace))).objects;
    },
    /** Sets annotations; null removes one. */
    annotate: async (kind: string, name: string, annotations: Readonly<Record<string, string | null>>): Promise<void> =>
      patch(kind, name, { metadata: { annotations: { ...annotations } } }),
    remove,
    waitGone,
    /** Removes objects, all of them at once, and waits until they are gone. */
    delete: async (...objects: readonly Named[]): Promise<void> => {
      await Promise.all(objects.map(({ kind, metadata }) => remove(kind, metadata.name)));
      for (const { kind, metadata } of objects) await waitGone(kind, metadata.name);
    },
  };
}

/**
 * Polls until something is found, at growing intervals, because the polls of many tests would keep a small machine
 * busy.
 * @returns undefined after `timeoutMs`
 */
export async function comes<T>(look: () => Promise<T | undefined>, timeoutMs: number): Promise<T | undefined> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = LOOKS.firstMs; ; pauseMs = Math.min(pauseMs * LOOKS.factor, LOOKS.lastMs)) {
    const found = await look();
    if (found !== undefined || performance.now() > deadline) return found;
    await sleep(pauseMs);
  }
}

function holds(object: KubeObject, until: Until): boolean {
  if (typeof until === "function") return until(object);
  if (member(object.status, "observedGeneration") !== object.metadata.generation) return false;
  const { type = "Ready", ...wanted } = until;
  const found = conditionOf(object, type);
  if (found === undefined || found.observedGeneration !== object.metadata.generation) return false;
  return (
    (wanted.status === undefined || wanted.status === found.status) &&
    (wanted.reason === undefined || wanted.reason === found.reason)
  );
}

/** Returns an object for a failure's message, the most important parts first. */
function shown(object: KubeObject | undefined): string {
  if (object === undefined) return "it does not exist";
  const conditions = conditionsOf(object).map(
    ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
  );
  return `${conditions.join(" | ")}\n${JSON.stringify(object, undefined, 1)}`;
}

async function applyOne(client: KubeClient, manifest: Manifest, home: string): Promise<void> {
  const type = typeOf(manifest.kind);
  const { name, namespace = home } = manifest.metadata;
  if (typeof namespace !== "string") throw new Error("the namespace is no text");
  const metadata = type.namespaced ? { ...manifest.metadata, namespace } : manifest.metadata;
  const body: { readonly [key: string]: Json | undefined } = { ...manifest, metadata };
  try {
    await client.request({ method: "POST", path: collectionPath(type, namespace), body });
  } catch (error) {
    if (!isKube(error, "AlreadyExists")) throw error;
    const path = objectPath(type, { namespace, name });
    await client.request({ method: "PATCH", path, body });
  }
}

function typeOf(kind: string): ResourceType {
  const type = types.get(kind);
  if (type === undefined) throw new Error(`no kind ${kind} is known here`);
  return type;
}
