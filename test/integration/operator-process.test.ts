import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";

import { NODE_FLAGS } from "../../scripts/image.ts";
import { OPERATOR, LEASE_NAME, LOG_LEVEL } from "../../src/config/names.ts";
import type { ConnectedClient } from "../../src/kube/api/client.ts";
import { kubeconfigFor, kubectl } from "../control-plane/access.ts";
import { startControlPlane, type ControlPlane } from "../control-plane/control-plane.ts";
import { clientAt, cluster } from "../support/env/cluster.ts";
import { startOperator, type OperatorStart, type RunningOperator } from "../support/env/operator.ts";
import { figure } from "../support/platform/figure.ts";

const root = join(import.meta.dirname, "../..");
const waiting = { timeout: 30_000, interval: 50 };

/** A control plane of its own, as its operator leads over all namespaces; without CRDs at first. */
let controlPlane: ControlPlane;
let client: ConnectedClient;
let kubeconfig: string;
let operator: RunningOperator | undefined;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  client = clientAt(controlPlane.kubeconfigPath, "operator-process");
  // In the order of the files' names.
  await kubectl(controlPlane, ["apply", "-f", join(root, "deploy/rbac")]);
  kubeconfig = await kubeconfigFor(controlPlane, OPERATOR, OPERATOR);
});

afterAll(async () => {
  await operator?.kill();
  await client.close();
  await controlPlane.stop();
});

const start = async (options: Partial<OperatorStart>): Promise<RunningOperator> =>
  startOperator({ kubeconfig, program: inject("program"), ...options });

const running = (): RunningOperator => operator ?? expect.fail("no operator runs");

async function get(url: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(url);
  return { status: answer.status, text: await answer.text() };
}

const inOperators = cluster(() => client, OPERATOR);

const logs = (from: RunningOperator, wanted: object): Promise<void> =>
  vi.waitFor(() => expect(from.logs()).toContainEqual(expect.objectContaining(wanted)), waiting);

describe("the operator as a process with the rights of its ServiceAccount", () => {
  it("[B12] is alive and not ready while CRDs are missing, names the missing kind, and becomes ready once they exist", async ({
    task,
  }) => {
    operator = await start({ env: { POD_NAME: "operator-1" } });
    const message: unknown = expect.stringContaining("waiting for its CRD to be installed");
    await logs(operator, { level: "warn", kind: "PlatformProject", message });
    const { healthUrl } = operator;
    const ok = { status: 200, text: "ok\n" };
    expect(await get(`${healthUrl}/healthz`)).toEqual(ok);
    expect(await get(`${healthUrl}/readyz`)).toEqual({
      status: 503,
      text: expect.stringMatching(/waiting for the first list of .*PlatformProject/),
    });

    await kubectl(controlPlane, ["apply", "-f", join(root, "crds")]);
    await vi.waitFor(async () => expect(await get(`${healthUrl}/readyz`)).toEqual(ok), waiting);
    figure(task, "alive, not ready and saying why while CRDs are missing; ready by itself once they are there");
  });

  // Linux says what a process was started with and which signals it takes (proc(5)).
  it.runIf(existsSync("/proc/self/status"))("[S2] runs restricted by Node, and no signal debugs it", () => {
    const { pid } = running();
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    expect(command).toEqual(expect.arrayContaining(NODE_FLAGS.map(({ flag }) => flag)));
    expect(command.filter((arg) => arg.startsWith("--allow-fs-write"))).toEqual([]);
    const [, caught = ""] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    const takes = (signal: number): boolean => ((BigInt(`0x${caught}`) >> BigInt(signal - 1)) & 1n) === 1n;
    expect(takes(constants.signals.SIGUSR1), "has a handler for SIGUSR1").toBe(false);
    expect(takes(constants.signals.SIGTERM), "has a handler for SIGTERM").toBe(true);
  });

  it("changes its log level by the annotation of its lease while it is the leader", async () => {
    const annotate = async (level: string | null): Promise<void> =>
      inOperators.annotate("Lease", LEASE_NAME, { [LOG_LEVEL]: level });
    await logs(running(), { message: "leading" });
    await annotate("info,kube=trace");
    await logs(running(), { message: "the log level changed", to: "info,kube=trace" });
    // Its own renewals of the lease.
    await logs(running(), { level: "trace", logger: "kube", method: "PUT" });
    await annotate(null);
    await logs(running(), { message: "the log level changed", to: "that of the flag" });
    const isLease = ({ message }: { readonly message?: unknown }) => String(message).includes("renew the lease");
    const lines = running().logs();
    expect(lines.filter((line) => isLease(line) && line["level"] === "warn")).toEqual([]);
  });

  it("exits with 1 and the reason when it cannot start", async () => {
    const starting = start({ kubeconfig: join(controlPlane.dir, "no-such-file") });
    await expect(starting).rejects.toThrow(/the operator ended \(1\):[^]*ENOENT[^]*cannot start/);
  });
});
