/** The tests that `make mutants` runs. scripts/mutants.ts limits them to the folder of a layer. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["**/*.test.ts"], isolate: false, testTimeout: 60_000 },
});
