/** Manifests laid over what the cluster has, and planned together. */
import { API_VERSION } from "../../../api/names.ts";
import { idOf } from "../../../console/tree/facts.ts";
import { RESOURCES } from "../../../kinds/crds.ts";
import { isKube } from "../../../kube/api/errors.ts";
import { isObject, member, stringMember } from "../../../kube/api/json.ts";
import { keyOf } from "../../../kube/api/objects.ts";
import type { Clock, KubeObject, Namespaces } from "../../../kube/api/types.ts";
import { createNamespaces } from "../../../kube/watch/namespaces.ts";
import { createReader } from "../../../kube/watch/secrets.ts";
import { VERSION } from "../../../operator/config/version.ts";
import { orphanShards } from "../../../operator/orphans.ts";
import { planObjects, type PlanningOptions } from "../../../operator/planning/index.ts";
import type { Cluster } from "../../base/cluster.ts";
import { explain } from "../../base/explain.ts";
import { listObjects } from "../shared/listing.ts";
import { dryApply } from "./apply.ts";
import { shown, type Manifest } from "./manifests.ts";
import { rowOf, type PlanRow } from "./rows.ts";
import { overlaidReader } from "./values.ts";

export interface Overlay {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly rules: PlanningOptions["rules"];
  readonly operatorNamespace: string;
  readonly tell: (line: string) => void;
}

/** @returns a row for each custom resource of the manifests, parents first. @throws KubeError, CliError */
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

/** All custom resources of these namespaces and the cluster-scoped ones, by id. */
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

/** What the operator planned before is planned anew. */
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

/** Users may not see namespaces: then nothing is known of them. */
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

/** As the operator finds it; where the user may not see it, as it stands in what the operator wrote. */
async function installationOf(namespaces: Namespaces, objects: readonly KubeObject[]): Promise<string> {
  const uid = (await permitted(namespaces).get("kube-system", 0))?.uid ?? "";
  if (uid !== "") return uid;
  const written = objects.map(({ status }) => stringMember(member(status, "identity"), "installation"));
  return written.find((installation) => installation !== undefined) ?? "unknown";
}
