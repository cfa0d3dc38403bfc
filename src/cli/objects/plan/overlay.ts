/** Plans manifests against the cluster's objects, with the result of an apply in place of the current objects. */
import { API_VERSION, INSTALLATION_KEY } from "../../../api/names.ts";
import { WRITE_LEDGER } from "../../../api/status.ts";
import { TYPES } from "../../../config/kinds.ts";
import { OPERATOR_VERSION } from "../../../config/names.ts";
import { summaryId, summarize } from "../../../console/tree/summary.ts";
import { isKube } from "../../../kube/api/errors.ts";
import { isObject, member, stringEntries, stringMember } from "../../../kube/api/json.ts";
import type { KeyValues, KubeObject } from "../../../kube/api/types.ts";
import {
  createNamespaces,
  createReader,
  keyValuesIn,
  type Namespaces,
  type Reader,
} from "../../../kube/watch/readers.ts";
import { readInstallationKey } from "../../../operator/installation-key.ts";
import { orphanConfigMaps } from "../../../operator/orphans.ts";
import { type PlanningOptions, planObjects } from "../../../operator/planning.ts";
import { typeOf, type ClusterClient } from "../../base/cluster.ts";
import { explain } from "../../base/explain.ts";
import { listObjects } from "../shared/listing.ts";
import { dryApply } from "./apply.ts";
import type { Manifest } from "./manifests.ts";
import { type PlanRow, rowOf } from "./rows.ts";

export interface Overlay extends Pick<PlanningOptions, "clock" | "rules" | "operatorNamespace"> {
  readonly cluster: ClusterClient;
  readonly report: (line: string) => void;
}

/** @returns a row for each custom resource of the manifests, parents first @throws KubeError, CliError */
export async function planManifests(manifests: readonly Manifest[], overlay: Overlay): Promise<readonly PlanRow[]> {
  const { cluster, clock, operatorNamespace, rules, report } = overlay;
  const resources = manifests.filter(isCustomResource).map((manifest) => placed(manifest, cluster));
  if (resources.length < manifests.length) {
    report(
      `Objects of other kinds, which are not planned: ${manifests.length - resources.length}. The values of Secrets and ConfigMaps among them are used.`,
    );
  }
  const present = await presentIn(resources, overlay);
  const rejected: PlanRow[] = [];
  const applied = new Map<string, KubeObject>();
  for (const manifest of resources) {
    const id = summaryId(manifest.kind, manifest.namespace, manifest.name);
    const answer = await dryApply(cluster, manifest, manifest.namespace, present.get(id));
    if (typeof answer === "string") rejected.push(rejectedRow(manifest, answer));
    else applied.set(id, withoutPlan(answer));
  }
  const namespaces = namespacesAsPermitted(createNamespaces(cluster.client, clock));
  const planned = await planObjects({
    objects: [...new Map([...present, ...applied]).values()],
    wanted: [...applied.values()],
    reader: readerWith(createReader(cluster.client, clock), manifests, cluster.namespace),
    namespaces,
    rules,
    operatorNamespace,
    configMaps: orphanConfigMaps(cluster.client, operatorNamespace),
    unread: () => {
      report("the orphan ledger is omitted: you may not read it.");
    },
    installation: await installationOf(namespaces, [...present.values()]),
    key: await keyOfInstallation(overlay),
    version: OPERATOR_VERSION,
    clock,
    random: Math.random,
    explain: (error) => explain(error).message,
  });
  const rows = planned.map(({ object, problem }) => rowOf({ object, old: present.get(summarize(object).id), problem }));
  return [...rejected, ...rows];
}

async function keyOfInstallation({ cluster, operatorNamespace, report }: Overlay): Promise<PlanningOptions["key"]> {
  const key = await readInstallationKey(cluster.client, operatorNamespace);
  if (!key.isStored)
    report(
      `values of Secrets and ConfigMaps are compared by their versions: you may not read the Secret ${INSTALLATION_KEY} in namespace ${operatorNamespace}, or it has no key.`,
    );
  return key;
}

/** A manifest in its namespace; "" for a cluster-scoped object. */
type Placed = Manifest & { readonly namespace: string };

function isCustomResource({ apiVersion, kind }: Manifest): boolean {
  return apiVersion === API_VERSION && TYPES.some((type) => type.kind === kind);
}

