import { z } from "zod";

import { lastOperation } from "../../api/last-operation.ts";
import { id, kept, livingStatus, text } from "../../api/status.ts";
import {
  deploymentFields,
  failureFields,
  LAST_DEPLOYMENT,
  LAST_FAILURE,
  runStateFields,
  runStateMemory,
  stateFields,
  WRITTEN,
  writtenFields,
} from "../service/crd-status.ts";

const lastDeployment = z.object(deploymentFields).describe(LAST_DEPLOYMENT);
const lastFailure = z.object(failureFields).describe(LAST_FAILURE);
const written = z.object(writtenFields).describe(WRITTEN);

const { state, serviceDeploymentStatus, environmentId } = stateFields("database");

const stopRequestId = id.describe("The platform's id of the request to stop that is followed.");

const typeCheck = z
  .object({
    type: text.describe("The type that was looked up."),
    listed: z.boolean().describe("Whether the platform lists it."),
  })
  .describe("Whether the platform lists the type of this managed database. Advice only.");

/** What the platform's record holds. The documented surface tells it once, in the answer to the create. */
const record = {
  name: text.describe("Name on the platform."),
  type: text.describe("Type on the platform."),
  version: text.describe("Version on the platform."),
  mode: text.describe("Mode on the platform."),
  createdAt: text.describe("When the platform created it."),
  updatedAt: text.describe("When the platform last changed it."),
};

export const memory = z
  .object({
    // The documented surface has no read of a database's state: what was told last is kept.
    state: kept(state),
    name: kept(record.name),
    type: kept(record.type),
    version: kept(record.version),
    mode: kept(record.mode),
    createdAt: kept(record.createdAt),
    updatedAt: kept(record.updatedAt),
    lastDeployment: kept(lastDeployment),
    lastFailure: kept(lastFailure),
    written: kept(written),
    lastOperation: kept(lastOperation),
    ...runStateMemory,
    stopRequestId: kept(stopRequestId),
    typeCheck: kept(typeCheck),
  })
  .catch({});

export type DatabaseMemory = z.output<typeof memory>;
export type DatabaseDeployment = z.output<typeof lastDeployment>;

export const status = livingStatus({
  state,
  serviceDeploymentStatus,
  environmentId,
  ...z.object(record).partial().shape,
  lastDeployment: lastDeployment.optional(),
  lastFailure: lastFailure.optional(),
  written: written.optional(),
  lastOperation: lastOperation.optional(),
  runState: runStateFields.runState.optional(),
  stopping: runStateFields.stopping.optional(),
  stopRequestId: stopRequestId.optional(),
  typeCheck: typeCheck.optional(),
});
