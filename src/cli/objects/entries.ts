/** The commands that work on custom resources. */
import type { OperationName } from "../../platform/codec/operations.ts";
import type { Entry } from "../base/command.ts";

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

export const OBJECT_COMMANDS: readonly Entry[] = [
  {
    name: "tree",
    about: "draw what there is, what hangs from what, and how it goes",
    load: async () => (await import("./tree.ts")).tree,
  },
  {
    name: "get",
    about: "list custom resources, with --remote beside what the platform says",
    operations: REMOTE_OPERATIONS,
    load: async () => (await import("./get.ts")).get,
  },
  {
    name: "status",
    about: "show one object on one screen",
    load: async () => (await import("./status.ts")).status,
  },
  {
    name: "export",
    about: "write what exists on the platform as YAML that adopts it",
    operations: EXPORT_OPERATIONS,
    load: async () => (await import("./export/index.ts")).exportCommand,
  },
  {
    name: "plan",
    about: "show what the operator would do if files were applied",
    load: async () => (await import("./plan/index.ts")).plan,
  },
  {
    name: "orphans",
    about: "list what stayed on the platform when its resource went",
    load: async () => (await import("./orphans.ts")).orphans,
  },
  {
    name: "orphans forget",
    about: "take objects out of that list; on the platform they stay",
    load: async () => (await import("./orphans.ts")).forget,
  },
  {
    name: "check",
    about: "see whether everything is in place, and what to do where it is not",
    operations: ["listProjects"],
    load: async () => (await import("./check/index.ts")).check,
  },
  {
    name: "report",
    about: "write a bundle for support, without secrets",
    operations: ["listProjects"],
    load: async () => (await import("./report/index.ts")).report,
  },
  {
    name: "reconcile",
    about: "have the operator look at objects now",
    operations: ["getApplicationLog"],
    load: async () => (await import("./reconcile.ts")).reconcile,
  },
  {
    name: "pause",
    about: "have the operator leave objects alone",
    load: async () => (await import("./decisions.ts")).pause,
  },
  {
    name: "suspend",
    about: "the same as pause, in the word that Flux has for it",
    load: async () => (await import("./decisions.ts")).pause,
  },
  {
    name: "resume",
    about: "let the operator go on with paused objects",
    load: async () => (await import("./decisions.ts")).resume,
  },
  {
    name: "approve",
    about: "let an object's plan be carried out",
    load: async () => (await import("./decisions.ts")).approve,
  },
  {
    name: "resolve",
    about: "say what the operator must not decide by itself",
    load: async () => (await import("./decisions.ts")).resolve,
  },
];
