import { isObject, member, stringMember } from "./json.ts";
import { apiVersionOf } from "./paths.ts";
import type { Json, JsonObject, KubeObject, ObjectKey, ObjectMeta, ResourceType } from "./types.ts";

/**
 * Checks the members that every object must have, and drops `metadata.managedFields`, half of its size. Type names come
 * from `type`: items of a list need not have their own.
 * @returns undefined when `value` is no object of the API server
 */
export function parseObject(type: ResourceType, value: Json | undefined): KubeObject | undefined {
  if (!isObject(value)) return undefined;
  const metadata = parseMeta(type, value["metadata"]);
  if (metadata === undefined) return undefined;
  return { ...value, apiVersion: apiVersionOf(type), kind: type.kind, metadata };
}

function parseMeta(type: ResourceType, value: Json | undefined): ObjectMeta | undefined {
  if (!isObject(value)) return undefined;
  const { managedFields: _, ...meta } = value;
  return isMeta(meta) && (meta.namespace !== undefined) === type.namespaced ? meta : undefined;
}

const REQUIRED = ["name", "uid", "resourceVersion"];
const OPTIONAL = ["namespace", "creationTimestamp", "deletionTimestamp"];

function isMeta(meta: JsonObject): meta is JsonObject & ObjectMeta {
  return (
    REQUIRED.every((name) => typeof meta[name] === "string" && meta[name] !== "") &&
    OPTIONAL.every((name) => meta[name] === undefined || typeof meta[name] === "string") &&
    (meta["generation"] === undefined || typeof meta["generation"] === "number") &&
    isRecordOfStrings(meta["labels"]) &&
    isRecordOfStrings(meta["annotations"]) &&
    isListOfStrings(meta["finalizers"])
  );
}

function isRecordOfStrings(value: Json | undefined): boolean {
  return value === undefined || (isObject(value) && Object.values(value).every((entry) => typeof entry === "string"));
}

function isListOfStrings(value: Json | undefined): boolean {
  return value === undefined || (Array.isArray(value) && value.every((entry) => typeof entry === "string"));
}

/** @returns `metadata.resourceVersion` of a list or a bookmark. */
export function versionOf(value: Json | undefined): string | undefined {
  return stringMember(member(value, "metadata"), "resourceVersion");
}

/** @returns the key of an object; its namespace is "" when it is cluster-scoped */
export function keyOf(object: KubeObject): ObjectKey {
  return { kind: object.kind, namespace: object.metadata.namespace ?? "", name: object.metadata.name };
}
