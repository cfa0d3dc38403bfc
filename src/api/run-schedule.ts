/** `spec.runSchedule`, which stops a service or a cluster in recurring windows, and the members of status about it. */
import { z } from "zod";

import { matches } from "./fields.ts";
import { duration } from "./lifecycle.ts";
import { type CelRule, type PrinterColumn, wide } from "./resource.ts";
import { ATOMIC, time } from "./status.ts";

/** The schema of `spec.runSchedule`. */
export const runSchedule = z
  .array(
    z
      .object({
        schedule: matches(
          /^[0-9A-Za-z*/,-]+( +[0-9A-Za-z*/,-]+){4}$/,
          128,
          "must be a cron expression of five fields, e.g. 0 22 * * 1-5",
        ).describe("Start of the window, as a cron expression of five fields, e.g. 0 22 * * 1-5."),
        duration: duration.describe("Duration of the window, e.g. 30m or 8h."),
        timeZone: matches(/^[A-Za-z0-9_+/-]+$/, 64, "must be the name of a time zone")
          .min(1)
          .optional()
          .describe("IANA time zone of the schedule, e.g. Europe/Berlin. Defaults to UTC."),
        kind: z.enum(["Stop"]).describe("Action during the window: Stop stops it."),
      })
      .describe("A recurring window of time."),
  )
  .min(1)
  .max(16)
  .optional()
  .describe(
    "Windows in which it is stopped; outside of them it runs. If a user starts it manually inside a window, it runs until that window ends, and with the annotation platform-operator.io/run-until until that time. The operator stops nothing that the surface of the connection cannot start again: an application and a cluster need the surface Full. Defaults to never.",
  )
  .meta(ATOMIC);

/** An object with runState Stopped cannot have a schedule. */
export const RUNS_BY_SCHEDULE = {
  rule: '!has(self.spec.runSchedule) || !has(self.spec.runState) || self.spec.runState != "Stopped"',
  message: "spec.runSchedule cannot be combined with spec.runState Stopped: remove it, or set spec.runState to Running",
  fieldPath: ".spec.runSchedule",
} as const satisfies CelRule;

/** Reports whether a spec satisfies RUNS_BY_SCHEDULE. */
export function runsBySchedule(spec: { readonly runSchedule?: unknown; readonly runState?: string | undefined }) {
  return spec.runSchedule === undefined || spec.runState !== "Stopped";
}

/** The schema of `status.runUntil`, a member of the memory. */
export const runUntil = time.describe(
  "Time until which it runs despite an open window of spec.runSchedule, because a user started it manually.",
);

/** The schema of `status.nextRunChange`. */
export const nextRunChange = z
  .object({
    at: time.describe("Time of that change."),
    runState: z.enum(["Running", "Stopped"]).describe("Run state from that time on."),
  })
  .describe("Next change by spec.runSchedule.");

/** The columns of a schedule in `kubectl get -o wide`. */
export const SCHEDULE_COLUMNS: readonly PrinterColumn[] = [
  wide("Next", ".status.nextRunChange.runState", "Run state that spec.runSchedule sets next."),
  wide("Next-At", ".status.nextRunChange.at", "Time of that change."),
];
