import type { TestContext } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** What a test measured, in one clause, e.g. "takeover after 16 s at most". */
    figure?: string;
    /** How many generated cases one test judged; 1 when left out. */
    plans?: number;
    /** An API server took part. */
    real?: boolean;
  }
}

/**
 * Says in the run's report what a test measured and how many generated cases it judged; docs/reliability.md shows it.
 * @param plans a plan is one life, run or generated case; states of a model, and calls met or restarts within a life,
 *   belong in the text
 */
export function figure(task: TestContext["task"], text: string, plans = 1): void {
  task.meta.figure = text;
  task.meta.plans = plans;
}
