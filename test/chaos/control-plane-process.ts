/** Stops and starts the processes of a test's own control plane. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

import type { ControlPlaneFacts } from "../control-plane/control-plane.ts";

export interface ControlPlaneProcess {
  readonly pid: number;
  readonly command: readonly string[];
}

/** Finds a process of a control plane by its program, e.g. "etcd". @throws Error if there is none */
export async function findProcess({ dir }: ControlPlaneFacts, program: string): Promise<ControlPlaneProcess> {
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const text = await readFile(`/proc/${entry}/cmdline`, "utf8").catch(() => "");
    const command = text.split("\0").slice(0, -1);
    // The directory's name is unique to the control plane.
    if (basename(command[0] ?? "") === program && text.includes(dir)) return { pid: Number(entry), command };
  }
  throw new Error(`the control plane has no ${program}`);
}

/** Sends a signal and waits until the process is gone. */
export async function stopProcess({ pid }: ControlPlaneProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  process.kill(pid, signal);
  // Polls, as only a process's parent is notified of its exit.
  while (await isAlive(pid)) await sleep(50);
}

/** A zombie counts as alive while it has other threads, as it may still hold its port. */
async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  return status !== "" && (threads.length > 1 || !/^State:\s+[ZX]/m.test(status));
}

/** Starts a process with the same command; the test has to call `endChild`. */
export function startProcess({ command: [program = "", ...args] }: ControlPlaneProcess): ChildProcess {
  return spawn(program, args, { stdio: "ignore" });
}

export async function endChild(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  if (child.exitCode !== null || child.signalCode !== null || !child.kill("SIGTERM")) return;
  await ended;
}

const Status = z.object({ header: z.object({ revision: z.string() }) });

/** Compacts etcd's history and defragments it (etcd: "gRPC gateway"). @throws Error if an old revision is left */
export async function compact({ command }: ControlPlaneProcess): Promise<void> {
  const flag = "--listen-client-urls=";
  const url = command.find((argument) => argument.startsWith(flag))?.slice(flag.length) ?? "";
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${url}/v3/${path}`, { method: "POST", body: JSON.stringify(body) });
  const request = async (path: string, body: object): Promise<unknown> => {
    const answer = await post(path, body);
    if (!answer.ok) throw new Error(`etcd, ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const { revision } = Status.parse(await request("maintenance/status", {})).header;
  await request("kv/compaction", { revision, physical: true });
  await request("maintenance/defragment", {});
  const past = await post("kv/range", { key: Buffer.from("/").toString("base64"), revision: Number(revision) - 1 });
  if (!(await past.text()).includes("has been compacted")) throw new Error("etcd still has an old revision");
}
