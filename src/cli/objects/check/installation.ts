/** Checks an installation: the cluster's version, the CRDs, the lease; before an uninstall, the finalizers. */
import { z } from "zod";

import { API_VERSION, FINALIZER, GROUP, INSTALLATION_KEY, VERSION } from "../../../api/names.ts";
import type { Resource } from "../../../api/resource.ts";
import { TYPES } from "../../../config/kinds.ts";
import { LEASE_NAME } from "../../../config/names.ts";
import { ageOf } from "../../../console/tree/labels.ts";
import { RESOURCES } from "../../../kinds/index.ts";
import { isKube, KubeError } from "../../../kube/api/errors.ts";
import { isObject, listMember, member, stringMember } from "../../../kube/api/json.ts";
import { LEASE, objectPath, SECRET } from "../../../kube/api/paths.ts";
import { readOptional } from "../../../kube/api/transport.ts";
import type { Json, KubeObject } from "../../../kube/api/types.ts";
import { listReleases, overlapsOf } from "../../../operator/releases.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import { listKind } from "../shared/listing.ts";
import { failed, ok, unknown, type CheckContext, type Finding } from "./finding.ts";

/** The CRDs have selectable fields, which Kubernetes has by default from 1.30 on (KEP-4358). */
const MIN_MINOR = 30;

/** Checks the version of the cluster. @throws KubeError */
export async function checkServerVersion({ client, place }: ClusterClient): Promise<readonly Finding[]> {
  const answer = await client.request({ method: "GET", path: "/version" });
  if (!isObject(answer)) throw new KubeError("BadResponse", 200, "GET /version: the answer is no object");
  const version = stringMember(answer, "gitVersion") ?? "";
  const minor = Number(/^\d+/.exec(stringMember(answer, "minor") ?? "")?.[0]);
  if (stringMember(answer, "major") === "1" && minor < MIN_MINOR) {
    return [failed("cluster", `it runs Kubernetes ${version}; the CRDs need 1.${MIN_MINOR} or later`)];
  }
  return [ok("cluster", `${place}, Kubernetes ${version}`)];
}

const CRDS = "CRDs";
/** The number of fields that a finding names. */
const NAMED = 3;

/** Checks that every CRD exists and has the fields that this program knows. @throws KubeError */
export async function checkCrds({ client }: ClusterClient): Promise<readonly Finding[]> {
  try {
    return [await compared(client)];
  } catch (error) {
    if (isKube(error, "Forbidden")) return [await served(client)];
    throw error;
  }
}

const INSTALL = "Apply the CRDs of this version: upgrade the chart's release, or apply crds/.";

/** Compares the schemas of the cluster with those of this program. */
async function compared(client: ClusterClient["client"]): Promise<Finding> {
  const schemas = await Promise.all(
    RESOURCES.map(async (resource) => ({ resource, schema: await schemaOf(client, resource) })),
  );
  const missing = schemas.filter(({ schema }) => schema === undefined).map(({ resource }) => resource.plural);
  if (missing.length > 0) return failed(CRDS, `${missing.join(", ")} are missing. ${INSTALL}`);
  const gaps = schemas.flatMap(({ resource, schema }) =>
    fieldsOf(resource)
      .filter((path) => !has(schema, path))
      .map((path) => `${resource.kind}.${path.join(".")}`),
  );
  if (gaps.length === 0) return ok(CRDS, `all ${RESOURCES.length} are installed and current`);
  const shown = gaps.slice(0, NAMED).join(", ");
  const more = gaps.length > NAMED ? `, and ${gaps.length - NAMED} more` : "";
  return failed(CRDS, `they are older than this program: ${shown}${more} are missing in the cluster. ${INSTALL}`);
}

