/**
 * The tests that `make mutants` runs. scripts/mutants.ts limits them to the folder of a layer. A test that a mutant
 * hangs ends by vitest's own limit of five seconds, which is sooner than Stryker's.
 */
import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["**/*.test.ts"], isolate: false } });
