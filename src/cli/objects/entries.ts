/** The commands that work on custom resources. */
import type { OperationName } from "../../platform/codec/operations.ts";
import { lazyCommand, type Entry } from "../base/command.ts";

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

const loadDecisions = () => import("./decisions.ts");
const loadRollback = () => import("./rollback.ts");
const loadOrphans = () => import("./orphans.ts");

export const OBJECT_COMMANDS: readonly Entry[] = [
  lazyCommand("tree", "draw what there is, what hangs from what, and how it goes", () => import("./tree.ts")),
  lazyCommand(
    "get",
    "list custom resources, with --remote beside what the platform says",
    () => import("./get.ts"),
    REMOTE_OPERATIONS,
  ),
  lazyCommand(
    "status",
    "show all about an object on one screen; of several after each other",
    () => import("./status.ts"),
  ),
  lazyCommand(
    "export",
    "write what exists on the platform as YAML that adopts it",
    () => import("./export/index.ts"),
    EXPORT_OPERATIONS,
  ),
  lazyCommand("plan", "show what the operator would do if files were applied", () => import("./plan/index.ts")),
  lazyCommand("orphans", "list what stayed on the platform when its resource went", loadOrphans),
  {
    ...lazyCommand("forget", "take objects out of the list of orphans; on the platform they stay", loadOrphans),
    name: "orphans forget",
  },
  lazyCommand(
    "check",
    "see whether everything is in place, and what to do where it is not",
    () => import("./check/index.ts"),
    ["listProjects"],
  ),
  lazyCommand("report", "write a bundle for support, without secrets", () => import("./report/index.ts"), [
    "listProjects",
  ]),
  lazyCommand("reconcile", "have the operator look at objects now", () => import("./reconcile.ts"), [
    "getApplicationLog",
  ]),
  lazyCommand("events", "list what happened to objects, as the operator told it", () => import("./events.ts")),
  lazyCommand("trace", "show what an object waits for, up to its connection", () => import("./trace.ts")),
  lazyCommand("history", "list what was deployed of an application, when, and how it ended", loadRollback),
  lazyCommand("rollback", "have an application deploy an earlier commit", loadRollback),
  lazyCommand("pause", "have the operator leave objects alone", loadDecisions),
  { ...lazyCommand("pause", "the same as pause, in the word that Flux has for it", loadDecisions), name: "suspend" },
  lazyCommand("resume", "let the operator go on with paused objects", loadDecisions),
  lazyCommand("approve", "let an object's plan be carried out", loadDecisions),
  lazyCommand("resolve", "say what the operator must not decide by itself", loadDecisions),
];
