import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";

import { SCENARIOS } from "../demo/scenarios/index.ts";
import { runToEnd } from "../support/programs/programs.ts";

const main = join(import.meta.dirname, "../demo/main.ts");
const folder = mkdtempSync(join(tmpdir(), "demo-test-"));
/** A folder for temporary files of its own. */
const env = { ...process.env, TMPDIR: folder, FORCE_COLOR: "1" };

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

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

// Without a terminal.
describe("make demo", () => {
  it("with ONCE=1 shows a bad commit and its recovery, and exits with everything Ready and no process left", async () => {
    const args = [main, "--once", "--scenario", "bad-commit", "--speed", "60"];
    const { code, stdout, stderr } = await runToEnd(process.execPath, args, { env });
    const said = stdout + stderr;
    expect(code, said).toBe(0);
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
      /^Everything is Ready\. Without ONCE=1 the demo keeps running, /m,
    ]) {
      expect(said).toMatch(line);
    }
    expect(said).not.toContain("\u001B");
    expect(pids(said).filter(isAlive)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  }, 120_000);

  const others = SCENARIOS.map(({ name }) => name).filter((name) => name !== "bad-commit");
  it.each(others)("with ONCE=1 shows the scenario %s to its end", { timeout: 120_000 }, async (name) => {
    const { code, stdout, stderr } = await runToEnd(process.execPath, [main, "--once", "--scenario", name], { env });
    expect(code, stdout + stderr).toBe(0);
  });

  it("starts a killed operator again, and leaves no process and no file when it is killed itself", async () => {
    const child = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    const wait = { timeout: 60_000, interval: 100 };
    await vi.waitFor(() => expect(pids(text)).toHaveLength(1), wait);
    process.kill(pids(text)[0]!, "SIGKILL");
    await vi.waitFor(() => expect(pids(text)).toHaveLength(2), wait);
    expect(text).toContain("ended (SIGKILL); starting it again");
    child.kill("SIGKILL");
    await once(child, "close");
    await vi.waitFor(() => {
      expect(pids(text).filter(isAlive)).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    }, wait);
  }, 180_000);
});
