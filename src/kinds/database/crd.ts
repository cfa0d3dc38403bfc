import { z } from "zod";

import {
  choice,
  externalId,
  integer,
  matches,
  objectName,
  outputMetadata,
  platformText,
  platformValue,
} from "../../api/fields.ts";
import { DEPLOYED, lifecycleOf } from "../../api/lifecycle.ts";
import { column, managedColumns, lockedOnceRecorded, defineResource, wide, SETTINGS } from "../../api/resource.ts";
import {
  nextRunChange,
  runSchedule,
  RUNS_BY_SCHEDULE,
  runsBySchedule,
  SCHEDULE_COLUMNS,
} from "../../api/run-schedule.ts";
import { count, id, lastHandledRedeployAt, managedStatus, text, time } from "../../api/status.ts";
import {
  deploymentFields,
  lastDeploymentOf,
  lastFailureOf,
  leftToPlatform,
  RUN_STATES,
  runStateFields,
  sizes,
  STATE_SINCE,
  stateFields,
  placeFields,
  recordedFields,
} from "../service/crd-status.ts";

export const spec = z
  .object({
    ...placeFields("database"),
    type: platformValue.describe(
      "Type in the platform's spelling, e.g. POSTGRESQL. Cannot be changed once the database exists.",
    ),
    version: matches(/^[0-9A-Za-z][0-9A-Za-z._+-]*$/, 64, "must be a version, e.g. 16 or 7.0.5").describe(
      'Version of the database, in quotes, e.g. "16". Changes need a platform that can update databases.',
    ),
    mode: platformValue.describe(
      "Mode in the platform's spelling, e.g. MANAGED or CONTAINER. Cannot be changed once the database exists.",
    ),
    ...sizes,
    storage: leftToPlatform(
      integer(1, 100_000_000),
      "Storage in the platform's unit: GB on a platform with its whole API.",
    ),
    instanceType: leftToPlatform(
      platformText,
      "Type of the instance of a MANAGED database in the cloud provider's spelling, e.g. db.t3.medium; cpu and memory do not count for such a database. Not in the specification.",
    ),
    accessibility: leftToPlatform(
      platformValue,
      "Who reaches the database, in the platform's spelling: PRIVATE or PUBLIC. Not in the specification.",
    ),
    diskType: leftToPlatform(
      platformText,
      "Type of the disk of a MANAGED database in the platform's spelling, e.g. gp3. Not in the specification.",
    ),
    runState: choice(
      RUN_STATES,
      "Running",
      "Whether the database runs: Running deploys it after its creation, and again after a stop.",
    ),
    runSchedule,
    writeConnectionSecretToRef: z
      .object({
        name: objectName.describe(
          "Name of the Secret in the same namespace. The operator creates it and keeps it up to date; a Secret of others is not overwritten.",
        ),
        metadata: outputMetadata("Secret"),
      })
      .optional()
      .describe(
        "Writes what users of the database need into a Secret owned by this object: id, name, environmentId and environment (the name of the PlatformEnvironment). If the platform shows them, also host, port, username and password. The operator needs the right to write Secrets in this namespace: the ClusterRole platform-operator-secret-outputs.",
      ),
    externalId: externalId.optional(),
    lifecycle: lifecycleOf(DEPLOYED, ["Retain", "Delete", "Stop"]),
  })
  .refine(runsBySchedule, RUNS_BY_SCHEDULE.message);

export type DatabaseSpec = z.output<typeof spec>;

const lastDeployment = lastDeploymentOf(deploymentFields);

const { state, stateSince, ...shown } = stateFields("database");

/** The Secret that was written. */
const connectionSecret = z
  .object({
    secretName: text.describe("Name of the Secret."),
    generation: count.describe("Generation of the spec that it was written for."),
    startedAt: time.optional().describe("Start of the deployment that it was written after."),
    resourceVersion: text.describe(
      "Version of the Secret after it was written: another one shows that somebody changed it.",
    ),
  })
  .describe("The Secret of spec.writeConnectionSecretToRef, once it is written.");

export type ConnectionSecret = z.output<typeof connectionSecret>;

const stopRequestId = id.describe("The platform's id of the stop request that the operator polls.");

const typeCheck = z
  .object({
    type: text.describe("The type that was looked up."),
    listed: z.boolean().describe("Whether the platform lists it."),
  })
  .describe("Whether the platform lists the type of this managed database. Advice only.");

/** The platform's record. The documented surface shows it once, in the answer to the create. */
const record = {
  name: text.describe("Name on the platform."),
  type: text.describe("Type on the platform."),
  version: text.describe("Version on the platform."),
  mode: text.describe("Mode on the platform."),
  createdAt: text.describe("When the platform created it."),
  updatedAt: text.describe("When the platform last changed it."),
};

const remembered = {
  ...record,
  lastDeployment,
  lastFailure: lastFailureOf({}),
  lastHandledRedeployAt,
  ...runStateFields,
  connectionSecret,
};

const recorded = { ...recordedFields, stopRequestId, typeCheck };

export type DatabaseMemory = z.output<typeof platformDatabase.memory>;
export type DatabaseDeployment = z.output<typeof lastDeployment>;

export const platformDatabase = defineResource({
  kind: "PlatformDatabase",
  shortNames: ["pdbase"],
  description: "A database that the platform runs in an environment.",
  spec,
  // The documented surface has no read of a database's state: what was last reported is kept.
  memory: { state, stateSince, ...remembered },
  recorded,
  status: managedStatus({ state, stateSince, ...shown, ...remembered, nextRunChange }, recorded),
  rules: [
    lockedOnceRecorded("environmentRef"),
    lockedOnceRecorded("type"),
    lockedOnceRecorded("mode"),
    RUNS_BY_SCHEDULE,
  ],
  columns: managedColumns([
    column("State", ".status.state", "State on the platform, verbatim."),
    column("Type", ".spec.type", "Type in the platform's spelling."),
    column("Version", ".status.version", "Version that runs, where the platform shows it."),
    STATE_SINCE,
    wide("Mode", ".spec.mode", "Mode in the platform's spelling."),
    wide("Env", ".spec.environmentRef.name", "The environment it is in."),
    ...SCHEDULE_COLUMNS,
    SETTINGS,
  ]),
  selectableFields: [".spec.connectionRef.name", ".spec.environmentRef.name", ".spec.runState"],
});