async function schemaOf(client: ClusterClient["client"], { plural }: Resource): Promise<Json | undefined> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${GROUP}`;
  const versions = listMember(member(await readOptional(client, path), "spec"), "versions");
  const current = versions.find((version) => stringMember(version, "name") === VERSION);
  return member(member(current, "schema"), "openAPIV3Schema");
}

/** Checks the kinds that the API server serves, for users who may not read CRDs. */
async function served(client: ClusterClient["client"]): Promise<Finding> {
  const group = await readOptional(client, `/apis/${API_VERSION}`);
  if (group === undefined) return failed(CRDS, `none of them is installed. ${INSTALL}`);
  const names = new Set(listMember(group, "resources").map((resource) => stringMember(resource, "name")));
  const missing = RESOURCES.filter(({ plural }) => !names.has(plural)).map(({ plural }) => plural);
  if (missing.length > 0) return failed(CRDS, `${missing.join(", ")} are missing. ${INSTALL}`);
  return unknown(CRDS, `all ${RESOURCES.length} are installed; you may not check whether they are current`);
}

type Path = readonly string[];

/** Returns all fields of the spec and the top-level ones of the status. */
function fieldsOf({ spec, status }: Resource): readonly Path[] {
  const schema: unknown = z.toJSONSchema(spec, { io: "input", reused: "inline", unrepresentable: "any" });
  return [
    ...namesIn(schema, []).map((path) => ["spec", ...path]),
    ...Object.keys(status.shape).map((name) => ["status", name]),
  ];
}

function namesIn(schema: unknown, path: Path): readonly Path[] {
  const properties = member(schema, "properties");
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, inner]) => [[...path, name], ...namesIn(inner, [...path, name])]);
}

function has(schema: Json | undefined, path: Path): boolean {
  return path.reduce((at, name) => member(member(at, "properties"), name), schema) !== undefined;
}

const OPERATOR = "operator";
/** The largest accepted difference between the clocks of this machine and of the operator's, in milliseconds. */
const SKEW_MS = 60_000;

/** Checks the lease of the leader. @throws KubeError */
export async function checkOperator(
  context: Pick<CheckContext, "cluster" | "operatorNamespace" | "clock">,
): Promise<readonly Finding[]> {
  const { cluster, operatorNamespace: namespace, clock } = context;
  try {
    const lease = await readOptional(cluster.client, objectPath(LEASE, { namespace, name: LEASE_NAME }));
    if (lease === undefined) {
      const advice = `Install it, or name its namespace with --operator-namespace. If it is installed there, its pod does not start: kubectl get pods -n ${namespace}. With --leader-elect=false there is no lease.`;
      return [failed(OPERATOR, `there is no lease ${LEASE_NAME} in namespace "${namespace}". ${advice}`)];
    }
    return [leaseFinding(lease, namespace, clock.now())];
  } catch (error) {
    if (isKube(error, "Forbidden")) return [unknown(OPERATOR, `you may not see its lease in namespace "${namespace}"`)];
    throw error;
  }
}

function leaseFinding(lease: Json, namespace: string, now: Date): Finding {
  const spec = member(lease, "spec");
  const holder = stringMember(spec, "holderIdentity") ?? "";
  const renewed = stringMember(spec, "renewTime");
  const seconds = member(spec, "leaseDurationSeconds");
  const lasts = (typeof seconds === "number" ? seconds : 15) * 1_000 + SKEW_MS;
  const age = now.getTime() - Date.parse(renewed ?? "");
  const advice = `Check its Pods: kubectl get pods -n ${namespace}`;
  if (holder === "") return failed(OPERATOR, `nobody holds the lease: no operator runs. ${advice}`);
  if (!(age <= lasts))
    return failed(OPERATOR, `${holder} has not renewed the lease for ${ageOf(renewed, now)}. ${advice}`);
  return ok(OPERATOR, `${holder} leads`);
}

const RELEASES = "other releases";

/**
 * Looks for other releases of the operator that watch the same namespaces.
 * @returns nothing where the user may not list leases, or the operator has no lease yet
 * @throws KubeError
 */
export async function checkReleases({
  cluster,
  operatorNamespace,
  clock,
}: Pick<CheckContext, "cluster" | "operatorNamespace" | "clock">): Promise<readonly Finding[]> {
  try {
    const releases = await listReleases(cluster.client);
    const own = releases.find(({ namespace }) => namespace === operatorNamespace);
    if (own === undefined) return [];
    const overlaps = overlapsOf(own, releases, clock.now());
    if (overlaps.length === 0) return [ok(RELEASES, "none in this cluster watches the same namespaces")];
    return overlaps.map(({ namespace, shared }) => {
      const both = shared.includes("*") ? "all namespaces" : shared.slice(0, NAMED).join(", ");
      const more = shared.length > NAMED ? ` and ${String(shared.length - NAMED)} more` : "";
      const advice = "Uninstall one, or give each its own namespaces (watchNamespaces of the chart).";
      return failed(RELEASES, `the operator in namespace "${namespace}" also watches ${both}${more}. ${advice}`);
    });
  } catch (error) {
    if (isKube(error, "Forbidden")) return [];
    throw error;
  }
}

const KEY = "installation key";

/** Checks the Secret with the key of the installation. @throws KubeError */
export async function checkInstallationKey({
  cluster,
  operatorNamespace: namespace,
}: Pick<CheckContext, "cluster" | "operatorNamespace">): Promise<readonly Finding[]> {
  const where = `Secret ${INSTALLATION_KEY} in namespace "${namespace}"`;
  try {
    const secret = await readOptional(cluster.client, objectPath(SECRET, { namespace, name: INSTALLATION_KEY }));
    if (secret === undefined)
      return [
        failed(KEY, `${where} does not exist. Upgrade the chart's release or apply deploy/, or restore a backup.`),
      ];
    const { length } = stringMember(member(secret, "data"), "key") ?? "";
    if (length > 0) return [ok(KEY, `${where} has it; keep it in your backups`)];
    return [failed(KEY, `${where} is empty: no operator has led since it was created, or it may not write there.`)];
  } catch (error) {
    if (isKube(error, "Forbidden")) return [unknown(KEY, `you may not see ${where}`)];
    throw error;
  }
}

