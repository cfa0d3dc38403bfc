import { badCommit } from "./bad-commit.ts";
import { drift } from "./drift.ts";
import { outage } from "./outage.ts";
import { rateLimit } from "./rate-limit.ts";
import type { Scenario } from "./scene.ts";

export type { Scenario } from "./scene.ts";

/** In the order in which they are worth a look. */
export const SCENARIOS: readonly Scenario[] = [badCommit, rateLimit, outage, drift];
