/** The processes of a control plane of a test's own, to be stopped and started by it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { ControlPlaneFacts } from "../control-plane/control-plane.ts";

export interface Part {
  readonly pid: number;
  readonly command: readonly string[];
}

/** @returns the process of a control plane by its program's name, e.g. "etcd". @throws Error when there is none */
export async function partOf({ dir }: ControlPlaneFacts, program: string): Promise<Part> {
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const text = await readFile(`/proc/${entry}/cmdline`, "utf8").catch(() => "");
    const command = text.split("\0").slice(0, -1);
    // Its folder has a name that no other control plane has.
    if (basename(command[0] ?? "") === program && text.includes(dir)) return { pid: Number(entry), command };
  }
  throw new Error(`the control plane has no ${program}`);
}

/** Ends a process and waits until it is gone. */
export async function endPart({ pid }: Part, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  process.kill(pid, signal);
  // It is somebody else's child: there is nothing to wait for but its end.
  while (await isAlive(pid)) await sleep(50);
}

/** A zombie is none. */
async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return status !== "" && !/^State:\s+[ZX]/m.test(status);
}

/** Starts it again as it was. @returns the process, which the test has to end */
export function startPart({ command: [program = "", ...args] }: Part): ChildProcess {
  return spawn(program, args, { stdio: "ignore" });
}

/** Ends what `startPart` started. */
export async function endChild(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  if (child.exitCode !== null || child.signalCode !== null || !child.kill("SIGTERM")) return;
  await ended;
}
