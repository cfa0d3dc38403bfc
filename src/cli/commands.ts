/** The table of commands, in the groups of the help, and the search for the command of a line. */
import { OPERATOR_VERSION } from "../operator/config/version.ts";
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

const loadCompletion = () => import("./completion.ts");
const loadDecisions = () => import("./objects/decisions.ts");
const loadOrphans = () => import("./objects/orphans.ts");
const loadRollback = () => import("./objects/rollback.ts");

/** By the title of the group: what a user does most often first, the operator itself last. */
export const GROUPS: Readonly<Record<string, readonly Entry[]>> = {
  Look: [
    lazyCommand("tree", "draw what there is, what hangs from what, and how it goes", () => import("./objects/tree.ts")),
    lazyCommand(
      "status",
      "show all about an object on one screen; of several after each other",
      () => import("./objects/status.ts"),
    ),
    lazyCommand(
      "get",
      "list custom resources, with --remote beside what the platform says",
      () => import("./objects/get.ts"),
      REMOTE_OPERATIONS,
    ),
    lazyCommand("trace", "show what an object waits for, up to its connection", () => import("./objects/trace.ts")),
    lazyCommand(
      "events",
      "list what happened to objects, as the operator told it",
      () => import("./objects/events.ts"),
    ),
    logs,
    lazyCommand("history", "list what was deployed of an application, when, and how it ended", loadRollback),
    lazyCommand(
      "plan",
      "show what the operator would do if files were applied",
      () => import("./objects/plan/index.ts"),
    ),
    lazyCommand("orphans", "list what stayed on the platform when its resource went", loadOrphans),
  ],
  Act: [
    lazyCommand("reconcile", "have the operator look at objects now", () => import("./objects/reconcile.ts"), [
      "getApplicationLog",
    ]),
    lazyCommand("approve", "let an object's plan be carried out", loadDecisions),
    lazyCommand("resolve", "say what the operator must not decide by itself", loadDecisions),
    lazyCommand("pause", "have the operator leave objects alone", loadDecisions),
    { ...lazyCommand("pause", "the same as pause, in the word that Flux has for it", loadDecisions), name: "suspend" },
    lazyCommand("resume", "let the operator go on with paused objects", loadDecisions),
    lazyCommand("rollback", "have an application deploy an earlier commit", loadRollback),
    lazyCommand("move", "hand an object to another namespace or cluster", () => import("./objects/move.ts")),
    ...DEPLOYMENTS,
    {
      ...lazyCommand("forget", "take objects out of the list of orphans; on the platform they stay", loadOrphans),
      name: "orphans forget",
    },
  ],
  "Variables and secrets": VARIABLES_AND_SECRETS,
  Clusters: [...CLUSTER_ACCESS, ...CLUSTERS],
  "Ask the platform": [...SERVICES, ...CATALOG, ...ORGANIZATION],
  "Set up": [
    lazyCommand(
      "check",
      "see whether everything is in place, and what to do where it is not",
      () => import("./objects/check/index.ts"),
      ["listProjects"],
    ),
    lazyCommand(
      "export",
      "write what exists on the platform as YAML that adopts it",
      () => import("./objects/export/index.ts"),
      EXPORT_OPERATIONS,
    ),
    lazyCommand("report", "write a bundle for support, without secrets", () => import("./objects/report/index.ts"), [
      "listProjects",
    ]),
    lazyCommand("completion", "print a completion script for a shell or for kubectl", loadCompletion),
    {
      ...lazyCommand("complete", "print what could come next on a command line", loadCompletion),
      name: "__complete",
      hidden: true,
    },
    {
      name: "version",
      about: "print the version",
      load: async () => command({ asks: "nothing", run: ({ io }) => void io.stdout.write(`${OPERATOR_VERSION}\n`) }),
    },
  ],
  "The operator": [lazyCommand("run", "run the operator", () => import("./run.ts"))],
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
