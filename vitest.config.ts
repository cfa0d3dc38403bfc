import { defineConfig } from "vitest/config";

import { LongestFirst } from "./test/runner/longest-first.ts";

/** `make chaos` runs everything in full size; `make test` a part of what takes minutes. */
const isWhole = process.env["CHAOS"] === "all";

/** Vitest's second is too short on a busy machine. */
const BUSY = { timeout: 20_000 };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "{src,simulator}/**/*.test.ts",
            "test/unit/**/*.test.ts",
            "test/kinds/**/*.test.ts",
            "test/demo/**/*.test.ts",
          ],
          // Twelve times faster, and a test that leaks module state into the next one fails here.
          isolate: false,
          pool: "threads",
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
          // No assertion: on a busy machine a thousand generated cases take longer than vitest's five seconds.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: BUSY },
        },
      },
      {
        test: {
          // The engine's own code against models and generated input: it needs the processor, and no server.
          name: "model",
          include: ["test/model/**/*.test.ts", "test/hostile/fuzz/**/*.test.ts"],
          isolate: false,
          maxWorkers: 6,
          // Beside the integration tests, which mostly wait.
          sequence: { groupOrder: 1 },
          testTimeout: 600_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts", "test/hostile/*.test.ts"],
          // What takes a minute of a core and concerns a program beside the operator, or rows of a table that
          // unit tests go through.
          exclude: isWhole
            ? []
            : ["test/integration/{demo,examples}.test.ts", "test/hostile/generated-changes.test.ts"],
          globalSetup: ["test/integration/global-setup.ts"],
          setupFiles: ["test/runner/note-run.ts"],
          // Files keep to namespaces of their own and mostly wait: six at once are what two cores carry. A worker keeps
          // its modules, whose import takes a second of a core.
          maxWorkers: 6,
          isolate: false,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: BUSY },
        },
      },
      {
        test: {
          name: "chaos",
          maxConcurrency: 3,
          include: isWhole
            ? ["test/chaos/**/*.test.ts"]
            : ["test/chaos/{absence,cache-past,failover}.test.ts", "test/chaos/lifecycle/crash-*.test.ts"],
          globalSetup: ["test/chaos/global-setup.ts"],
          setupFiles: ["test/runner/note-run.ts"],
          maxWorkers: 3,
          isolate: false,
          sequence: { groupOrder: 3 },
          // A life takes a minute, more where the machine is slow; what must not take long says so itself.
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "e2e",
          // The operator among the things that it is run with: helm, Argo CD, Prometheus. `make e2e`.
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/e2e/global-setup.ts"],
          // Each file has a cluster of its own. Two cores carry two, and that of the alerts, which mostly wait.
          maxWorkers: 3,
          // All groups of alerts at once: the longest waits for three minutes.
          maxConcurrency: 8,
          sequence: { groupOrder: 4 },
          testTimeout: 300_000,
          hookTimeout: 900_000,
        },
      },
      {
        test: {
          name: "afterwards",
          // What the integration tests leave behind, before other tests use their control plane.
          include: ["test/afterwards/**/*.test.ts"],
          sequence: { groupOrder: 2 },
          testTimeout: 60_000,
        },
      },
    ],
    coverage: {
      provider: "v8",
      include: ["{src,simulator}/**/*.ts"],
      reportsDirectory: "coverage",
    },
  },
});
