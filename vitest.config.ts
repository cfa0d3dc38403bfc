import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/unit/**/*.test.ts", "test/demo/**/*.test.ts"],
          // Twelve times faster, and a test that leaks module state into the next one fails here.
          isolate: false,
          pool: "threads",
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          globalSetup: ["test/integration/global-setup.ts"],
          // Files keep to namespaces of their own and mostly wait; on two cores, three at once take less than half the time.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          // Real servers on a machine that is busy with something else: a second look, which the report shows.
          retry: 1,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      reportsDirectory: "coverage",
    },
  },
});
