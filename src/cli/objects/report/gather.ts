/** Collects the files of a support bundle, without secrets. */
import { OPERATOR, OPERATOR_VERSION } from "../../../config/names.ts";
import { KubeError } from "../../../kube/api/errors.ts";
import { listMember, member, stringMember } from "../../../kube/api/json.ts";
import { DEPLOYMENT, objectPath } from "../../../kube/api/paths.ts";
import type { Json, KubeObject } from "../../../kube/api/types.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import { yamlText } from "../../base/yaml.ts";
import { eventsIn } from "../shared/events.ts";
import { masked, maskedEnv, maskedText, maskedValue } from "./mask.ts";

/** One file of the bundle. */
export interface BundleFile {
  /** Relative, at most 100 characters. */
  readonly name: string;
  readonly text: string;
}

const MAX_EVENTS = 1_000;

/** @returns a file for each kind, with its objects */
export function objectEntries(objects: readonly KubeObject[]): readonly BundleFile[] {
  return [...Map.groupBy(objects, ({ kind }) => kind)].map(([kind, all]) => ({
    name: `objects/${kind}.yaml`,
    text: all.map((object) => yamlText(masked(object))).join("---\n"),
  }));
}

/**
 * Reads the other parts of the bundle, one file each.
 * @param namespace that of the events; "" for all
 * @param note receives a line for each part that could not be read
 */
export async function partEntries(
  cluster: ClusterClient,
  { namespace, operatorNamespace }: { readonly namespace: string; readonly operatorNamespace: string },
  note: (line: string) => void,
): Promise<readonly BundleFile[]> {
  const parts = {
    versions: () => versionsOf(cluster),
    events: () => maskedEvents(cluster, namespace),
    operator: () => operatorOf(cluster, operatorNamespace),
  };
  const entries: BundleFile[] = [];
  for (const [name, read] of Object.entries(parts)) {
    try {
      entries.push({ name: `${name}.yaml`, text: yamlText(await read()) });
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      note(`${name} is omitted: ${error.message}.`);
    }
  }
  return entries;
}

/** Returns the versions of this program and of the cluster. */
async function versionsOf({ client }: ClusterClient): Promise<Json> {
  const answer = await client.request({ method: "GET", path: "/version" });
  return { program: OPERATOR_VERSION, node: process.version, kubernetes: stringMember(answer, "gitVersion") };
}

/** Returns the events on custom resources. */
async function maskedEvents(cluster: ClusterClient, namespace: string): Promise<Json> {
  const events = await eventsIn(cluster, namespace);
  return events.slice(0, MAX_EVENTS).map(({ kind, name, ...event }) => ({
    object: `${kind}/${name}`,
    ...event,
    message: maskedText(event.message),
  }));
}

/** Returns the operator's deployment: image, arguments, environment, state. */
async function operatorOf({ client }: ClusterClient, namespace: string): Promise<Json> {
  const deployment = await client.request({
    method: "GET",
    path: objectPath(DEPLOYMENT, { namespace, name: OPERATOR }),
  });
  const spec = member(deployment, "spec");
  const pod = member(member(spec, "template"), "spec");
  return {
    replicas: member(spec, "replicas"),
    containers: listMember(pod, "containers").map((container) => ({
      name: member(container, "name"),
      image: member(container, "image"),
      args: maskedValue(member(container, "args") ?? []),
      env: maskedEnv(container),
      resources: member(container, "resources"),
    })),
    status: maskedValue(member(deployment, "status") ?? {}),
  };
}
