import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const main = join(import.meta.dirname, "../demo/main.ts");

let folder: string;
let running: ChildProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "demo-test-"));
  running = [];
});
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the demo as `make demo` does, without a terminal, with a folder for temporary files of its own. */
function demo(...args: readonly string[]) {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, TMPDIR: folder, FORCE_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  running.push(child);
  // Everything that it wrote so far, and its exit code.
  return { child, text: () => text, ended: once(child, "close").then(([code]) => code as unknown) };
}

function pids(text: string): readonly number[] {
  return [...text.matchAll(/operator: pid (\d+)/g)].map(([, pid]) => Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("make demo", () => {
  it("ends with the quickstart Ready, having shown a bad commit and its recovery", async () => {
    const { text, ended } = demo("--once", "--scenario", "bad-commit", "--speed", "60");
    expect(await ended, text()).toBe(0);
    const said = text();
    for (const line of [
      /control plane: kube-apiserver and etcd, https:\/\/127\.0\.0\.1:/,
      /operator: status page http:\/\/127\.0\.0\.1:\d+\n/,
      /✔ connection default {2}Available: /,
      /Ready=False BuildFailed: The platform reports BUILD_ERROR for commit bad0c0d\./,
      /Stalled=True BuildFailed: /,
      /Warning +BuildFailed +PlatformApplication\/api /,
      /Ready=True Deployed: Commit 900d1de is deployed\./,
      // The tree.
      /^├─ ✔ environment production .*\n│ {2}└─ ✔ application web 9f8e7d6 {2}DEPLOYED {2}Deployed /m,
      // kubectl get platform -A.
      /^shop +platformapplication\.platform-operator\.io\/api +True +Deployed +DEPLOYED +900d1de /m,
      /^shop +platformbinding\.platform-operator\.io\/essentials +True +Bound +kubernetes-essentials +1\.2\.0 +3\/3 /m,
      / {2}export KUBECONFIG=\S+ PATH=\S+:\$PATH\n/,
    ]) {
      expect(said).toMatch(line);
    }
    expect(said).not.toContain("\u001B");
    expect(pids(said).filter(isAlive)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  }, 120_000);

  it("starts a killed operator again, and leaves nothing when it is killed itself", async () => {
    const { child, text, ended } = demo();
    const wait = { timeout: 60_000, interval: 100 };
    await vi.waitFor(() => expect(pids(text())).toHaveLength(1), wait);
    process.kill(pids(text())[0]!, "SIGKILL");
    await vi.waitFor(() => expect(pids(text())).toHaveLength(2), wait);
    expect(text()).toContain("ended (SIGKILL); starting it again");
    child.kill("SIGKILL");
    await ended;
    await vi.waitFor(() => {
      expect(pids(text()).filter(isAlive)).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    }, wait);
  }, 180_000);
});
