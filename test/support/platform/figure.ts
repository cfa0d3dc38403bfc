import type { TestContext } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** The measurement of a test, in one clause, e.g. "takeover after 16 s at most". */
    figure?: string;
    /** The number of generated cases in one test; 1 by default. */
    plans?: number;
  }
}

/**
 * Adds a test's measurement and its number of generated cases to the run's report; scripts/count-plans.ts prints them.
 * @param plans a plan is one life, run or generated case; states of a model, and calls met or restarts within a life,
 *   belong in the text
 */
export function figure(task: TestContext["task"], text: string, plans = 1): void {
  task.meta.figure = text;
  task.meta.plans = plans;
}
