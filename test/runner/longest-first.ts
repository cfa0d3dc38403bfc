import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Parts of the paths of long test files, the longest first. */
const LONG = [
  "e2e/alerts",
  "lifecycle/crash-",
  "chaos/failover",
  "chaos/regressions",
  "chaos/soak",
  "two-crashes",
  "kinds-contract",
  "faults/states",
  "faults/late",
  "mass-change",
];

/** Runs long test files first, so that none runs alone at the end. */
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
