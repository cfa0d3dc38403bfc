import type { TestContext } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** What a test measured, in one clause, e.g. "takeover after 16 s at most". */
    figure?: string;
    /** How many cases one test went through; 1 when left out. */
    plans?: number;
    /** An API server took part. */
    real?: boolean;
  }
}

/** Says in the run's report what a test measured and how many cases it went through; docs/reliability.md shows it. */
export function figure(task: TestContext["task"], text: string, plans = 1): void {
  task.meta.figure = text;
  task.meta.plans = plans;
}
