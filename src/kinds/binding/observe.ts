/**
 * Reads what the platform shows of a binding: the template list on every surface, cluster and binding where offered.
 */
import type { Cluster } from "../../platform/areas/clusters.ts";
import type { Binding, Template } from "../../platform/areas/templates.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { readOr } from "../shared/answers.ts";
import { readOnFull } from "../shared/surface.ts";
import { problemsOf } from "./check.ts";
import type { BindingContext, ClusterKind, ClusterObserved, Observed } from "./model.ts";

/** Templates and clusters change rarely, and all bindings of a connection share the answers. */
const MAX_AGE_MS = 60_000;

/** The values of PlatformCloudVendor in the platform's specification; the list operation takes no others. */
const PROVIDERS = ["AWS", "SCW", "GCP", "DO", "AZURE", "OVH", "CIVO", "HETZNER", "ORACLE", "IBM", "UNKNOWN"];

/** Who runs Kubernetes, as deployed services spell it, and the catalog's name of that mode. */
const MODES: ReadonlyMap<string, string> = new Map([
  ["MANAGED", "PLATFORM_MANAGED"],
  ["SELF_MANAGED", "CUSTOMER_MANAGED"],
  ["PLATFORM_MANAGED", "PLATFORM_MANAGED"],
  ["CUSTOMER_MANAGED", "CUSTOMER_MANAGED"],
]);

/** For how many kinds of cluster the last list of a connection is kept: a list may have megabytes. */
const MOST_LISTS = 4;

/** Lists templates; while the catalog cannot be loaded (500, 503), returns the last list. @throws ApiError */
export type ListTemplates = (api: Platform, cluster: ClusterKind | undefined) => Promise<readonly Template[]>;

/** Returns a function that keeps its last good answer for each connection and kind of cluster. */
export function createTemplateList(): ListTemplates {
  const lastGood = new WeakMap<Platform, Map<string, readonly Template[]>>();
  return async (api, cluster) => {
    const answers = lastGood.get(api) ?? new Map<string, readonly Template[]>();
    lastGood.set(api, answers);
    const name = JSON.stringify([cluster?.mode, cluster?.provider]);
    try {
      const context = cluster && { clusterMode: cluster.mode, cloudProvider: cluster.provider };
      const templates = await api.templates.list(context, { maxAgeMs: MAX_AGE_MS });
      answers.delete(name); // to the end: the oldest goes first
      answers.set(name, templates);
      const [oldest] = answers.keys();
      if (answers.size > MOST_LISTS && oldest !== undefined) answers.delete(oldest);
      return templates;
    } catch (error) {
      const last = error instanceof ApiError && error.failure.is === "Server" ? answers.get(name) : undefined;
      if (last === undefined) throw error;
      return last;
    }
  };
}

/** Reads the platform, and checks the spec against the template. @throws ApiError */
export async function observe(context: BindingContext, api: Platform, list: ListTemplates): Promise<Observed> {
  const { spec, inputs } = context;
  const cluster = await clusterOf(context, api);
  const templates = await list(api, cluster.kind);
  const template = templates.find(({ key, version }) => key === spec.template.key && version === spec.template.version);
  const bound = cluster.listed === false ? undefined : await bindingOf(context, api);
  const listed = templates.map(({ key, version }) => ({ key, version }));
  const problems = template === undefined ? [] : problemsOf({ spec, inputs, template, cluster: cluster.kind });
  return { cluster, template, offered: listed, problems, bound, sent: false };
}

/** Returns mode and provider of the spec, else what the cluster shows of itself. */
async function clusterOf(context: BindingContext, api: Platform): Promise<ClusterObserved> {
  const { spec, inputs } = context;
  const list = () => api.clusters.list({ maxAgeMs: MAX_AGE_MS });
  const clusters = await readOnFull(context, api, list);
  const cluster = clusters?.find(({ id }) => id === inputs.clusterId);
  return { listed: clusters && cluster !== undefined, kind: spec.cluster ?? kindOf(cluster) };
}

function kindOf(cluster: Cluster | undefined): ClusterKind | undefined {
  const mode = MODES.get(cluster?.kubernetes ?? "");
  const provider = PROVIDERS.find((each) => each === cluster?.cloudProvider);
  return mode === undefined || provider === undefined ? undefined : { mode, provider };
}

/** Reads the binding. There is none only if a read has shown it before, or the operator has not written one. */
async function bindingOf(context: BindingContext, api: Platform): Promise<Binding | "none" | undefined> {
  const read = readOnFull(context, api, () => api.templates.binding(context.inputs.clusterId), ["NotFound"]);
  const bound = await readOr(read, "none" as const, ["NotFound"]);
  if (bound === undefined) return undefined;
  const presence = context.records.presence(bound === "none" ? "Missing" : "Shown");
  if (bound !== "none" || presence === "Gone" || context.memory.written === undefined) return bound;
  context.records.unread("getBinding", 404);
  return undefined;
}
