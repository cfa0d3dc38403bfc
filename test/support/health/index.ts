/** Every status that the operator writes, with the expected health in Argo CD and Flux. */
import type { HealthCase } from "./case.ts";
import { situations } from "./situations.ts";
import { states } from "./states.ts";

export type { HealthCase } from "./case.ts";

export const healthCases: readonly HealthCase[] = [...situations, ...states];
