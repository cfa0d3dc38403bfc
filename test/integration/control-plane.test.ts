import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { afterAll, describe, expect, inject, it, vi } from "vitest";
import { z } from "zod";

import { kubeconfigFor, kubectl } from "../control-plane/access.ts";
import { isWrite, readAudit, serviceAccountUser } from "../control-plane/audit.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";

const shared = inject("controlPlane");
const askerPath = join(import.meta.dirname, "fixtures/asker.ts");
const waiting = { timeout: 10_000 };

describe("the shared control plane", () => {
  it("is a real API server of the pinned release", async () => {
    const version: unknown = JSON.parse(await kubectl(shared, ["version", "-o", "json"]));
    expect(version).toMatchObject({ serverVersion: { major: "1", minor: "36" } });
  });

  it("has its own namespaces from the start", async () => {
    expect(await kubectl(shared, ["get", "namespace", "kube-system", "default", "-o", "name"])).toBe(
      "namespace/kube-system\nnamespace/default\n",
    );
  });

  it("listens on loopback alone", () => {
    expect(new URL(shared.server).hostname).toBe("127.0.0.1");
  });

  it("says why kubectl failed", async () => {
    await expect(kubectl(shared, ["get", "namespace", "nowhere"])).rejects.toThrow(/"nowhere" not found/);
  });
});

describe("a ServiceAccount's kubeconfig", () => {
  const namespace = "control-plane-test";
  const user = serviceAccountUser(namespace, "reader");

  it("acts under that account, which RBAC holds to what it may, and its writes are in the audit log", async () => {
    await kubectl(shared, ["create", "namespace", namespace]);
    await kubectl(shared, ["create", "serviceaccount", "reader", "-n", namespace]);
    await kubectl(shared, ["create", "role", "writer", "-n", namespace, "--verb=create", "--resource=configmaps"]);
    const binding = ["--role=writer", `--serviceaccount=${namespace}:reader`, "-n", namespace];
    await kubectl(shared, ["create", "rolebinding", "writer", ...binding]);
    const kubeconfigPath = await kubeconfigFor(shared, namespace, "reader");

    await kubectl(shared, ["create", "configmap", "mine"], { kubeconfigPath });
    await expect(kubectl(shared, ["get", "secrets"], { kubeconfigPath })).rejects.toThrow(/Forbidden|forbidden/);

    await vi.waitFor(async () => {
      const mine = await readAudit(shared.auditLogPath, user);
      expect(mine.filter(isWrite)).toEqual([
        expect.objectContaining({
          verb: "create",
          userAgent: expect.stringMatching(/^kubectl\//),
          objectRef: expect.objectContaining({ resource: "configmaps", namespace, name: "mine", subresource: "" }),
          responseStatus: expect.objectContaining({ code: 201 }),
        }),
      ]);
      expect(mine.filter(({ responseStatus }) => responseStatus?.code === 403)).toHaveLength(1);
    }, waiting);
  });
});

describe("the end of a control plane", () => {
  const workdir = mkdtempSync(join(tmpdir(), "control-plane-test-"));

  afterAll(() => rmSync(workdir, { recursive: true, force: true }));

  it("leaves no process and no folder after stop, which may be called twice", async () => {
    const own = await startControlPlane({ workdir, auditLog: false });
    expect(processesOf(own.dir)).toHaveLength(3);
    expect(existsSync(own.auditLogPath)).toBe(false);
    await own.stop();
    await own.stop();
    expect(leftOf(own.dir)).toEqual([]);
  });

  it("leaves nothing after a start that fails, and says why", async () => {
    const starting = startControlPlane({ workdir, apiServerFlags: { "no-such-flag": "1" } });
    await expect(starting).rejects.toThrow(/kube-apiserver exited.*unknown flag: --no-such-flag/s);
    expect(readdirSync(workdir)).toEqual([]);
  });

  it.each(["SIGKILL", "SIGINT"] as const)("leaves nothing when its asker dies of %s", async (signal) => {
    const asker = spawn(process.execPath, [askerPath, workdir], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(createInterface({ input: asker.stdout }), "line");
    const dir = z.string().parse(line);
    expect(processesOf(dir)).toHaveLength(3);
    asker.kill(signal);
    await vi.waitFor(() => expect(leftOf(dir)).toEqual([]), waiting);
  });

  it("leaves nothing when its asker dies in the middle of the start", async () => {
    const asker = spawn(process.execPath, [askerPath, workdir], { stdio: "ignore" });
    const dir = join(workdir, await vi.waitFor(() => z.string().parse(readdirSync(workdir)[0]), waiting));
    // The guard and etcd are there, and the API server is not ready yet.
    await vi.waitFor(() => expect(processesOf(dir).length).toBeGreaterThanOrEqual(2), { ...waiting, interval: 10 });
    asker.kill("SIGKILL");
    await vi.waitFor(() => expect(leftOf(dir)).toEqual([]), waiting);
  });
});

/** The command lines of the processes that work in this folder. */
function processesOf(dir: string): string[] {
  const all = execFileSync("ps", ["-A", "-ww", "-o", "args="], { encoding: "utf8" });
  return all.split("\n").filter((line) => line.includes(dir));
}

function leftOf(dir: string): string[] {
  return [...processesOf(dir), ...(existsSync(dir) ? [dir] : [])];
}