function placed(manifest: Manifest, cluster: ClusterClient): Placed {
  const namespace = typeOf(manifest.kind).namespaced ? (manifest.namespace ?? cluster.namespace) : "";
  return { ...manifest, namespace };
}

/** The scope of cluster-scoped objects. */
const CLUSTER_WIDE = { namespace: "", kinds: TYPES.filter(({ namespaced }) => !namespaced).map(({ kind }) => kind) };

/**
 * Returns all custom resources of the manifests' namespaces and the cluster-scoped ones, by id, as far as the user may
 * read them: some users may get an object that they may not list.
 */
async function presentIn(manifests: readonly Placed[], { cluster, report }: Overlay) {
  const named = new Set(manifests.map(({ namespace }) => namespace).filter((namespace) => namespace !== ""));
  const scopes = named.size > 0 ? [...named].map((namespace) => ({ namespace })) : [CLUSTER_WIDE];
  const lists = await Promise.all(
    scopes.map((scope) => listObjects({ cluster, report, ...scope }).catch(unlessForbidden)),
  );
  const present = new Map(lists.flatMap((list) => list ?? []).map((object) => [summarize(object).id, object]));
  for (const { kind, namespace, name } of manifests) {
    const id = summaryId(kind, namespace, name);
    const object = present.get(id) ?? (await cluster.find(kind, name, namespace).catch(unlessForbidden));
    if (object !== undefined) present.set(id, object);
  }
  return present;
}

function unlessForbidden(error: unknown): undefined {
  if (!isKube(error, "Forbidden")) throw error;
}

/** Removes the operator's earlier plan. */
function withoutPlan(object: KubeObject): KubeObject {
  if (!isObject(object.status)) return object;
  const { plan: _, ...status } = object.status;
  return { ...object, status };
}

function rejectedRow({ kind, namespace, name }: Placed, note: string): PlanRow {
  return { kind, namespace, name, action: "error", note, actions: [], is: "error", cause: note };
}

/** Treats namespaces that the user may not read as unknown. */
function namespacesAsPermitted(namespaces: Namespaces): Namespaces {
  return {
    get: (name, maxAgeMs) =>
      namespaces.get(name, maxAgeMs).catch((error: unknown) => {
        if (isKube(error, "Forbidden")) return { uid: "", labels: {}, terminating: false };
        throw error;
      }),
  };
}

/**
 * Returns the installation as the operator reads it; if the user may not read it, as the operator recorded it, else
 * "unknown".
 */
async function installationOf(namespaces: Namespaces, objects: readonly KubeObject[]): Promise<string> {
  const uid = (await namespaces.get("kube-system", 0))?.uid ?? "";
  if (uid !== "") return uid;
  const recorded = objects.flatMap(({ status }) => {
    const identity = member(member(status, WRITE_LEDGER), "identity");
    return stringMember(identity, "installation") ?? [];
  });
  return recorded[0] ?? "unknown";
}

/**
 * Returns a reader in which the Secrets and ConfigMaps of the manifests replace those of the cluster.
 * @param home the namespace of manifests that name none
 */
function readerWith(reader: Reader, manifests: readonly Manifest[], home: string): Reader {
  const valuesIn = (kind: "Secret" | "ConfigMap", namespace: string, name: string): KeyValues | undefined => {
    const manifest = manifests.findLast(
      (one) =>
        one.apiVersion === "v1" && one.kind === kind && one.name === name && (one.namespace ?? home) === namespace,
    );
    return manifest === undefined ? undefined : { uid: "new", resourceVersion: "new", ...contentOf(manifest) };
  };
  return {
    ...reader,
    secret: async (namespace, name, maxAgeMs) =>
      valuesIn("Secret", namespace, name) ?? (await reader.secret(namespace, name, maxAgeMs)),
    configMap: async (namespace, name, maxAgeMs) =>
      valuesIn("ConfigMap", namespace, name) ?? (await reader.configMap(namespace, name, maxAgeMs)),
  };
}

/** Returns data as the API server does: `stringData` overrides `data`, which is base64 in a Secret. */
function contentOf({ kind, body }: Manifest): ReturnType<typeof keyValuesIn> {
  const stored = keyValuesIn(kind, body);
  const written = new Map(kind === "Secret" ? stringEntries(member(body, "stringData")) : []);
  return {
    ...stored,
    keys: [...new Set([...stored.keys, ...written.keys()])],
    get: (key) => written.get(key) ?? stored.get(key),
  };
}
