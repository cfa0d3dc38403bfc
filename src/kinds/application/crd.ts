import { z } from "zod";

import {
  choice,
  commitField,
  environmentVariableName,
  externalId,
  flag,
  integer,
  jsonLength,
  mapOf,
  platformValue,
  uuid,
  variablesOf,
  matches,
} from "../../api/fields.ts";
import { DEPLOYED, lifecycleOf, logSettings, MOST_LOG_LINES } from "../../api/lifecycle.ts";
import { column, managedColumns, lockedOnceRecorded, defineResource, wide, SETTINGS } from "../../api/resource.ts";
import {
  nextRunChange,
  runSchedule,
  RUNS_BY_SCHEDULE,
  runsBySchedule,
  SCHEDULE_COLUMNS,
} from "../../api/run-schedule.ts";
import { lastHandledRedeployAt, managedStatus, text, time, atomicList } from "../../api/status.ts";
import {
  deploymentFields,
  ingressField,
  lastDeploymentOf,
  lastFailureOf,
  leftToPlatform,
  RUN_STATES,
  runStateFields,
  sizes,
  stateFields,
  placeFields,
  recordedFields,
} from "../service/crd-status.ts";
import { owned } from "../variables/owned.ts";
import { history } from "./history.ts";

const gitRepository = z
  .object({
    url: matches(
      /^(https?|ssh):\/\/[^\s]+$|^[^\s@:/]+@[^\s:]+:[^\s]+$/,
      2048,
      "must be the URL of a git repository",
    ).describe("URL of the repository, e.g. https://git.example.com/shop/api.git."),
    branch: leftToPlatform(z.string().min(1).max(255), "Branch."),
    provider: platformValue
      .optional()
      .describe(
        "Git provider in the platform's spelling, e.g. GITHUB. When absent, GITHUB, GITLAB or BITBUCKET is derived from the host of the URL where the platform takes more than its specification; for another host it has to be set there.",
      ),
    rootPath: leftToPlatform(z.string().min(1).max(1024), "Directory of the application in the repository."),
    gitTokenId: uuid
      .optional()
      .describe(
        "The platform's id of the git token with which it reads the repository. The platform uses the connected account when absent. Not in the specification.",
      ),
  })
  .describe("Repository of the source.");

const port = z
  .object({
    internalPort: integer(1, 65535).describe("Port that the application listens on."),
    name: leftToPlatform(
      matches(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 63, "must be the name of a port, e.g. http"),
      "Name of the port. Not in the specification.",
    ),
    externalPort: leftToPlatform(integer(1, 65535), "External port."),
    protocol: leftToPlatform(platformValue, "Protocol in the platform's spelling, e.g. HTTP."),
    publiclyAccessible: flag(false, "Whether the port is reachable from outside the cluster."),
    publicPath: leftToPlatform(
      matches(/^\/\S*$/, 1024, "must be a path"),
      "Path under which the port is reachable from outside the cluster. Not in the specification.",
    ),
  })
  .describe("A port of the application.");

const disk = z
  .object({
    mountPoint: matches(/^\/\S*$/, 1024, "must be an absolute path").describe(
      "Where the disk is mounted. The platform knows a disk by it: another mount point is another, empty disk.",
    ),
    size: integer(1, 1_000_000).describe("Size in the platform's unit: GB on a platform with its whole API."),
    type: leftToPlatform(platformValue, "Type of the disk in the platform's spelling, e.g. FAST_SSD."),
  })
  .describe("A disk of the application.");

const HEALTHCHECKS_LENGTH = 4096;

/** The specification does not have them, so any JSON is allowed. */
const healthchecks = mapOf(z.unknown(), 8)
  .refine(
    (given) => jsonLength(given) <= HEALTHCHECKS_LENGTH,
    `must be at most ${HEALTHCHECKS_LENGTH} characters of JSON`,
  )
  .meta({
    description:
      "Health checks in the platform's spelling, sent as they are, e.g. readiness_probe: {type: {http: {port: 8080, path: /ready}}, period_seconds: 10}; liveness_probe is alike. Not changed when absent. Not in the specification.",
    "x-kubernetes-preserve-unknown-fields": true,
  });

const deploy = z
  .object({
    gitCommitId: commitField.describe(
      "Commit to deploy: 7 to 64 hex digits in lower case, in quotes: YAML reads 1234567 and 12e4567 as numbers.",
    ),
    policy: choice(
      ["Automatic", "Manual"],
      "Automatic",
      "Automatic deploys after a change of the commit, or of settings or variables that the operator wrote. Manual reports such a change as UpToDate=False and does not deploy it; it is still deployed by a start (runState, runSchedule) and by a retry of a failed deployment.",
    ),
    onNewCommit: choice(
      ["Wait", "Cancel"],
      "Wait",
      "What a newer commit does with the operator's deployment under way. Wait deploys after its end. Cancel cancels it, with everything else that the platform deploys by the same request, on a platform that can (the surface Full).",
    ),
  })
  .describe("Commit to deploy. Nothing is deployed when absent.");

const NEEDS_DEPLOY = {
  rule: "!has(self.spec.runSchedule) || has(self.spec.deploy)",
  message: "spec.runSchedule needs spec.deploy: what it stopped is started by deploying that commit",
  fieldPath: ".spec.runSchedule",
} as const;

const FOLLOWS_OR_DEPLOYS = {
  rule: "!has(self.spec.autoDeploy) || !self.spec.autoDeploy || !has(self.spec.deploy)",
  message: "spec.autoDeploy follows the branch, and spec.deploy one commit: set one of them",
  fieldPath: ".spec.autoDeploy",
} as const;