const FINALIZERS = "finalizers";

/**
 * Finds the objects whose deletion would wait, or change the platform.
 * @param namespace "" for all namespaces
 * @returns a finding for each object with the operator's finalizer, and one for the kinds that the user may not list
 * @throws KubeError
 */
export async function checkUninstall(cluster: ClusterClient, namespace: string): Promise<readonly Finding[]> {
  const lists = await Promise.all(TYPES.map(({ kind }) => listKind(cluster, kind, namespace)));
  const objects = lists.flatMap((list) => (list instanceof Error ? [] : list));
  const unlisted = TYPES.filter((_, index) => lists[index] instanceof KubeError).map(({ plural }) => plural);
  const held = objects.filter(({ metadata }) => metadata.finalizers?.includes(FINALIZER) === true);
  if (held.length === 0 && unlisted.length === 0) {
    const where = namespace === "" ? "" : ` in namespace "${namespace}"`;
    return [
      ok(FINALIZERS, `none of ${objects.length} objects${where} has one: deleting them does not change the platform`),
    ];
  }
  return [
    ...held.map((object) => failed(nameOf(object), detailOf(object))),
    ...(unlisted.length === 0 ? [] : [unknown(FINALIZERS, `you may not list ${unlisted.join(", ")}`)]),
  ];
}

function nameOf({ kind, metadata: { namespace, name } }: KubeObject): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

const EFFECTS: Readonly<Record<string, string>> = {
  Delete: "deleting it also deletes it on the platform",
  Stop: "deleting it stops it on the platform",
};
const ADVICE = "Delete it while the operator runs, or set spec.lifecycle.deletionPolicy to Retain.";

const CONNECTION_ADVICE =
  "resources need it for their deletion. Delete those first, while the operator runs; it removes the finalizer then.";

function detailOf({ kind, spec, metadata }: KubeObject): string {
  if (kind === "PlatformConnection") return CONNECTION_ADVICE;
  const declared = stringMember(member(spec, "lifecycle"), "deletionPolicy");
  const policy = declared === undefined ? "deletionPolicy as its connection says" : `deletionPolicy ${declared}`;
  if (metadata.deletionTimestamp !== undefined) {
    return `${policy}: it is being deleted and waits for the operator. Its conditions show the reason.`;
  }
  if (declared === "Retain")
    return `${policy}: the operator has not removed the finalizer yet. It does so while it runs.`;
  return `${policy}: ${EFFECTS[declared ?? ""] ?? "deleting it changes the platform"}. ${ADVICE}`;
}
