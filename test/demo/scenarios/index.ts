import { badCommit } from "./bad-commit.ts";
import { drift } from "./drift.ts";
import { outage } from "./outage.ts";
import { rateLimit } from "./rate-limit.ts";
import type { Scenario } from "./scene.ts";

export type { Scenario } from "./scene.ts";

/** The scenarios in the order of the usage text. */
export const SCENARIOS: readonly Scenario[] = [badCommit, rateLimit, outage, drift];
