import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What is known to last, the longest first. */
const LONG = [
  "lifecycle/crash-",
  "chaos/failover",
  "chaos/regressions",
  "chaos/soak",
  "two-crashes",
  "two-faults",
  "credentials",
];

/** The order of test files: nothing long is left for the end, when most workers have nothing to do any more. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((part) => moduleId.includes(part));
  return rank < 0 ? LONG.length : rank;
}
