import type { ObjectKey } from "../../kube/api/types.ts";

/** "kind/namespace/name", the form in which keys are compared, stored in maps and queued. */
export function keyText(key: ObjectKey): string {
  return `${key.kind}/${key.namespace}/${key.name}`;
}

/** The inverse of keyText. @throws RangeError for a text that is none. */
export function parseKey(text: string): ObjectKey {
  const [kind, namespace, name] = text.split("/");
  if (kind === undefined || namespace === undefined || name === undefined) throw new RangeError(`not a key: ${text}`);
  return { kind, namespace, name };
}

/** "namespace/name", or "name" for a cluster-scoped object: how messages name an object beside its kind. */
export function shortName(key: ObjectKey): string {
  return key.namespace === "" ? key.name : `${key.namespace}/${key.name}`;
}