export const spec = z
  .object({
    ...placeFields("application"),
    gitRepository,
    buildMode: leftToPlatform(platformValue, "Build mode, in the platform's spelling, e.g. DOCKER."),
    dockerfilePath: leftToPlatform(z.string().min(1).max(1024), "Path of the Dockerfile in the repository."),
    ...sizes,
    minRunningInstances: leftToPlatform(integer(0, 10_000), "Minimum number of running instances."),
    maxRunningInstances: leftToPlatform(integer(1, 10_000), "Maximum number of running instances."),
    ports: z
      .array(port)
      .max(64)
      .optional()
      .describe("Ports, with unique internalPort. Not changed when absent.")
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["internalPort"] }),
    storage: z
      .array(disk)
      .max(16)
      .optional()
      .describe(
        "Disks, with unique mountPoint. A disk that leaves the list is deleted with its data. Not changed when absent. Not in the specification.",
      )
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["mountPoint"] }),
    entrypoint: leftToPlatform(
      z.string().min(1).max(4096),
      "Entrypoint of the container, in place of that of the image. Not in the specification.",
    ),
    arguments: z
      .array(z.string().max(4096).describe("An argument."))
      .max(64)
      .optional()
      .describe("Arguments of the container. Not changed when absent. Not in the specification.")
      .meta({ "x-kubernetes-list-type": "atomic" }),
    healthchecks: healthchecks.optional(),
    autoDeploy: z
      .boolean()
      .optional()
      .describe(
        "Whether the platform deploys each new commit of the branch. Excludes spec.deploy, which deploys one commit; status.commit then shows what runs. On a platform with its whole API absent means false: another value there is drift.",
      ),
    autoPreview: z
      .boolean()
      .optional()
      .describe(
        "Whether the platform makes a preview environment for each pull request. On a platform with its whole API a new application has false when absent; one that exists keeps its own.",
      ),
    variables: variablesOf(
      environmentVariableName,
      "An environment variable",
      "Environment variables, with unique names. Variables of others on the platform are not changed. A variable that is removed here is removed there if the platform can remove variables.",
      {},
    ),
    deploy: deploy.optional(),
    logs: logSettings,
    runState: choice(
      RUN_STATES,
      "Running",
      "Whether the application runs. Stopped needs a platform that can stop applications.",
    ),
    runSchedule,
    externalId: externalId.optional(),
    lifecycle: lifecycleOf(DEPLOYED, ["Retain", "Delete", "Stop"]),
  })
  .refine(
    ({ minRunningInstances: min, maxRunningInstances: max }) => min === undefined || max === undefined || min <= max,
    "minRunningInstances must not exceed maxRunningInstances",
  )
  .refine(runsBySchedule, RUNS_BY_SCHEDULE.message)
  .refine((said) => said.runSchedule === undefined || said.deploy !== undefined, NEEDS_DEPLOY.message)
  .refine((said) => said.autoDeploy !== true || said.deploy === undefined, FOLLOWS_OR_DEPLOYS.message);

export type ApplicationSpec = z.output<typeof spec>;

const lastDeployment = lastDeploymentOf({
  ...deploymentFields,
  gitCommitId: text.describe("Requested commit."),
  canceled: z.boolean().optional().describe("Whether the operator canceled it for a newer commit."),
  variablesAt: text
    .optional()
    .describe("The platform's time of the last change of the application's variables before it, by any resource."),
});

const lastFailure = lastFailureOf({
  gitCommitId: text.optional().describe("Commit that failed."),
  log: atomicList(
    text.describe("A line."),
    MOST_LOG_LINES,
    "Last lines of the application's log at that time, if spec.logs.onFailure or the connection's default is set. They may contain secrets that the application logs.",
  ),
});

const ingress = ingressField("application");
const commit = text.describe("First seven digits of the running commit, if known.");
const commitSince = time.describe("Time since when the operator knows that this commit runs.");

const remembered = {
  commit,
  commitSince,
  lastDeployment,
  history,
  lastFailure,
  lastHandledRedeployAt,
  ...runStateFields,
  ingress,
};

const recorded = { ...recordedFields, owned };

const { state, stateSince, ...shown } = stateFields("application");

export type ApplicationMemory = z.output<typeof platformApplication.memory>;
export type LastDeployment = z.output<typeof lastDeployment>;

export const platformApplication = defineResource({
  kind: "PlatformApplication",
  shortNames: ["papp"],
  description: "An application that the platform builds from git and runs in an environment.",
  spec,
  memory: { state, stateSince, ...remembered },
  recorded,
  status: managedStatus({ state, stateSince, ...shown, ...remembered, nextRunChange }, recorded),
  rules: [
    lockedOnceRecorded("environmentRef"),
    RUNS_BY_SCHEDULE,
    NEEDS_DEPLOY,
    FOLLOWS_OR_DEPLOYS,
    {
      rule:
        "!has(self.spec.minRunningInstances) || !has(self.spec.maxRunningInstances) || " +
        "self.spec.minRunningInstances <= self.spec.maxRunningInstances",
      message: "spec.minRunningInstances must not exceed spec.maxRunningInstances",
    },
  ],
  columns: managedColumns([
    column("State", ".status.state", "State on the platform, verbatim."),
    column("Commit", ".status.commit", "Running commit."),
    column("Since", ".status.commitSince", "Time since when that commit runs.", "date"),
    wide("State-Since", ".status.stateSince", "Time in this state.", "date"),
    wide("Env", ".spec.environmentRef.name", "The environment it is in."),
    wide("Finished", ".status.lastDeployment.finishedAt", "Time since the last deployment ended.", "date"),
    wide("Ingress", ".status.ingress.status", "State of the ingress, verbatim."),
    ...SCHEDULE_COLUMNS,
    SETTINGS,
  ]),
  selectableFields: [".spec.connectionRef.name", ".spec.environmentRef.name", ".spec.runState"],
});
