import { z } from "zod";

import { lastOperation } from "../../api/last-operation.ts";
import { ATOMIC, fingerprint, kept, livingStatus, text } from "../../api/status.ts";
import {
  deploymentFields,
  failureFields,
  ingressField,
  LAST_DEPLOYMENT,
  LAST_FAILURE,
  runStateFields,
  runStateMemory,
  stateFields,
  WRITTEN,
  writtenFields,
} from "../service/crd-status.ts";

const lastDeployment = z
  .object({
    ...deploymentFields,
    gitCommitId: text.describe("Commit that was asked for."),
    variables: fingerprint.optional().describe("Stands for the variables that it was made with."),
    variablesAt: text
      .optional()
      .describe("When a variable set had last written to the application then, by the platform's clock."),
  })
  .describe(LAST_DEPLOYMENT);

const lastFailure = z
  .object({ ...failureFields, gitCommitId: text.optional().describe("Commit that failed.") })
  .describe(LAST_FAILURE);

const secret = {
  key: text.describe("Name of the secret."),
  digest: text.describe("Stands for its value."),
};

const written = z
  .object({
    ...writtenFields,
    variables: fingerprint.optional().describe("Stands for the variables as they were last sent."),
    variableNames: z
      .array(text.describe("Name of a variable."))
      .max(256)
      .optional()
      .describe("Names of the variables that were last sent.")
      .meta(ATOMIC),
    secrets: z
      .array(z.object(secret).describe("A secret."))
      .max(256)
      .optional()
      .describe("Those of them that are secrets: an import cannot replace them.")
      .meta(ATOMIC),
    sentSecrets: z
      .array(
        z
          .object({ ...secret, at: text.describe("When it was sent, by the platform's clock.") })
          .describe("A secret that was sent."),
      )
      .max(256)
      .optional()
      .describe("Secrets that were not there before an import whose answer is not recorded yet.")
      .meta(ATOMIC),
  })
  .describe(WRITTEN);

export const memory = z
  .object({
    lastDeployment: kept(lastDeployment),
    lastFailure: kept(lastFailure),
    written: kept(written),
    lastOperation: kept(lastOperation),
    ...runStateMemory,
  })
  .catch({});

export type ApplicationMemory = z.output<typeof memory>;
export type LastDeployment = z.output<typeof lastDeployment>;

export const status = livingStatus({
  ...stateFields("application"),
  commit: text.optional().describe("The first seven digits of the commit of the last deployment."),
  lastDeployment: lastDeployment.optional(),
  lastFailure: lastFailure.optional(),
  written: written.optional(),
  lastOperation: lastOperation.optional(),
  runState: runStateFields.runState.optional(),
  stopping: runStateFields.stopping.optional(),
  ingress: ingressField("application"),
});
