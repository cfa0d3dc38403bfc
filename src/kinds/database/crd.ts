import { z } from "zod";

import { externalId, platformValue, matches } from "../../api/fields.ts";
import { DEPLOYED, lifecycleOf } from "../../api/lifecycle.ts";
import { column, livingColumns, lockedOnceRecorded, defineResource, wide } from "../../api/resource.ts";
import { id, lastOperation, livingStatus, memorySchema, text } from "../../api/status.ts";
import {
  deploymentFields,
  failureFields,
  LAST_DEPLOYMENT,
  LAST_FAILURE,
  leftToPlatform,
  runStateFields,
  STATE_SINCE,
  stateFields,
  WRITTEN,
  writtenFields,
  placeFields,
} from "../service/crd-status.ts";

/** Sizes are in the platform's own units; its specification does not name them. */
export const spec = z.object({
  ...placeFields("database"),
  type: platformValue.describe(
    "Type in the platform's spelling, e.g. POSTGRESQL. Cannot be changed once the database exists.",
  ),
  version: matches(/^[0-9A-Za-z][0-9A-Za-z._+-]*$/, 64, "must be a version, e.g. 16 or 7.0.5").describe(
    'Version of the database, in quotes, e.g. "16". A change needs a platform that can update databases.',
  ),
  mode: platformValue.describe(
    "Mode in the platform's spelling, e.g. MANAGED or CONTAINER. Cannot be changed once the database exists.",
  ),
  cpu: leftToPlatform(z.int().min(1).max(1_000_000), "CPU in the platform's unit."),
  memory: leftToPlatform(z.int().min(1).max(100_000_000), "Memory in the platform's unit."),
  storage: leftToPlatform(z.int().min(1).max(100_000_000), "Storage in the platform's unit."),
  runState: z
    .enum(["Running", "Stopped"])
    .default("Running")
    .describe(
      "Whether the database runs: Running deploys it once it is created, and again after it was stopped. Defaults to " +
        "Running.",
    ),
  externalId: externalId.optional(),
  lifecycle: lifecycleOf(DEPLOYED, ["Retain", "Delete", "Stop"]),
});

export type DatabaseSpec = z.output<typeof spec>;

const lastDeployment = z.object(deploymentFields).describe(LAST_DEPLOYMENT);
const lastFailure = z.object(failureFields).describe(LAST_FAILURE);
const written = z.object(writtenFields).describe(WRITTEN);

const { state, stateSince, serviceDeploymentStatus, environmentId } = stateFields("database");

const stopRequestId = id.describe("The platform's id of the request to stop that is followed.");

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
  lastFailure,
  written,
  lastOperation,
  ...runStateFields,
  stopRequestId,
  typeCheck,
};

// The documented surface has no read of a database's state: what was last reported is kept.
export const memory = memorySchema({ state, stateSince, ...remembered });

export type DatabaseMemory = z.output<typeof memory>;
export type DatabaseDeployment = z.output<typeof lastDeployment>;

export const status = livingStatus({
  state,
  stateSince,
  serviceDeploymentStatus,
  environmentId,
  ...z.object(remembered).partial().shape,
});

export const platformDatabase = defineResource({
  kind: "PlatformDatabase",
  shortNames: ["pdbase"],
  description: "A database that the platform runs in an environment.",
  spec,
  memory,
  status,
  rules: [lockedOnceRecorded("environmentRef"), lockedOnceRecorded("type"), lockedOnceRecorded("mode")],
  columns: livingColumns([
    column("State", ".status.state", "State on the platform, verbatim."),
    column("Type", ".spec.type", "Type in the platform's spelling."),
    column("Version", ".status.version", "Version that runs, where the platform shows it."),
    STATE_SINCE,
    wide("Mode", ".spec.mode", "Mode in the platform's spelling."),
    wide("Env", ".spec.environmentRef.name", "The environment it is in."),
  ]),
  selectableFields: [".spec.connectionRef.name", ".spec.environmentRef.name", ".spec.runState"],
});
