/** `spec.lifecycle`: what the operator may do, and when. The engine reads it; kinds never do. */
import { z } from "zod";

import { matches } from "./fields.ts";
import { ATOMIC } from "./status.ts";

/** A duration in whole minutes or hours, as Go writes it. */
const duration = matches(/^([0-9]{1,4}h)?([0-9]{1,5}m)?$/, 16, "must be hours and minutes, e.g. 30m, 8h or 1h30m").min(
  2,
);

const managementPolicy = z
  .enum(["Manage", "ObserveOnly", "CreateOnly"])
  .optional()
  .describe(
    "What may be written to the platform: Manage everything, ObserveOnly nothing, so that the status only shows what " +
      "is there, CreateOnly what it takes to bring the spec about once, and nothing after that. Defaults to Manage.",
  );

const adoptionPolicy = z
  .enum(["Never", "IfUniqueName", "Required"])
  .optional()
  .describe(
    "Whether an object of the same name on the platform may be taken over: Never, IfUniqueName when there is exactly " +
      "one, or Required to never create one. Defaults to IfUniqueName where the platform can list such objects and " +
      "the parent is managed from this namespace, else to Never. What an earlier resource of the same name left on " +
      "the platform is taken over unless Never is written here or in the connection's defaults.",
  );

const onMissing = z
  .enum(["Fail", "Recreate"])
  .optional()
  .describe(
    "What to do once the platform provably does not have the object any more: Fail reports it, Recreate creates a new " +
      "one, without what was in the old one. Defaults to Fail.",
  );

const driftPolicy = z
  .enum(["Correct", "Report"])
  .optional()
  .describe(
    "What to do about changes that others made on the platform: Correct undoes all of them, Report only reports them. " +
      "When absent, settings are corrected where the platform has an update, while deployments of other commits and " +
      "stopped services are only reported.",
  );

type ApplyPolicy = "Automatic" | "Manual";

function applyPolicy(usual: ApplyPolicy) {
  return z
    .enum(["Automatic", "Manual"])
    .optional()
    .describe(
      "Automatic writes to the platform at once; Manual first puts a plan into status.plan and waits until the annotation " +
        `platform-operator.io/approved-plan holds its hash. A deletion waits for nobody. Defaults to ${usual}.`,
    );
}

/** A recurring time window. */
export const recurringWindow = z
  .object({
    schedule: matches(
      /^[0-9A-Za-z*/,-]+( +[0-9A-Za-z*/,-]+){4}$/,
      128,
      "must be a cron expression of five fields, e.g. 0 22 * * 1-5",
    ).describe("When the window opens, as a cron expression of five fields, e.g. 0 22 * * 1-5."),
    duration: duration.describe("How long it stays open, e.g. 30m or 8h."),
    timeZone: matches(/^[A-Za-z0-9_+/-]+$/, 64, "must be the name of a time zone")
      .min(1)
      .optional()
      .describe("IANA time zone of the schedule, e.g. Europe/Berlin. Defaults to UTC."),
  })
  .describe("A window of time that comes again.");

const syncWindows = z
  .object({
    kind: z
      .enum(["Allow", "Deny"])
      .describe("Allow writes to the platform only inside the windows, Deny only outside of them."),
    windows: z.array(recurringWindow).min(1).max(16).describe("The windows.").meta(ATOMIC),
  })
  .optional()
  .describe(
    "When the platform may be written to, deletions included. It is read at any time. Defaults to always. " +
      "Where the platform changes something by itself, no window holds that up.",
  );

const retry = z
  .object({
    limit: z.int().min(0).max(20).describe("How often a failed deployment is started again."),
    backoff: duration.default("5m").describe("How long to wait after a failure, e.g. 5m. Defaults to 5m."),
  })
  .optional()
  .describe("Starts a failed deployment again, with the same commit. Defaults to never.");

const progressDeadline = duration
  .optional()
  .describe(
    "How long a build, deployment, stop or upgrade, or the layers of a binding, may show one and the same state, or a " +
      "request may be refused with 409, before the object is Stalled, e.g. 2h. It is followed nevertheless, and every " +
      "change of its state clears that. 0m means for ever. Defaults to 1h.",
  );

const MEMBERS = {
  managementPolicy,
  adoptionPolicy,
  onMissing,
  driftPolicy,
  applyPolicy: applyPolicy("Automatic"),
  syncWindows,
  retry,
  progressDeadline,
};

const DELETES = {
  Retain: "Retain leaves everything as it is",
  Delete: "Delete deletes it where the platform can, with whatever is still in it there",
  Stop: "Stop stops it and leaves it",
} as const;

export type DeletionPolicy = keyof typeof DELETES;

/**
 * Returns the lifecycle schema of one kind: the members that work for it, and no others.
 * @param members e.g. ["managementPolicy", "driftPolicy"]
 * @param deletion the deletion policies of the kind; none if there is nothing to delete
 * @param usual the default apply policy; a kind with Manual also sets `needsApproval`
 */
export function lifecycleOf(
  members: readonly (keyof typeof MEMBERS)[],
  deletion: readonly DeletionPolicy[] = [],
  usual: ApplyPolicy = "Automatic",
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
    .describe("What the operator may do to the object of the platform, and when. A connection can set defaults.");
}

/** The members of `spec.lifecycle` for kinds that create, change and adopt. */
export const CREATED = [
  "managementPolicy",
  "adoptionPolicy",
  "onMissing",
  "driftPolicy",
  "applyPolicy",
  "syncWindows",
] as const;

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
        "How many last lines of the application's log to put into status.lastFailure.log when a build or a deployment " +
          "fails: at most 20, and 2 KiB. Values of Secrets are masked; anything else that the application logs can be " +
          "read by everybody who may read this object. Defaults to 0.",
      ),
  })
  .optional()
  .describe("What to keep of the application's log. A connection can set defaults.");

/** The defaults that a connection sets for all of its objects. */
export const defaults = z
  .object({
    lifecycle: lifecycleOf(DEPLOYED, ["Retain", "Delete", "Stop"]).describe(
      "Members of spec.lifecycle for objects that do not say otherwise.",
    ),
    pollInterval: duration
      .optional()
      .describe(
        "How often what is settled is looked at, e.g. 15m; the annotation platform-operator.io/poll-interval of an " +
          "object goes first. Defaults to 10m.",
      ),
    logs: logSettings.describe("Members of spec.logs for applications that do not say otherwise."),
  })
  .optional()
  .describe("What counts where an object on this connection says nothing itself.");
