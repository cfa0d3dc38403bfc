/** The processes of a control plane of a test's own, to be stopped and started by it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

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

/** A zombie is none, once all of its threads are: until then it may hold its port. */
async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  return status !== "" && (threads.length > 1 || !/^State:\s+[ZX]/m.test(status));
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

const Stand = z.object({ header: z.object({ revision: z.string() }) });

/**
 * Has etcd compact all that was before now, and give back the room that it took (etcd: "gRPC gateway").
 * @throws Error when it still knows what was
 */
export async function forget({ command }: Part): Promise<void> {
  const flag = "--listen-client-urls=";
  const url = command.find((one) => one.startsWith(flag))?.slice(flag.length) ?? "";
  const ask = (what: string, body: object): Promise<Response> =>
    fetch(`${url}/v3/${what}`, { method: "POST", body: JSON.stringify(body) });
  const told = async (what: string, body: object): Promise<unknown> => {
    const answer = await ask(what, body);
    if (!answer.ok) throw new Error(`etcd, ${what}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const { revision } = Stand.parse(await told("maintenance/status", {})).header;
  await told("kv/compaction", { revision, physical: true });
  await told("maintenance/defragment", {});
  const past = await ask("kv/range", { key: Buffer.from("/").toString("base64"), revision: Number(revision) - 1 });
  if (!(await past.text()).includes("has been compacted")) throw new Error("etcd still knows what was");
}
