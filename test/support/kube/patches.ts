/** Changes objects like an API server: merge patches, preconditions, generations. */
import { isDeepStrictEqual } from "node:util";

import { KubeError } from "../../../src/kube/api/errors.ts";
import { isObject, stringMember } from "../../../src/kube/api/json.ts";
import type { Json, JsonObject, KubeObject } from "../../../src/kube/api/types.ts";

/**
 * Applies a merge patch to an object. A patch of the status changes only the status, a patch of the object everything
 * else. @returns the same object when nothing changes. @throws KubeError like the API server
 */
export function patched(old: KubeObject, body: JsonObject, isStatus: boolean): KubeObject {
  check(old, body["metadata"]);
  const { resourceVersion: _, ...metadata } = isObject(body["metadata"]) ? body["metadata"] : {};
  const change = isStatus ? { status: body["status"] } : { ...body, status: undefined, metadata };
  const next = mergePatched(asJson(old), change) as unknown as KubeObject;
  if (isDeepStrictEqual(asJson(next), asJson(old))) return old;
  const { deletionTimestamp, finalizers = [] } = next.metadata;
  if (deletionTimestamp !== undefined && finalizers.length > (old.metadata.finalizers ?? []).length)
    throw new KubeError("Invalid", 422, "no finalizer is added to what is being deleted");
  return isDeepStrictEqual(next.spec, old.spec) ? next : raised(next);
}

/** Returns `target` with a JSON merge patch (RFC 7386) applied. */
export function mergePatched(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else if (value !== undefined) result.set(name, mergePatched(result.get(name), value));
  }
  return Object.fromEntries(result);
}

/** Checks a request's uid and resourceVersion. @throws KubeError when they differ from the object's */
export function check(
  { metadata }: KubeObject,
  said: Json | undefined,
  otherUid: "Invalid" | "Conflict" = "Invalid",
): void {
  const uid = stringMember(said, "uid");
  const resourceVersion = stringMember(said, "resourceVersion");
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw new KubeError("Conflict", 409, "the object has been modified");
  if (uid !== undefined && uid !== metadata.uid)
    throw new KubeError(otherUid, otherUid === "Invalid" ? 422 : 409, "the uid is another");
}

/** Raises the generation, like the API server for a change of the spec and for a deletion. */
export function raised(object: KubeObject): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 } };
}

export function respecified(old: KubeObject, spec: Json): KubeObject {
  return isDeepStrictEqual(old.spec, spec) ? old : raised({ ...old, spec });
}

/** Returns a value as it comes back from a Go server: without undefined members, and well-formed. */
export function wire<T extends object>(value: T): T & JsonObject {
  const text = JSON.stringify(value);
  // JSON.stringify escapes what is not well-formed, and nothing else so.
  if (!/\\ud[89a-f]/.test(text)) return JSON.parse(text) as T & JsonObject;
  return JSON.parse(text, (_, member: unknown) => (typeof member === "string" ? member.toWellFormed() : member)) as T &
    JsonObject;
}

export const asJson = (object: KubeObject): Json => object as unknown as Json;
