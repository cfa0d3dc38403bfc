/** Members that the specs and statuses of services share: the deployment, the last failure, the written settings. */
import { z } from "zod";

import { connectionRef, displayName, integer, reference } from "../../api/fields.ts";
import { column } from "../../api/resource.ts";
import { runUntil } from "../../api/run-schedule.ts";
import { atomicList, count, id, text, time, token } from "../../api/status.ts";

/** Returns the schema of a setting that the platform chooses where the spec does not. */
export function leftToPlatform<Schema extends z.ZodType>(schema: Schema, description: string) {
  return schema.optional().describe(`${description} The platform chooses it when absent.`);
}

/**
 * Sizes are in the platform's own units. Its specification does not name them; the description of its whole API does.
 */
export const sizes = {
  cpu: leftToPlatform(
    integer(1, 1_000_000),
    "CPU in the platform's unit: thousandths of a core on a platform with its whole API.",
  ),
  memory: leftToPlatform(
    integer(1, 100_000_000),
    "Memory in the platform's unit: MB on a platform with its whole API.",
  ),
};

export const RUN_STATES = ["Running", "Stopped"] as const;

/** Returns the members of a spec for the place and the name of a service. @param noun e.g. "application" */
export function placeFields(noun: string) {
  return {
    connectionRef: connectionRef.optional(),
    environmentRef: reference(
      "PlatformEnvironment",
      `Environment that the ${noun} is in. Cannot be changed once it exists.`,
    ),
    name: displayName.describe(`Name of the ${noun}; unique in the environment, case-insensitive.`),
  };
}

/** The largest number of steps that a status holds. */
export const MOST_STEPS = 32;

/** The members of `lastDeployment`; a kind adds what it deploys. */
export const deploymentFields = {
  requestId: id
    .optional()
    .describe("The platform's id of the deployment request; absent if the platform returned none."),
  state: text.optional().describe("State of the deployment, verbatim."),
  startedAt: time.optional().describe("Time of the operator's request."),
  finishedAt: time.optional().describe("Time when the operator observed its end."),
  duration: text.optional().describe("Duration as observed by the operator, e.g. 2m14s."),
  executionId: id.optional().describe("The platform's id of the run, where it sends one."),
  subAction: text.optional().describe("The platform's sub-action of the run, verbatim, e.g. NONE."),
  requestsCount: count
    .optional()
    .describe("Number of requests for the service that the platform had, where it sends it."),
  steps: z
    .object({
      totalSeconds: count.optional().describe("Duration of all steps."),
      details: atomicList(
        z
          .object({
            name: text.optional().describe("Name of the step, where the platform sends one."),
            status: text.optional().describe("Status of the step, verbatim, where the platform sends one."),
            seconds: count.optional().describe("Duration."),
          })
          .describe("A step."),
        MOST_STEPS,
        "The steps, in the platform's order.",
      ),
    })
    .optional()
    .describe("How long the steps took, where the platform sends it."),
  settings: count
    .optional()
    .describe("Revision of the settings that it was made with; see writeLedger.written.revision."),
  baseline: text
    .optional()
    .describe("State of the service or cluster before the request, until the work is observed or has ended."),
  retry: token.optional().describe("Value of the reconcile-requested-at annotation that it was retried for."),
  attempts: count.optional().describe("Number of retries by spec.lifecycle.retry."),
};

/** The memory of a deployment that all kinds share. */
export type ServiceDeployment = z.output<z.ZodObject<typeof deploymentFields>>;

/** Returns the schema of the last deployment. @param members `deploymentFields`, and what the kind deploys */
export function lastDeploymentOf<Members extends z.ZodRawShape>(members: Members) {
  return z
    .object(members)
    .describe(
      "The last deployment: the one that the operator requested, the one that it found at adoption or after a loss of the status, or, with spec.deploy.policy Manual, the last one of others.",
    );
}

const failureFields = {
  state: text.describe("State that the platform reported, verbatim."),
  message: text.describe("Explanation, and what to do."),
  requestId: id.optional().describe("The platform's id of the failed request."),
  at: time.optional().describe("When the operator saw it."),
};

/** The memory of a failure that all kinds share. */
export type ServiceFailure = z.output<z.ZodObject<typeof failureFields>> & {
  readonly log?: readonly string[] | undefined;
};

/** Returns the schema of the last failure. @param own the members about what failed */
export function lastFailureOf<Own extends z.ZodRawShape>(own: Own) {
  return z.object({ ...failureFields, ...own }).describe("The last failure, kept until a deployment succeeds.");
}

const byPath = (description: string) =>
  z
    .record(z.string(), z.string().max(8192).describe("The value as JSON."))
    .optional()
    .describe(description)
    .meta({ maxProperties: 64 });

/** The members about written settings that all kinds share. */
export const writtenFields = {
  settings: byPath("Settings as last sent, by path in the spec."),
  altered: byPath("Settings that the platform stored with other values, by path in the spec, as stored."),
  revision: count.optional().describe("Number of times the settings were updated after the creation."),
};

/** What is remembered of written settings. */
export type WrittenSettings = z.output<z.ZodObject<typeof writtenFields>>;

/** Returns the schema of what was written. @param members `writtenFields`, and what else the kind writes */
export function writtenOf<Members extends z.ZodRawShape>(members: Members) {
  return z.object(members).describe("Values that the operator last wrote and the platform does not return.");
}

/** The run state that was last applied. */
export const runStateFields = {
  runState: z.enum(RUN_STATES).describe("The run state that the operator last applied."),
  runUntil,
};

/** What the write ledger has of a service with a run state: its written settings, and a request to stop that is open. */
export const recordedFields = {
  written: writtenOf(writtenFields),
  stopping: text.describe(
    "State of the service before the operator requested the stop, until the platform shows the stop.",
  ),
};

/** Returns the members of a status for the platform's two states of a service. @param noun e.g. "application" */
export function stateFields(noun: string) {
  return {
    state: text.optional().describe(`State of the ${noun} on the platform, verbatim, e.g. DEPLOYED.`),
    stateSince: time.optional().describe("Time since when the operator has observed this state."),
    serviceDeploymentStatus: text
      .optional()
      .describe("The platform's own statement on whether the settings are deployed, verbatim, e.g. UP_TO_DATE."),
    environmentId: id.optional().describe(`Id of the environment that the ${noun} is in.`),
  };
}

export const STATE_SINCE = column("Since", ".status.stateSince", "Time in this state.", "date");

/** Returns the schema of the ingress of a service. @param noun e.g. "application" */
export function ingressField(noun: string) {
  return z
    .object({
      routerId: id.optional().describe("The platform's id of the router."),
      status: text.optional().describe("State of the ingress, verbatim."),
    })
    .optional()
    .describe(`Ingress of the ${noun}.`);
}

/** The memory of an ingress that all kinds share. It has no state while that is not known. */
export type Ingress = NonNullable<z.output<ReturnType<typeof ingressField>>>;
