import { z } from "zod";

import { fingerprint, id, kept, livingStatus, text, time } from "../../api/status.ts";
import {
  deploymentFields,
  failureFields,
  ingressField,
  LAST_DEPLOYMENT,
  LAST_FAILURE,
  stateFields,
  WRITTEN,
  writtenFields,
} from "../service/crd-status.ts";

const { requestId, state, startedAt, finishedAt, baseline } = deploymentFields;
const lastDeployment = z.object({ requestId, state, startedAt, finishedAt, baseline }).describe(LAST_DEPLOYMENT);
const lastFailure = z.object(failureFields).describe(LAST_FAILURE);

const written = z
  .object({
    settings: writtenFields.settings,
    variables: fingerprint.optional().describe("Stands for the variables as they were sent."),
  })
  .describe(WRITTEN);

const serviceId = id.describe("Id of the service that the blueprint became; the blueprint's own is externalId.");
const catalogUrl = text.describe("Where the catalogue describes the blueprint, as the platform answered.");
const createdAt = time.describe("When the operator created it; absent for one that it took over.");

export const memory = z
  .object({
    lastDeployment: kept(lastDeployment),
    lastFailure: kept(lastFailure),
    written: kept(written),
    serviceId: kept(serviceId),
    catalogUrl: kept(catalogUrl),
    createdAt: kept(createdAt),
  })
  .catch({});

export type BlueprintMemory = z.output<typeof memory>;

export const status = livingStatus({
  ...stateFields("service"),
  serviceId: serviceId.optional(),
  serviceType: text.optional().describe("What the service is, in the platform's spelling, e.g. HELM or TERRAFORM."),
  catalogUrl: catalogUrl.optional(),
  createdAt: createdAt.optional(),
  lastDeployment: lastDeployment.optional(),
  lastFailure: lastFailure.optional(),
  written: written.optional(),
  ingress: ingressField("service"),
});
