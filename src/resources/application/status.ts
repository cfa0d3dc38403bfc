import { z } from "zod";

import { ATOMIC, count, fingerprint, id, kept, livingStatus, text, time, token } from "../base/status.ts";

const lastDeployment = z
  .object({
    requestId: id.optional().describe("The platform's id of the deployment request; absent when it gave none."),
    gitCommitId: text.describe("Commit that was asked for."),
    state: text.optional().describe("State of the deployment, verbatim."),
    startedAt: time.optional().describe("When the operator asked for it."),
    finishedAt: time.optional().describe("When the operator saw it end."),
    settings: count.optional().describe("Which writing of the settings it was made with; see written.revision."),
    baseline: text
      .optional()
      .describe("What the service showed before, for a deployment that the platform gave no request id."),
    variables: fingerprint.optional().describe("Stands for the variables that it was made with."),
    retry: token.optional().describe("The reconcile-requested-at annotation that it was retried for."),
  })
  .describe("The last deployment that the operator asked for, or the one that it found when it took over.");

const lastFailure = z
  .object({
    state: text.describe("State that the platform reported, verbatim."),
    message: text.describe("What it means and what to do."),
    gitCommitId: text.optional().describe("Commit that failed."),
    requestId: id.optional().describe("The platform's id of the failed request."),
    at: time.optional().describe("When the operator saw it."),
  })
  .describe("The last failure, kept until a deployment succeeds.");

const written = z
  .object({
    settings: z
      .record(z.string(), z.string().max(8192).describe("The value as JSON."))
      .optional()
      .describe("The settings as they were last sent, by path in the spec.")
      .meta({ maxProperties: 64 }),
    altered: z
      .record(z.string(), z.string().max(8192).describe("The value as JSON."))
      .optional()
      .describe("The settings that the platform then stored otherwise, by path in the spec, as it stored them.")
      .meta({ maxProperties: 64 }),
    revision: count.optional().describe("How many times the settings were sent."),
    variables: fingerprint.optional().describe("Stands for the variables as they were last sent."),
    variableNames: z
      .array(text.describe("Name of a variable."))
      .max(256)
      .optional()
      .describe("Names of the variables that were last sent.")
      .meta(ATOMIC),
  })
  .describe("What the operator last wrote, where the platform cannot tell it back.");

const stopping = text.describe(
  "What the service showed before the operator asked to stop it, until it shows the stop.",
);

const runState = z.enum(["Running", "Stopped"]).describe("The run state that the operator last brought about.");

export const memory = z
  .object({
    lastDeployment: kept(lastDeployment),
    lastFailure: kept(lastFailure),
    written: kept(written),
    runState: kept(runState),
    stopping: kept(stopping),
  })
  .catch({});

export type ApplicationMemory = z.output<typeof memory>;
export type LastDeployment = z.output<typeof lastDeployment>;

export const status = livingStatus({
  state: text.optional().describe("State of the application on the platform, verbatim, e.g. DEPLOYED."),
  serviceDeploymentStatus: text
    .optional()
    .describe("Whether the platform thinks that its settings are deployed, verbatim, e.g. UP_TO_DATE."),
  environmentId: id.optional().describe("Id of the environment that the application is in."),
  commit: text.optional().describe("The first seven digits of the commit of the last deployment."),
  lastDeployment: lastDeployment.optional(),
  lastFailure: lastFailure.optional(),
  written: written.optional(),
  runState: runState.optional(),
  stopping: stopping.optional(),
  ingress: z
    .object({
      routerId: id.optional().describe("The platform's id of the router."),
      status: text.optional().describe("State of the ingress, verbatim."),
    })
    .optional()
    .describe("The way from outside to the application."),
});
