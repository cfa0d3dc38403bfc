/** `spec.lifecycle`: what the operator may do. The engine reads it; kinds never do. */
import { z } from "zod";

import { matches } from "./fields.ts";

/** A duration in whole minutes or hours, as Go writes it. */
export const duration = matches(
  /^([0-9]{1,4}h)?([0-9]{1,5}m)?$/,
  16,
  "must be hours and minutes, e.g. 30m, 8h or 1h30m",
).min(2);

const managementPolicy = z
  .enum(["Manage", "ObserveOnly", "CreateOnly"])
  .optional()
  .describe(
    "What the operator may write to the platform: Manage allows everything; ObserveOnly nothing, so that the status only shows the platform's state, and deletionPolicy counts as Retain; CreateOnly what applies the spec once, and afterwards only what deletionPolicy says. Defaults to Manage.",
  );

const adoptionPolicy = z
  .enum(["Never", "IfUniqueName", "Required"])
  .optional()
  .describe(
    "Whether to adopt an object of the same name on the platform, for a webhook one with the same target: Never, IfUniqueName if there is exactly one, or Required to never create one. Defaults to IfUniqueName if the platform can list such objects and the parent, or for a project the connection, is in this namespace, otherwise to Never. An object that an earlier resource of the same name left on the platform is adopted unless Never is set here or in the connection's defaults.",
  );

const onMissing = z
  .enum(["Fail", "Recreate"])
  .optional()
  .describe(
    "What to do if the object no longer exists on the platform: Fail reports it, Recreate creates a new one, without the contents of the old one. Recreate needs managementPolicy Manage and has no effect on an object that spec.externalId names. Defaults to Fail.",
  );

const driftPolicy = z
  .enum(["Correct", "Report"])
  .optional()
  .describe(
    "What to do about changes that others make on the platform: Correct reverts all of them, Report only reports them. When absent, settings are reverted if the platform can update them, while deployments of other commits and stopped services are only reported.",
  );

/** The default of applyPolicy in its description: of one kind, or of all kinds. */
type UsualApplyPolicy = "Automatic" | "Manual" | "Automatic, for clusters to Manual";

function applyPolicy(usual: UsualApplyPolicy) {
  return z
    .enum(["Automatic", "Manual"])
    .optional()
    .describe(
      `Automatic writes to the platform at once; Manual first writes a plan to status.plan and waits until the annotation platform-operator.io/approved-plan contains its hash. Deletions need no approval. Defaults to ${usual}.`,
    );
}

const retry = z
  .object({
    limit: z.int().min(0).max(20).describe("Number of retries of a failed deployment."),
    backoff: duration.default("5m").describe("Wait time after a failure, e.g. 5m. Defaults to 5m."),
  })
  .optional()
  .describe("Deploys again after a failed deployment, an application with the same commit. Defaults to never.");

const progressDeadline = duration
  .optional()
  .describe(
    "How long a build, deployment, stop or upgrade, or the layers of a binding, may stay in one state, or a request may be rejected with 409, before the object is Stalled, e.g. 2h. The operator keeps polling it, and any change of state clears the condition. 0m disables the deadline. Defaults to 1h.",
  );

const MEMBERS = {
  managementPolicy,
  adoptionPolicy,
  onMissing,
  driftPolicy,
  applyPolicy: applyPolicy("Automatic"),
  retry,
  progressDeadline,
};

const DELETES = {
  Retain: "Retain keeps the object",
  Delete: "Delete deletes it if the platform supports that, with everything in it",
  Stop: "Stop stops it and keeps it",
} as const;

export type DeletionPolicy = keyof typeof DELETES;

/**
 * Returns the lifecycle schema of one kind: the members that work for it, and no others.
 * @param members e.g. ["managementPolicy", "driftPolicy"]
 * @param deletion the deletion policies of the kind; none if there is nothing to delete
 * @param usual the default apply policy; Manual for a resource whose lifecycle is Independent
 */
export function lifecycleOf(
  members: readonly (keyof typeof MEMBERS)[],
  deletion: readonly DeletionPolicy[] = [],
  usual: UsualApplyPolicy = "Automatic",
) {
  const [first, ...others] = deletion;
  const deletionPolicy =
    first &&
    z
      .enum([first, ...others])
      .optional()
      .describe(
        `What happens on the platform when this object is deleted: ${deletion.map((one) => DELETES[one]).join(", ")}. Defaults to Retain.`,
      );
  return z
    .object({
      ...Object.fromEntries(members.map((name) => [name, name === "applyPolicy" ? applyPolicy(usual) : MEMBERS[name]])),
      ...(deletionPolicy === undefined ? {} : { deletionPolicy }),
    })
    .optional()
    .describe("What the operator may do to the object on the platform. A connection can set defaults.");
}

/** The members of `spec.lifecycle` for kinds that create, change and adopt. */
export const CREATED = ["managementPolicy", "adoptionPolicy", "onMissing", "driftPolicy", "applyPolicy"] as const;

/** The members of `spec.lifecycle` for services, which are deployed too. */
export const DEPLOYED = [...CREATED, "retry", "progressDeadline"] as const;

/** The largest number of log lines that a status keeps. */
export const MOST_LOG_LINES = 20;

/** `spec.logs`: how much of an application's log is kept. */
export const logSettings = z
  .object({
    onFailure: z
      .int()
      .min(0)
      .max(MOST_LOG_LINES)
      .optional()
      .describe(
        "Number of last lines of the application's log to write to status.lastFailure.log when a build or deployment fails: at most 20, and 2 KiB. Values of Secrets are masked; everything else that the application logs is visible to everybody who may read this object. Defaults to 0.",
      ),
  })
  .optional()
  .describe("Lines to keep of the application's log. A connection can set defaults.");

/** The defaults that a connection sets for all of its objects. */
export const defaults = z
  .object({
    lifecycle: lifecycleOf(DEPLOYED, ["Retain", "Delete", "Stop"], "Automatic, for clusters to Manual").describe(
      "Defaults of spec.lifecycle of objects.",
    ),
    pollInterval: duration
      .optional()
      .describe(
        "Poll interval of settled objects, e.g. 15m; the annotation platform-operator.io/poll-interval of an object overrides it. Defaults to 10m.",
      ),
    logs: logSettings.describe("Defaults of spec.logs of applications."),
  })
  .optional()
  .describe("Defaults for objects on this connection.");
