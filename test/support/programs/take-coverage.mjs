/** Preloaded into a program with NODE_V8_COVERAGE: at SIGUSR2 it writes what ran since the last one. */
import { takeCoverage } from "node:v8";

process.on("SIGUSR2", () => takeCoverage());
