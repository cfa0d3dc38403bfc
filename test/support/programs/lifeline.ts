/**
 * `node lifeline.ts PROGRAM ARG…`, with an IPC channel: runs a program that does not watch its parent, and kills it
 * when the parent has exited, for any reason.
 */
import { spawn } from "node:child_process";

const [program = "", ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => child.kill(signal));
process.on("disconnect", () => child.kill("SIGKILL"));
child.on("exit", (code) => {
  process.exit(code ?? 1);
});
