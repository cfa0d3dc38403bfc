/** The table of commands, in the groups of the help, and the search for the command of a line. */
import { OPERATOR_VERSION } from "../config/names.ts";
import type { OperationName } from "../platform/codec/operations.ts";
import { CATALOG } from "./api/catalog.ts";
import { CLUSTERS } from "./api/clusters.ts";
import { DEPLOYMENTS } from "./api/deploy.ts";
import { logs } from "./api/logs.ts";
import { ORGANIZATION } from "./api/organization.ts";
import { SERVICES } from "./api/services.ts";
import { CLUSTER_ACCESS } from "./api/token.ts";
import { VARIABLES_AND_SECRETS } from "./api/variables.ts";
import { command, lazyCommand, type Entry } from "./base/command.ts";
import { tokensOf } from "./base/flags.ts";
import { PLATFORM_FLAGS } from "./base/globals.ts";

/** The operations of an export. */
const EXPORT_OPERATIONS = [
  "listProjects",
  "getProject",
  "getProjectEnvironmentStats",
  "listEnvironments",
  "listServices",
  "listServiceStatuses",
  "listApplications",
  "listDatabases",
  "listVariables",
  "listSecrets",
  "listClusters",
  "getClusterStatus",
  "listTemplates",
  "getBinding",
] as const satisfies readonly OperationName[];

/** The operations of `get --remote`. */
const REMOTE_OPERATIONS = [
  "listProjects",
  "getProject",
  "getEnvironment",
  "getApplication",
  "getApplicationStatus",
  "getDatabase",
  "getClusterStatus",
  "getWebhook",
] as const satisfies readonly OperationName[];

const loadDecisions = () => import("./objects/decisions.ts");
const loadOrphans = () => import("./objects/orphans.ts");
const loadRollback = () => import("./objects/rollback.ts");

/** By the title of the group: what a user does most often first, the operator itself last. */
export const GROUPS: Readonly<Record<string, readonly Entry[]>> = {
  View: [
    lazyCommand("tree", "show resources as a tree, with their states", () => import("./objects/tree.ts")),
    lazyCommand("status", "show everything about one or more objects", () => import("./objects/status.ts")),
    lazyCommand(
      "get",
      "list custom resources; compare them with the platform with --remote",
      () => import("./objects/get.ts"),
      REMOTE_OPERATIONS,
    ),
    lazyCommand("trace", "show what an object waits for, up to its connection", () => import("./objects/trace.ts")),
    lazyCommand("events", "list the events of custom resources", () => import("./objects/events.ts")),
    logs,
    lazyCommand("history", "list the deployments of an application", loadRollback),
    lazyCommand(
      "plan",
      "show what the operator would do if the files were applied",
      () => import("./objects/plan/index.ts"),
    ),
    lazyCommand("orphans", "list objects that stayed on the platform after their resource was deleted", loadOrphans),
  ],
  Change: [
    lazyCommand("reconcile", "request a reconcile of objects now", () => import("./objects/reconcile.ts"), [
      "getApplicationLog",
    ]),
    lazyCommand("approve", "approve the plan of an object", loadDecisions),
    lazyCommand("resolve", "decide what the operator cannot decide by itself", loadDecisions),
    lazyCommand("pause", "pause the reconciliation of objects", loadDecisions),
    { ...lazyCommand("pause", "same as pause, under Flux's name", loadDecisions), name: "suspend" },
    lazyCommand("resume", "resume paused objects", loadDecisions),
    lazyCommand("rollback", "deploy an earlier commit of an application", loadRollback),
    ...DEPLOYMENTS,
    {
      ...lazyCommand("forget", "remove objects from the list of orphans; they stay on the platform", loadOrphans),
      name: "orphans forget",
    },
  ],
  "Variables and secrets": VARIABLES_AND_SECRETS,
  Clusters: [...CLUSTER_ACCESS, ...CLUSTERS],
  "Query the platform": [...SERVICES, ...CATALOG, ...ORGANIZATION],
  Administration: [
    lazyCommand(
      "check",
      "check the installation and the connections, and show what to fix",
      () => import("./objects/check/index.ts"),
      ["listProjects"],
    ),
    lazyCommand(
      "export",
      "export objects of the platform as YAML that adopts them",
      () => import("./objects/export/index.ts"),
      EXPORT_OPERATIONS,
    ),
    lazyCommand("report", "write a support bundle, without secrets", () => import("./objects/report/index.ts"), [
      "listProjects",
    ]),
    lazyCommand("completion", "print a completion script for a shell or for kubectl", () => import("./completion.ts")),
    {
      name: "version",
      about: "print the version",
      load: async () => command({ asks: "nothing", run: ({ io }) => void io.stdout.write(`${OPERATOR_VERSION}\n`) }),
    },
  ],
  Operator: [lazyCommand("run", "run the operator", () => import("./run.ts"))],
};

/** In the order of the help. */
export const COMMANDS: readonly Entry[] = Object.values(GROUPS).flat();

/**
 * @returns the command with the most words that the line starts with, and its arguments; shared flags may stand
 * before the command, and are among the arguments
 */
export function find(argv: readonly string[]) {
  const start = leadingFlags(argv);
  const words = argv.slice(start);
  const [entry] = COMMANDS.filter(({ name }) => name.split(" ").every((word, at) => words[at] === word)).toSorted(
    (left, right) => right.name.length - left.name.length,
  );
  if (entry === undefined) return undefined;
  return { entry, rest: [...argv.slice(0, start), ...words.slice(entry.name.split(" ").length)] };
}

/** @returns how many arguments before the first word are shared flags and their values */
export function leadingFlags(argv: readonly string[]): number {
  const isShared = (token: ReturnType<typeof tokensOf>[number]): boolean =>
    token.kind === "option" && Object.hasOwn(PLATFORM_FLAGS, token.name);
  return tokensOf(argv, PLATFORM_FLAGS).find((token) => !isShared(token))?.index ?? argv.length;
}
