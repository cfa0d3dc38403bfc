/** Computes the result of `kubectl apply` for a custom resource, with a dry run of the API server. */
import { KubeError } from "../../../kube/api/errors.ts";
import { isObject, member, tryParseJson } from "../../../kube/api/json.ts";
import { parseObject } from "../../../kube/api/objects.ts";
import { collectionPath, objectPath } from "../../../kube/api/paths.ts";
import { mergePatch } from "../../../kube/api/transport.ts";
import type { Json, JsonObject, KubeObject } from "../../../kube/api/types.ts";
import { USER_FIELD_MANAGER, typeOf, type ClusterClient } from "../../base/cluster.ts";
import type { Manifest } from "./manifests.ts";

/** The annotation with kubectl's last applied manifest. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Applies a manifest without storing anything. If the user may not write, the result is computed here, without
 * validation.
 * @param old the current object
 * @returns the result, or why the API server rejects it
 * @throws KubeError when the request fails otherwise
 */
export async function dryApply(
  { client }: ClusterClient,
  manifest: Manifest,
  namespace: string,
  old: KubeObject | undefined,
): Promise<KubeObject | string> {
  const type = typeOf(manifest.kind);
  const { name } = manifest;
  const at = type.namespaced ? namespace : "";
  // The same validation as kubectl's default.
  const query = { dryRun: "All", fieldManager: USER_FIELD_MANAGER, fieldValidation: "Strict" };
  try {
    const answer = await client.request(
      old === undefined
        ? { method: "POST", path: collectionPath(type, at), query, body: sent(manifest, at) }
        : mergePatch(objectPath(type, { namespace: at, name }), patchOf(manifest, at, old), { query }),
    );
    const object = parseObject(type, withVersion(answer));
    if (object === undefined)
      throw new KubeError("BadResponse", 200, `${manifest.kind}/${name}: the answer is no object`);
    return object;
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (error.failure === "Invalid") return `The API server rejects it: ${error.serverMessage() ?? error.message}`;
    if (error.failure === "AlreadyExists") return "It exists already, but you may not read it.";
    // NotFound: the namespace does not exist yet, as the same files create it.
    if (error.failure !== "Forbidden" && error.failure !== "NotFound") throw error;
    return computed(manifest, at, old);
  }
}

/** Adds a resourceVersion if there is none: a new object of a dry run has none. */
function withVersion(answer: Json): Json {
  const metadata = member(answer, "metadata");
  if (!isObject(answer) || !isObject(metadata)) return answer;
  return { ...answer, metadata: { resourceVersion: "0", ...metadata } };
}

/** Returns the manifest in its namespace, without the resourceVersion and uid that a copy of an object has. */
function sent({ body }: Manifest, namespace: string): JsonObject {
  const metadata = isObject(body["metadata"]) ? body["metadata"] : {};
  const { resourceVersion: _, uid: _uid, ...rest } = metadata;
  return { ...body, metadata: namespace === "" ? rest : { ...rest, namespace } };
}

/** Returns kubectl's three-way patch: the members of the manifest, and null for those of the last one that it lacks. */
function patchOf(manifest: Manifest, namespace: string, old: KubeObject): JsonObject {
  // If the annotation is not valid JSON, no member is removed.
  const last = tryParseJson(old.metadata.annotations?.[LAST_APPLIED] ?? "{}");
  const { metadata, ...body } = sent(manifest, namespace);
  // kubectl adds an annotation to every manifest, so that it never removes all annotations.
  const after = { annotations: {}, ...(isObject(metadata) ? metadata : {}) };
  return { ...mergingObject(last, body), metadata: merging(member(last, "metadata"), after) };
}

/**
 * Returns a merge patch that changes the members of `before` to those of `after`, and leaves all other members alone.
 */
function merging(before: Json | undefined, after: Json): Json {
  return isObject(after) ? mergingObject(before, after) : after;
}

function mergingObject(before: Json | undefined, after: JsonObject): JsonObject {
  const gone = Object.keys(isObject(before) ? before : {}).filter((name) => !Object.hasOwn(after, name));
  return Object.fromEntries([
    ...Object.entries(after).flatMap(([name, value]): [string, Json][] =>
      value === undefined ? [] : [[name, merging(member(before, name), value)]],
    ),
    ...gone.map((name): [string, Json] => [name, null]),
  ]);
}

/** Computes the result without the API server. @returns the result, or why the manifest is not a valid object */
function computed(manifest: Manifest, namespace: string, old: KubeObject | undefined): KubeObject | string {
  const { kind, name } = manifest;
  const { status: _, ...change } = old === undefined ? sent(manifest, namespace) : patchOf(manifest, namespace, old);
  const metadata = { uid: `new/${kind}/${namespace}/${name}`, resourceVersion: "0", generation: 0 };
  const base = old ?? { metadata, spec: {}, status: { observedGeneration: -1 } };
  const object = parseObject(typeOf(kind), patched({ ...base, metadata: { ...base.metadata } }, change));
  if (object === undefined) return "Its metadata is invalid.";
  const generation = (base.metadata.generation ?? 0) + 1;
  return { ...object, metadata: { ...object.metadata, generation } };
}

/** Applies a merge patch (RFC 7386). */
function patched(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const base = isObject(target) ? target : {};
  const kept = Object.entries(base).filter(([name]) => !Object.hasOwn(patch, name));
  const changed = Object.entries(patch).flatMap(([name, value]): [string, Json][] =>
    value === null || value === undefined ? [] : [[name, patched(base[name], value)]],
  );
  return Object.fromEntries([...kept, ...changed]);
}
