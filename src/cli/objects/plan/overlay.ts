/** Plans manifests on top of the cluster's objects. */
import { API_VERSION } from "../../../api/names.ts";
import { idOf } from "../../../console/tree/facts.ts";
import { RESOURCES } from "../../../kinds/crds.ts";
import { isKube } from "../../../kube/api/errors.ts";
import { isObject, member, stringMember } from "../../../kube/api/json.ts";
import { keyOf } from "../../../kube/api/objects.ts";
import type { Clock, Json, KeyValues, KubeObject, Namespaces, Reader } from "../../../kube/api/types.ts";
import { createNamespaces, createReader } from "../../../kube/watch/readers.ts";
import { VERSION } from "../../../operator/config/version.ts";
import { orphanShards } from "../../../operator/orphans.ts";
import { type PlanningOptions, planObjects } from "../../../operator/planning.ts";
import type { Cluster } from "../../base/cluster.ts";
import { explain } from "../../base/explain.ts";
import { listObjects } from "../shared/listing.ts";
import { dryApply } from "./apply.ts";
import { type Manifest, shown } from "./manifests.ts";
import { type PlanRow, rowOf } from "./rows.ts";

export interface Overlay {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly rules: PlanningOptions["rules"];
  readonly operatorNamespace: string;
  readonly tell: (line: string) => void;
}

/** @returns a row for each custom resource of the manifests, parents first @throws KubeError, CliError */
export async function planManifests(manifests: readonly Manifest[], overlay: Overlay): Promise<readonly PlanRow[]> {
  const { cluster, clock, tell } = overlay;
  const ours = manifests.filter(isOurs);
  if (ours.length < manifests.length) {
    tell(
      `${manifests.length - ours.length} objects of other kinds are not planned; Secrets and ConfigMaps give values.`,
    );
  }
  const present = await presentIn(namespacesOf(ours, cluster), overlay);
  const refused: PlanRow[] = [];
  const applied = new Map<string, KubeObject>();
  for (const manifest of ours) {
    const namespace = namespaceOf(manifest, cluster);
    const id = idOf(manifest.kind, namespace, manifest.name);
    const answer = await dryApply(cluster, manifest, namespace, present.get(id));
    if (answer.is === "applied") applied.set(id, replanned(answer.object));
    else refused.push(refusedRow(manifest, namespace, answer.why));
  }
  const namespaces = createNamespaces(cluster.client, clock);
  const planned = await planObjects({
    objects: [...new Map([...present, ...applied]).values()],
    wanted: [...applied.values()].map(keyOf),
    reader: overlaidReader(createReader(cluster.client, clock), manifests, cluster.namespace),
    namespaces: permitted(namespaces),
    rules: overlay.rules,
    operatorNamespace: overlay.operatorNamespace,
    shards: orphanShards(cluster.client, overlay.operatorNamespace),
    unread: () => {
      tell("the orphan ledger is left out: you may not read it.");
    },
    installation: await installationOf(namespaces, [...present.values()]),
    version: VERSION,
    clock,
    random: Math.random,
    explain: (error) => explain(error).message,
  });
  return [
    ...refused,
    ...planned.map(({ object, problem }) => {
      const { kind, namespace, name } = keyOf(object);
      return rowOf({ object, old: present.get(idOf(kind, namespace, name)), problem });
    }),
  ];
}

function isOurs({ apiVersion, kind }: Manifest): boolean {
  return apiVersion === API_VERSION && RESOURCES.some((resource) => resource.kind === kind);
}

function namespaceOf({ kind, namespace }: Manifest, cluster: Cluster): string {
  const isNamespaced = RESOURCES.find((resource) => resource.kind === kind)?.scope === "Namespaced";
  return isNamespaced ? (namespace ?? cluster.namespace) : "";
}

