/** `spec.runSchedule`, which stops a service or a cluster in recurring windows, and the members of status about it. */
import { z } from "zod";

import { recurringWindow } from "./lifecycle.ts";
import { type CelRule, type PrinterColumn, wide } from "./resource.ts";
import { ATOMIC, time } from "./status.ts";

/** The schema of `spec.runSchedule`. */
export const runSchedule = z
  .array(
    recurringWindow
      .extend({ kind: z.enum(["Stop"]).describe("What happens while the window is open: Stop stops it.") })
      .describe("A window of time that comes again."),
  )
  .min(1)
  .max(16)
  .optional()
  .describe(
    "When it is stopped: inside of these windows, however often they overlap; outside of them it runs. What somebody " +
      "starts by hand inside of a window runs until that window ends, and the annotation platform-operator.io/run-until " +
      "has it run until a time. Nothing is stopped that the platform cannot start again. Defaults to never.",
  )
  .meta(ATOMIC);

/** An object with runState Stopped cannot have a schedule. */
export const RUNS_BY_SCHEDULE = {
  rule: '!has(self.spec.runSchedule) || !has(self.spec.runState) || self.spec.runState != "Stopped"',
  message: "spec.runSchedule stops what runs otherwise: remove it, or set spec.runState to Running",
  fieldPath: ".spec.runSchedule",
} as const satisfies CelRule;

/** Reports whether a spec satisfies RUNS_BY_SCHEDULE. */
export function runsBySchedule(spec: { readonly runSchedule?: unknown; readonly runState?: string | undefined }) {
  return spec.runSchedule === undefined || spec.runState !== "Stopped";
}

/** The schema of `status.runUntil`, a member of the memory. */
export const runUntil = time.describe(
  "Until when it runs although a window of spec.runSchedule is open, as somebody started it by hand.",
);

/** The schema of `status.nextRunChange`. */
export const nextRunChange = z
  .object({
    at: time.describe("When."),
    runState: z.enum(["Running", "Stopped"]).describe("What it is from then on."),
  })
  .describe("What spec.runSchedule does next.");

/** The columns of `kubectl get -o wide`. */
export const SCHEDULE_COLUMNS: readonly PrinterColumn[] = [
  wide("Next", ".status.nextRunChange.runState", "What spec.runSchedule makes of it next."),
  wide("Next-At", ".status.nextRunChange.at", "When."),
];
