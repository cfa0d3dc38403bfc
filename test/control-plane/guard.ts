/**
 * The control plane's parent process. It is detached from whoever asked for it and ends everything, the folder
 * included, as soon as its standard input closes: by `stop()`, by Ctrl-C and by SIGKILL of the asker alike.
 * Arguments: one JSON object. Standard output: one JSON line, once the control plane is up or has failed.
 */
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { startEnvironment } from "./envtest.ts";
import { type GuardAnswer, GuardOrder } from "./guard-protocol.ts";

const order = GuardOrder.parse(JSON.parse(process.argv[2] ?? ""));

// Signals reach the whole process group: the children obey, this process stays to clean up after them.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
// Nobody reads any more once the asker is dead.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const closed = new Promise<void>((resolve) => {
  process.stdin.on("end", resolve).on("error", resolve).resume();
});

const starting = startEnvironment(order);
const settled = starting.then(
  (environment) => say({ is: "up", server: environment.server, kubeconfigPath: environment.kubeconfigPath }),
  (error: unknown) => say({ is: "failed", message: error instanceof Error ? error.message : String(error) }),
);
await closed;
await endStart();
await starting.then(
  (environment) => environment.stop(),
  () => {},
);
await rm(order.dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
process.exit(0);

/** Waits for the start to come to an end; one that is under way is made to fail. */
async function endStart(): Promise<void> {
  const outcome = settled.then(() => "settled");
  while ((await Promise.race([outcome, sleep(250, "under way")])) === "under way")
    process.kill(-process.pid, "SIGTERM");
}

function say(answer: GuardAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