function namespacesOf(manifests: readonly Manifest[], cluster: Cluster): readonly string[] {
  const all = manifests.map((manifest) => namespaceOf(manifest, cluster)).filter((namespace) => namespace !== "");
  return [...new Set(all)];
}

/** Returns all custom resources of these namespaces and the cluster-scoped ones, by id. */
async function presentIn(
  namespaces: readonly string[],
  { cluster, tell }: Overlay,
): Promise<ReadonlyMap<string, KubeObject>> {
  const lists = await Promise.all(namespaces.map((namespace) => listObjects({ cluster, namespace, tell })));
  return new Map(
    lists.flat().map((object) => {
      const { kind, namespace, name } = keyOf(object);
      return [idOf(kind, namespace, name), object];
    }),
  );
}

/** Removes the operator's earlier plan. */
function replanned(object: KubeObject): KubeObject {
  if (!isObject(object.status)) return object;
  const { plan: _, ...status } = object.status;
  return { ...object, status };
}

function refusedRow({ kind, name, file }: Manifest, namespace: string, why: string): PlanRow {
  return {
    kind,
    namespace,
    name,
    action: "error",
    note: `${shown(file)}: ${why}`,
    actions: [],
    is: "error",
  };
}

/** For users who may not read namespaces nothing is known of them. */
function permitted(namespaces: Namespaces): Namespaces {
  return {
    get: async (name, maxAgeMs) => {
      try {
        return await namespaces.get(name, maxAgeMs);
      } catch (error) {
        if (isKube(error, "Forbidden")) return { uid: "", labels: {}, terminating: false };
        throw error;
      }
    },
  };
}

/** Returns the installation as the operator reads it; where the user may not, as the operator recorded it. */
async function installationOf(namespaces: Namespaces, objects: readonly KubeObject[]): Promise<string> {
  const uid = (await permitted(namespaces).get("kube-system", 0))?.uid ?? "";
  if (uid !== "") return uid;
  const written = objects.map(({ status }) => stringMember(member(status, "identity"), "installation"));
  return written.find((installation) => installation !== undefined) ?? "unknown";
}

/** @param home the namespace of manifests that name none */
export function overlaidReader(reader: Reader, manifests: readonly Manifest[], home: string): Reader {
  const found = (kind: "Secret" | "ConfigMap", namespace: string, name: string): Manifest | undefined =>
    manifests.findLast(
      (one) =>
        one.apiVersion === "v1" && one.kind === kind && one.name === name && (one.namespace ?? home) === namespace,
    );
  const overlaid = async (
    kind: "Secret" | "ConfigMap",
    namespace: string,
    name: string,
    read: () => Promise<KeyValues | undefined>,
  ): Promise<KeyValues | undefined> => {
    const manifest = found(kind, namespace, name);
    return manifest === undefined ? read() : { uid: "new", resourceVersion: "new", data: dataOf(manifest) };
  };
  return {
    secret: (namespace, name, maxAgeMs) =>
      overlaid("Secret", namespace, name, () => reader.secret(namespace, name, maxAgeMs)),
    configMap: (namespace, name, maxAgeMs) =>
      overlaid("ConfigMap", namespace, name, () => reader.configMap(namespace, name, maxAgeMs)),
    forget: (namespace, name) => {
      reader.forget(namespace, name);
    },
  };
}

/** Returns data as the API server does: `stringData` goes before `data`, which is base64 in a Secret. */
function dataOf({ kind, body }: Manifest): ReadonlyMap<string, string> {
  const decode = (text: string): string => (kind === "Secret" ? Buffer.from(text, "base64").toString() : text);
  return new Map([
    ...textsOf(member(body, "data")).map(([key, value]) => [key, decode(value)] as const),
    ...(kind === "Secret" ? textsOf(member(body, "stringData")) : []),
  ]);
}

function textsOf(value: Json | undefined): readonly (readonly [string, string])[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, text]) => (typeof text === "string" ? [[key, text] as const] : []));
}
