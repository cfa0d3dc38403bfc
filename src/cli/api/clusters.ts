/** `cluster stop`, `cluster upgrade` and `cluster metrics`. */
import type { ClusterStatus } from "../../platform/areas/clusters.ts";
import { command, type Call } from "../base/command.ts";
import { confirm, YES } from "../base/confirm.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import { printData, printOne, type View } from "../base/render.ts";
import { CLUSTER } from "./shared/arguments.ts";

const KINDS = ["PlatformCluster"] as const;

const view: View<ClusterStatus> = {
  columns: [
    { name: "CLUSTER", of: ({ clusterId }) => clusterId },
    { name: "STATE", of: ({ status }) => status },
    { name: "DEPLOYED", of: ({ isDeployed }) => isDeployed },
    { name: "NEXT-K8S", of: ({ nextK8sAvailableVersion }) => nextK8sAvailableVersion },
    { name: "LOCKED-BY", of: ({ clusterLock }) => clusterLock?.ownerName },
    { name: "LOCK-REASON", of: ({ clusterLock }) => clusterLock?.reason, wide: true },
    { name: "REASON", of: ({ reason }) => reason, wide: true },
    { name: "LAST-DEPLOYED", of: ({ lastDeploymentDate }) => lastDeploymentDate, wide: true },
    { name: "EXECUTION", of: ({ lastExecutionId }) => lastExecutionId, wide: true },
  ],
  name: ({ clusterId }) => `cluster/${clusterId}`,
};

export const clusterStop = command({
  asks: "platform",
  formats: LIST_FORMATS,
  args: [CLUSTER],
  flags: YES,
  run: async (call) => {
    const { platform, id } = await call.target(call.args.cluster, KINDS);
    await confirm(call, `This stops cluster ${id} and everything that runs on it.`);
    await show(call, await platform.clusters.stop(id));
  },
});

export const clusterUpgrade = command({
  asks: "platform",
  formats: LIST_FORMATS,
  args: [CLUSTER],
  flags: YES,
  run: async (call) => {
    const { platform, id } = await call.target(call.args.cluster, KINDS);
    await confirm(
      call,
      `This upgrades cluster ${id} to the next version of Kubernetes, which the platform chooses. It cannot be undone.`,
    );
    await show(call, await platform.clusters.upgrade(id));
  },
});

/**
 * The flags, each with a query for the metrics endpoint, which is passed on as it is (spec: GET
 * /cluster/{clusterId}/metrics).
 */
const METRICS = {
  endpoint: { is: "text", value: "NAME", required: true, about: "endpoint of the metrics API" },
  query: { is: "text", value: "QUERY", required: true, about: "what to ask it" },
  start: { is: "text", value: "TIME", about: "start of a range" },
  end: { is: "text", value: "TIME", about: "end of a range" },
  step: { is: "text", value: "DURATION", about: "resolution of a range" },
  time: { is: "text", value: "TIME", about: "moment of an instant query" },
  timeout: { is: "text", value: "DURATION", about: "how long the query may take" },
  dedup: { is: "text", value: "BOOL", about: "whether replicas are merged" },
  "partial-response": { is: "text", value: "BOOL", about: "whether a partial answer will do" },
  "max-source-resolution": { is: "text", value: "DURATION", about: "coarsest resolution of the source" },
  engine: { is: "text", value: "NAME", about: "query engine" },
  analyze: { is: "text", value: "BOOL", about: "whether the query is analyzed" },
  "board-short-name": { is: "text", value: "NAME", about: "board that asks" },
  "metric-short-name": { is: "text", value: "NAME", about: "metric that is asked for" },
  "trace-id": { is: "text", value: "ID", about: "trace of the request" },
  range: { is: "text", value: "DURATION", about: "range of the query" },
} as const;

export const clusterMetrics = command({
  asks: "platform",
  formats: ["raw", "json", "yaml"],
  args: [CLUSTER],
  flags: METRICS,
  details: "Prints what the metrics endpoint says, as it is. -o json and -o yaml read it as JSON where it is JSON.",
  run: async (call) => {
    const { platform, id } = await call.target(call.args.cluster, KINDS);
    const given = Object.entries(call.flags).filter(([, value]) => value !== undefined);
    const optional = Object.fromEntries(given.map(([name, value]) => [camel(name), value]));
    const { endpoint, query } = call.flags;
    const metrics = await platform.clusters.metrics(id, { ...optional, endpoint, query });
    if (call.output !== "json" && call.output !== "yaml") call.io.stdout.write(ended(metrics));
    else await printData(call, call.output, await parsed(metrics));
  },
});

async function show(call: Call, status: ClusterStatus | undefined): Promise<void> {
  if (status === undefined) call.tell("The platform accepted it and says no more.");
  else await printOne(call, view, status);
}

function camel(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Returns the text itself if it is no JSON. */
async function parsed(text: string): Promise<unknown> {
  const { parseJson } = await import("../../platform/codec/json.ts");
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
