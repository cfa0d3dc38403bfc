/** Checks that the cluster's CRDs are those of this program. */
import { z } from "zod";

import { GROUP, VERSION } from "../../../api/names.ts";
import type { Resource } from "../../../api/resource.ts";
import { RESOURCES } from "../../../kinds/crds.ts";
import { KubeError } from "../../../kube/api/errors.ts";
import { isObject, member, stringMember } from "../../../kube/api/json.ts";
import { objectPath } from "../../../kube/api/paths.ts";
import type { Json, JsonObject, ResourceType } from "../../../kube/api/types.ts";
import type { Cluster } from "../../base/cluster.ts";
import { failed, ok, unknown, type Finding } from "./finding.ts";

const CRD: ResourceType = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

const WHAT = "CRDs";
/** The number of fields that a finding names. */
const NAMED = 3;

/** Checks that every CRD exists and has the fields that this program knows. @throws KubeError */
export async function checkCrds({ client }: Cluster): Promise<readonly Finding[]> {
  const schemas = await Promise.all(
    RESOURCES.map(async (resource) => ({ resource, schema: await schemaOf(client, resource) })),
  );
  if (schemas.some(({ schema }) => schema === "forbidden")) return [await known(client)];
  const missing = schemas.filter(({ schema }) => schema === undefined).map(({ resource }) => resource.plural);
  if (missing.length > 0) return [failed(WHAT, `${missing.join(", ")} are missing. ${INSTALL}`)];
  const gaps = schemas.flatMap(({ resource, schema }) =>
    fieldsOf(resource)
      .filter((path) => typeof schema !== "object" || !has(schema, path))
      .map((path) => `${resource.kind}.${path.join(".")}`),
  );
  if (gaps.length === 0) return [ok(WHAT, `all ${RESOURCES.length} are there and current`)];
  const shown = gaps.slice(0, NAMED).join(", ");
  const more = gaps.length > NAMED ? `, and ${gaps.length - NAMED} more` : "";
  return [failed(WHAT, `they are older than this program: ${shown}${more} are unknown to the cluster. ${INSTALL}`)];
}

const INSTALL = "Apply the CRDs of this version: upgrade the chart's release, or apply crds/.";

async function schemaOf(
  client: Cluster["client"],
  { plural }: Resource,
): Promise<JsonObject | "forbidden" | undefined> {
  const path = objectPath(CRD, { namespace: "", name: `${plural}.${GROUP}` });
  try {
    const versions = member(member(await client.request({ method: "GET", path }), "spec"), "versions");
    const list: readonly Json[] = Array.isArray(versions) ? versions : [];
    const mine = list.find((version) => stringMember(version, "name") === VERSION);
    const schema = member(member(mine, "schema"), "openAPIV3Schema");
    return isObject(schema) ? schema : undefined;
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (error.failure === "NotFound") return undefined;
    if (error.failure === "Forbidden") return "forbidden";
    throw error;
  }
}

/** For users who may not read CRDs: the kinds that the API server serves. */
async function known(client: Cluster["client"]): Promise<Finding> {
  try {
    const answer = await client.request({ method: "GET", path: `/apis/${GROUP}/${VERSION}` });
    const resources = member(answer, "resources");
    const list: readonly Json[] = Array.isArray(resources) ? resources : [];
    const served = new Set(list.map((resource) => stringMember(resource, "name")));
    const missing = RESOURCES.filter(({ plural }) => !served.has(plural)).map(({ plural }) => plural);
    if (missing.length > 0) return failed(WHAT, `${missing.join(", ")} are missing. ${INSTALL}`);
    return unknown(WHAT, `all ${RESOURCES.length} are there; you may not see whether they are current`);
  } catch (error) {
    if (error instanceof KubeError && error.failure === "NotFound") {
      return failed(WHAT, `the cluster knows none of them. ${INSTALL}`);
    }
    throw error;
  }
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

function has(schema: JsonObject, path: Path): boolean {
  let at: Json | undefined = schema;
  for (const name of path) at = member(member(at, "properties"), name);
  return at !== undefined;
}
