/**
 * `node lifeline.ts PROGRAM ARG…`, with an IPC channel: runs a program that knows nothing of its parent, and ends it
 * when the parent is gone, however that died.
 */
import { spawn } from "node:child_process";

const [program = "", ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => child.kill(signal));
process.on("disconnect", () => child.kill("SIGKILL"));
child.on("exit", (code) => {
  process.exit(code ?? 1);
});
