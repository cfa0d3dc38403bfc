/** Collects the content of a support bundle. */
import { API_VERSION } from "../../../api/names.ts";
import { KubeError } from "../../../kube/api/errors.ts";
import { isObject, member, stringMember } from "../../../kube/api/json.ts";
import { collectionPath, objectPath } from "../../../kube/api/paths.ts";
import type { Json, JsonObject, KubeObject, ResourceType } from "../../../kube/api/types.ts";
import { OPERATOR } from "../../../operator/config/rbac.ts";
import { VERSION } from "../../../operator/config/version.ts";
import type { Cluster } from "../../base/cluster.ts";
import { masked, maskedEnv, maskedText, maskedValue } from "./mask.ts";

const DEPLOYMENT: ResourceType = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};
const EVENT: ResourceType = { group: "", version: "v1", kind: "Event", plural: "events", namespaced: true };

export interface Gathering {
  readonly cluster: Cluster;
  /** "" for all namespaces. */
  readonly namespace: string;
  readonly operatorNamespace: string;
}

/** A part of the bundle, or why it is missing. */
export type Part = { readonly is: "found"; readonly data: Json } | { readonly is: "missing"; readonly why: string };

/** @returns the custom resources by kind, masked */
export function objectsByKind(objects: readonly KubeObject[]): Readonly<Record<string, readonly JsonObject[]>> {
  const kinds = Map.groupBy(objects, ({ kind }) => kind);
  return Object.fromEntries([...kinds].map(([kind, of]) => [kind, of.map(masked)]));
}

/** @returns the events on custom resources, masked */
export async function eventsIn({ cluster, namespace }: Gathering): Promise<Part> {
  return part(async () => {
    const answer = await cluster.client.request({
      method: "GET",
      path: collectionPath(EVENT, namespace),
      query: { fieldSelector: `involvedObject.apiVersion=${API_VERSION}`, limit: 1_000 },
    });
    return listOf(member(answer, "items")).map((event) => ({
      object: `${text(member(event, "involvedObject"), "kind")}/${text(member(event, "involvedObject"), "name")}`,
      namespace: text(member(event, "metadata"), "namespace"),
      type: text(event, "type"),
      reason: text(event, "reason"),
      message: maskedText(text(event, "message")),
      at: stringMember(event, "lastTimestamp") ?? stringMember(event, "eventTime"),
      count: member(member(event, "series"), "count") ?? member(event, "count"),
    }));
  });
}

/** @returns the operator's deployment: image, arguments, environment, state */
export async function operatorOf({ cluster, operatorNamespace }: Gathering): Promise<Part> {
  return part(async () => {
    const path = objectPath(DEPLOYMENT, { namespace: operatorNamespace, name: OPERATOR });
    const deployment = await cluster.client.request({ method: "GET", path });
    const pod = member(member(member(deployment, "spec"), "template"), "spec");
    return {
      replicas: member(member(deployment, "spec"), "replicas"),
      containers: listOf(member(pod, "containers")).map((container) => ({
        name: member(container, "name"),
        image: member(container, "image"),
        args: maskedValue(member(container, "args") ?? []),
        env: maskedEnv(container),
        resources: member(container, "resources"),
      })),
      status: maskedValue(member(deployment, "status") ?? {}),
    };
  });
}

/** @returns versions of this program and of the cluster */
export async function versionsOf({ cluster }: Gathering): Promise<Part> {
  return part(async () => {
    const answer = await cluster.client.request({ method: "GET", path: "/version" });
    return { program: VERSION, node: process.version, kubernetes: stringMember(answer, "gitVersion") };
  });
}

async function part(read: () => Promise<Json>): Promise<Part> {
  try {
    return { is: "found", data: await read() };
  } catch (error) {
    if (error instanceof KubeError) return { is: "missing", why: error.message };
    throw error;
  }
}

function text(value: unknown, name: string): string {
  return stringMember(value, name) ?? "";
}

function listOf(value: Json | undefined): readonly Json[] {
  if (!Array.isArray(value)) return [];
  const list: readonly Json[] = value;
  return list.filter(isObject);
}
