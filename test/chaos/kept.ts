/** The plans in test/chaos/regressions, which once found a defect. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

import { WAYS } from "./failover-plan.ts";
import { Step } from "./lifecycle/trace.ts";
import { PHASES } from "./tap/call.ts";

const found = z.string();
/** A lifecycle, with or without a kill. */
const Lifecycle = z.strictObject({
  found,
  surface: z.enum(["full", "documented"]),
  step: Step.optional(),
  phase: z.enum(PHASES).optional(),
});
/** An in-process lifecycle with faults by number, and the names of their exchanges, as the numbers may change. */
const InProcess = z.strictObject({ found, faults: z.string(), exchanges: z.array(z.string()) });
/** A failover of the kind that found the defect; what it hits depends on the timing. */
const Failover = z.strictObject({ found, failover: z.strictObject({ seed: z.int(), way: z.enum(WAYS) }) });

const folder = join(import.meta.dirname, "regressions");
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({
    name,
    ...z.union([Lifecycle, InProcess, Failover]).parse(JSON.parse(readFileSync(join(folder, name), "utf8"))),
  }));

export const keptLifecycles = files.filter((plan) => "surface" in plan);
export const keptFaults = files.filter((plan) => "faults" in plan);
export const keptFailovers = files.filter((plan) => "failover" in plan);
