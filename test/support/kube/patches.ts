/** How an API server changes objects: merge patches, preconditions, generations. */
import { isDeepStrictEqual } from "node:util";

import { KubeError } from "../../../src/kube/api/errors.ts";
import { isObject, stringMember } from "../../../src/kube/api/json.ts";
import type { Json, JsonObject, KubeObject } from "../../../src/kube/api/types.ts";

/**
 * What a merge patch makes of an object. Of a patch of the status nothing else is taken, and of one of the object all
 * but that. @returns the same object when nothing changes. @throws KubeError as the API server answers
 */
export function patched(old: KubeObject, body: JsonObject, isStatus: boolean): KubeObject {
  check(old, body["metadata"]);
  const { resourceVersion: _, ...metadata } = isObject(body["metadata"]) ? body["metadata"] : {};
  const change = isStatus ? { status: body["status"] } : { ...body, status: undefined, metadata };
  const next = merged(asJson(old), change) as unknown as KubeObject;
  if (isDeepStrictEqual(asJson(next), asJson(old))) return old;
  const { deletionTimestamp, finalizers = [] } = next.metadata;
  if (deletionTimestamp !== undefined && finalizers.length > (old.metadata.finalizers ?? []).length)
    throw new KubeError("Invalid", 422, "no finalizer is added to what is being deleted");
  return isDeepStrictEqual(next.spec, old.spec) ? next : raised(next);
}

/** A JSON merge patch (RFC 7386) applied to `target`. */
function merged(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else if (value !== undefined) result.set(name, merged(result.get(name), value));
  }
  return Object.fromEntries(result);
}

/** What a request says about uid and resourceVersion holds, or it is refused. */
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

/** The API server raises the generation with the spec and with the mark of deletion. */
export function raised(object: KubeObject): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 } };
}

export function respecified(old: KubeObject, spec: Json): KubeObject {
  return isDeepStrictEqual(old.spec, spec) ? old : raised({ ...old, spec });
}

/** As JSON travels to Go and back: without undefined members, and well-formed. */
export function wire<T extends object>(value: T): T & JsonObject {
  return JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === "string" ? member.toWellFormed() : member,
  ) as T & JsonObject;
}

export const asJson = (object: KubeObject): Json => object as unknown as Json;

export function seconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
