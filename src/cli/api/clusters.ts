/** `cluster stop`, `cluster upgrade` and `cluster metrics`. */
import type { ClusterStatus } from "../../platform/areas/clusters.ts";
import type { Call, Entry } from "../base/command.ts";
import { CliError, UsageError } from "../base/exit.ts";
import type { Flags } from "../base/flags.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import { printData, printText, type View } from "../base/render.ts";
import { apiCommand, printAnswer } from "./declare.ts";

const CLUSTER = { name: "cluster", about: "id of the cluster, or the name of a PlatformCluster" } as const;
const KINDS = ["PlatformCluster"] as const;

const view: View<ClusterStatus> = {
  columns: {
    CLUSTER: "clusterId",
    STATE: "status",
    DEPLOYED: "isDeployed",
    "NEXT-K8S": "nextK8sAvailableVersion",
    "LOCKED-BY": ({ clusterLock }) => clusterLock?.ownerName,
  },
  wide: {
    "LOCK-REASON": ({ clusterLock }) => clusterLock?.reason,
    REASON: "reason",
    "LAST-DEPLOYED": "lastDeploymentDate",
    EXECUTION: "lastExecutionId",
  },
  name: ({ clusterId }) => `cluster/${clusterId}`,
};

const YES = { yes: { type: "switch", short: "y", about: "do not ask for confirmation" } } as const satisfies Flags;

/**
 * Declares an action on a cluster that the user has to confirm.
 * @param effect returns the description of the action
 */
function confirmedAction(verb: "stop" | "upgrade", about: string, effect: (id: string) => string): Entry {
  return apiCommand({
    name: `cluster ${verb}`,
    about,
    operations: [`${verb}Cluster`],
    formats: LIST_FORMATS,
    args: [CLUSTER],
    flags: YES,
    run: async (call) => {
      const { platform, id } = await call.target(call.args.cluster, KINDS);
      await confirm(call, effect(id));
      await printAnswer(call, view, await platform.clusters[verb](id));
    },
  });
}

/**
 * Prints the description, and on a terminal asks whether to continue.
 * @throws UsageError without a terminal and without --yes; CliError when the user declines
 */
async function confirm(call: Call<unknown, { readonly yes: boolean }>, effect: string): Promise<void> {
  const { stdin, stderr } = call.io;
  call.report(effect);
  if (call.flags.yes) return;
  if (stdin.isTTY !== true) throw new UsageError("Standard input is not a terminal. Add --yes to confirm.");
  stderr.write("Continue? [y/N] ");
  if (!/^\s*y(?:es)?\s*$/i.test(await firstLine(stdin))) throw new CliError("Canceled: nothing was changed.");
}

async function firstLine(input: AsyncIterable<string | Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of input) {
    text += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}

/**
 * The flags. Each is a query parameter that is passed unchanged to the metrics endpoint (spec: GET
 * /cluster/{clusterId}/metrics).
 */
const METRICS = {
  endpoint: { type: "text", value: "NAME", required: true, about: "endpoint of the metrics API" },
  query: { type: "text", value: "QUERY", required: true, about: "query to run" },
  start: { type: "text", value: "TIME", about: "start of a range" },
  end: { type: "text", value: "TIME", about: "end of a range" },
  step: { type: "text", value: "DURATION", about: "resolution of a range" },
  time: { type: "text", value: "TIME", about: "time of an instant query" },
  timeout: { type: "text", value: "DURATION", about: "timeout of the query" },
  dedup: { type: "text", value: "BOOL", about: "whether to merge replicas" },
  "partial-response": { type: "text", value: "BOOL", about: "whether to accept a partial response" },
  "max-source-resolution": { type: "text", value: "DURATION", about: "coarsest resolution of the source" },
  engine: { type: "text", value: "NAME", about: "query engine" },
  analyze: { type: "text", value: "BOOL", about: "whether to analyze the query" },
  "board-short-name": { type: "text", value: "NAME", about: "dashboard of the query" },
  "metric-short-name": { type: "text", value: "NAME", about: "metric of the query" },
  "trace-id": { type: "text", value: "ID", about: "trace id of the request" },
  range: { type: "text", value: "DURATION", about: "range of the query" },
} as const;

export const CLUSTERS: readonly Entry[] = [
  apiCommand({
    name: "cluster metrics",
    about: "query the metrics of a cluster",
    operations: ["getClusterMetrics"],
    formats: ["raw", "json", "yaml"],
    args: [CLUSTER],
    flags: METRICS,
    details: "Prints the response of the metrics endpoint unchanged. -o json and -o yaml parse it if it is JSON.",
    run: async (call) => {
      const { platform, id } = await call.target(call.args.cluster, KINDS);
      const { endpoint, query } = call.flags;
      // The shared flags are not part of the query.
      const given = Object.entries(call.flags).filter(([name]) => Object.hasOwn(METRICS, name));
      const optional = Object.fromEntries(given.map(([name, value]) => [camel(name), value]));
      const metrics = await platform.clusters.metrics(id, { ...optional, endpoint, query });
      if (call.output !== "json" && call.output !== "yaml") printText(call, metrics);
      else {
        const { jsonIn } = await import("../../platform/codec/json.ts");
        const json = jsonIn(metrics);
        await printData(call, call.output, json === undefined ? metrics : json);
      }
    },
  }),
  confirmedAction("stop", "stop a cluster", (id) => `This stops cluster ${id} and everything that runs on it.`),
  confirmedAction(
    "upgrade",
    "upgrade a cluster to the next version of Kubernetes",
    (id) =>
      `This upgrades cluster ${id} to the next version of Kubernetes, which the platform chooses. It cannot be undone.`,
  ),
];

function camel(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
