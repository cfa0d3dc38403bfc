/** The plans that once found a defect: test/chaos/regressions. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

import { WAYS } from "./failover-plan.ts";
import { Step } from "./lifecycle/trace.ts";
import { PHASES } from "./tap/call.ts";

const found = z.string();
/** A life, with a kill or without one. */
const Life = z.strictObject({
  found,
  surface: z.enum(["full", "documented"]),
  step: Step.optional(),
  phase: z.enum(PHASES).optional(),
});
/**
 * A life in process, with what goes wrong at which exchange, and what each of those is: their numbers may come to mean
 * others.
 */
const InProcess = z.strictObject({ found, faults: z.string(), exchanges: z.array(z.string()) });
/** A failover. What it hits depends on the moment: it stands for those that found the defect. */
const Failover = z.strictObject({ found, failover: z.strictObject({ seed: z.int(), way: z.enum(WAYS) }) });

const folder = join(import.meta.dirname, "regressions");
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({
    name,
    ...z.union([Life, InProcess, Failover]).parse(JSON.parse(readFileSync(join(folder, name), "utf8"))),
  }));

export const keptLives = files.filter((one) => "surface" in one);
export const keptFaults = files.filter((one) => "faults" in one);
export const keptFailovers = files.filter((one) => "failover" in one);
