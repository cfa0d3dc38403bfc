/**
 * The tests that `make mutants` runs. scripts/mutants.ts limits them to the folder of a layer. If a mutant makes a test
 * hang, vitest's own limit of five seconds ends the test before Stryker's limit does.
 */
import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["**/*.test.ts"], isolate: false } });
