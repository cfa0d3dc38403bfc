import { isKube, KubeError } from "../api/errors.ts";
import { isObject, listMember, member, stringMember } from "../api/json.ts";
import { versionOf } from "../api/objects.ts";
import { apiVersionOf, collectionPath, CONFIG_MAP, objectPath, SECRET } from "../api/paths.ts";
import { FIELD_MANAGER, type KubeClient, mergePatch, readOptional, STRICT } from "../api/transport.ts";
import type { Json, JsonObject, KubeObject, ResourceType } from "../api/types.ts";
import { diffMerge } from "./merge-patch.ts";

/** The ConfigMaps and Secrets that the operator writes as outputs, owned by a custom resource. */
export type Outputs = ReturnType<typeof createOutputs>;

/** What an output is beside its owner. */
export interface Output {
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
  /** Keys that `data` lacks and that stay as they are. */
  readonly keeps?: readonly string[] | undefined;
  /** Labels and annotations of the user's choice. Those of others stay. */
  readonly metadata?: OutputMetadata | undefined;
}

export interface OutputMetadata {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** @returns the writer of output ConfigMaps and Secrets */
export function createOutputs(client: KubeClient) {
  return {
    /**
     * Makes the ConfigMap hold exactly the data and what it keeps, the labels and the annotations, with an
     * ownerReference to `owner`; writes nothing when it already does. What the operator wrote before and does not want
     * any more is removed.
     * @returns its resourceVersion
     * @throws KubeError "Conflict" when a ConfigMap of that name exists and is not owned by `owner`
     */
    configMap: (owner: KubeObject, output: Output): Promise<string> =>
      write(client, CONFIG_MAP, owner, output, output.data),
    /**
     * Makes the Secret as it is wanted, as `configMap` does. Its values reach no log and no error.
     * @returns its resourceVersion
     * @throws KubeError "Conflict" as `configMap`, "Forbidden" where the operator may not write Secrets
     */
    secret: (owner: KubeObject, output: Output): Promise<string> =>
      write(client, SECRET, owner, output, encoded(output.data)),
    /**
     * Reports whether a Secret is as it was written. Its values are not read. One that may not be read counts as
     * changed: the write shows what is missing.
     * @throws KubeError
     */
    isAsWritten: async (owner: KubeObject, { name, resourceVersion }: WrittenOutput): Promise<boolean> => {
      const path = objectPath(SECRET, { namespace: owner.metadata.namespace ?? "", name });
      try {
        return versionOf((await readOptional(client, path, { metadataOnly: true })) ?? null) === resourceVersion;
      } catch (error) {
        if (isKube(error, "Forbidden")) return false;
        throw error;
      }
    },
  };
}

/** An output that the status records. */
export interface WrittenOutput {
  readonly name: string;
  /** Its version after the last write. */
  readonly resourceVersion: string;
}

/** The `data` of a Secret holds base64. */
function encoded(data: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
}

async function write(
  client: KubeClient,
  type: ResourceType,
  owner: KubeObject,
  { name, keeps = [], metadata: { labels = {}, annotations = {} } = {} }: Output,
  data: JsonObject,
): Promise<string> {
  const { namespace = "" } = owner.metadata;
  const path = objectPath(type, { namespace, name });
  const held = await readOptional(client, path);
  if (held === undefined) {
    const all = { "app.kubernetes.io/managed-by": FIELD_MANAGER, ...labels };
    const metadata = { name, namespace, labels: all, annotations, ownerReferences: [referenceTo(owner)] };
    // If another client is faster, the next reconcile checks the owner of the object.
    return versionIn(await createOnce(client, type, metadata, data));
  }
  if (!isOwnedBy(held, owner)) {
    throw new KubeError("Conflict", 409, `${type.kind} ${name} exists and is not owned by this object`);
  }
  const old = member(held, "metadata");
  const changes = {
    labels: patchOfMap(old, "labels", { "app.kubernetes.io/managed-by": FIELD_MANAGER, ...labels }),
    annotations: patchOfMap(old, "annotations", annotations),
  };
  const before = member(held, "data") ?? {};
  const kept = definite(Object.fromEntries(keeps.map((key) => [key, member(before, key)])));
  const body = {
    ...(member(held, "binaryData") === undefined ? {} : { binaryData: null }),
    ...definite({ data: diffMerge(before, { ...kept, ...data }) }),
  };
  const metadata = definite(changes);
  if (Object.keys(body).length === 0 && Object.keys(metadata).length === 0) return versionIn(held);
  const resourceVersion = stringMember(old, "resourceVersion");
  return versionIn(await client.request(mergePatch(path, { metadata: { resourceVersion, ...metadata }, ...body })));
}

/** Returns the members that are not undefined. */
function definite(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/**
 * Returns the merge patch of labels or annotations: what differs from the wanted ones, and null for what the operator
 * has set before and is not wanted any more (meta.k8s.io/v1: managedFields). Undefined where nothing differs.
 */
function patchOfMap(
  held: Json | undefined,
  what: "labels" | "annotations",
  wanted: Readonly<Record<string, string>>,
): JsonObject | undefined {
  const now = member(held, what);
  const own = listMember(held, "managedFields")
    .filter((entry) => stringMember(entry, "manager") === FIELD_MANAGER)
    .map((entry) => member(member(member(entry, "fieldsV1"), "f:metadata"), `f:${what}`));
  const left = own
    .flatMap((fields) => (isObject(fields) ? Object.keys(fields) : []))
    .flatMap((field) => (field.startsWith("f:") ? [field.slice(2)] : []))
    .filter((key) => !(key in wanted) && member(now, key) !== undefined);
  const missing = Object.entries(wanted).filter(([key, value]) => member(now, key) !== value);
  const all = [...left.map((key) => [key, null] as const), ...missing];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** @throws KubeError "BadResponse" when the answer is no object */
function versionIn(answer: Json): string {
  const version = versionOf(answer);
  if (version === undefined) throw new KubeError("BadResponse", 200, "the answer is no object");
  return version;
}

/** Creates a Secret or a ConfigMap. @throws KubeError "Conflict" where another client was faster */
export async function createOnce(
  client: KubeClient,
  type: ResourceType,
  metadata: JsonObject & { readonly name: string; readonly namespace: string },
  data: JsonObject,
): Promise<Json> {
  try {
    const body = { apiVersion: apiVersionOf(type), kind: type.kind, metadata, data };
    return await client.request({
      method: "POST",
      path: collectionPath(type, metadata.namespace),
      query: STRICT,
      body,
    });
  } catch (error) {
    if (!isKube(error, "AlreadyExists")) throw error;
    throw new KubeError("Conflict", 409, `${type.kind} ${metadata.name} was just created`);
  }
}

function referenceTo(owner: KubeObject): JsonObject {
  const { name, uid } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true };
}

function isOwnedBy(held: Json, owner: KubeObject): boolean {
  const references = listMember(member(held, "metadata"), "ownerReferences");
  return references.some((reference) => member(reference, "uid") === owner.metadata.uid);
}
