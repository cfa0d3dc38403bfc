/** Every status that the operator writes, with what Argo CD and Flux are to make of it: one table for all judges. */
import type { HealthCase } from "./case.ts";
import { situations } from "./situations.ts";
import { states } from "./states.ts";

export type { HealthCase } from "./case.ts";

export const healthCases: readonly HealthCase[] = [...situations, ...states];
