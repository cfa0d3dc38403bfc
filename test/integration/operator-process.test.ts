import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { NODE_FLAGS } from "../../scripts/node-flags.ts";
import { OPERATOR, LEASE_NAME, LOG_LEVEL } from "../../src/operator/config/names.ts";
import { kubeconfigFor, kubectl } from "../control-plane/access.ts";
import { startControlPlane, type ControlPlane } from "../control-plane/control-plane.ts";
import { startOperator, type RunningOperator } from "../support/env/operator.ts";
import { project } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";

const root = join(import.meta.dirname, "../..");
const waiting = { timeout: 30_000, interval: 50 };

/** A control plane of its own, as its operator leads over all namespaces; without CRDs at first. */
let controlPlane: ControlPlane;
let kubeconfig: string;
let operator: RunningOperator | undefined;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  await apply("deploy/rbac/namespace.yaml");
  await apply("deploy/rbac/operator.yaml");
  kubeconfig = await kubeconfigFor(controlPlane, OPERATOR, OPERATOR);
});

afterAll(async () => {
  await operator?.kill();
  await controlPlane.stop();
});

async function apply(file: string): Promise<void> {
  await kubectl(controlPlane, ["apply", "-f", "-"], { input: readFileSync(join(root, file), "utf8") });
}

async function get(url: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(url);
  return { status: answer.status, text: await answer.text() };
}

const Lease = z.object({
  spec: z.object({ holderIdentity: z.string(), leaseDurationSeconds: z.number(), leaseTransitions: z.number() }),
});

async function lease() {
  const text = await kubectl(controlPlane, ["get", "lease", LEASE_NAME, "-n", OPERATOR, "-o", "json"]);
  return Lease.parse(JSON.parse(text)).spec;
}

async function leads(running: RunningOperator): Promise<void> {
  await vi.waitFor(() => {
    expect(running.logs()).toContainEqual(expect.objectContaining({ message: "leading" }));
  }, waiting);
}

describe("the operator as a process, as its ServiceAccount", { timeout: 90_000 }, () => {
  it("[B12] waits for missing CRDs, alive and saying so, and continues by itself", async ({ task }) => {
    operator = await startOperator({ kubeconfig, env: { POD_NAME: "operator-1" } });
    await vi.waitFor(() => {
      expect(operator?.logs()).toContainEqual(
        expect.objectContaining({
          level: "warn",
          kind: "PlatformProject",
          message: expect.stringContaining("waiting for its CRD to be installed"),
        }),
      );
    }, waiting);
    expect(await get(`${operator.healthUrl}/healthz`)).toEqual({ status: 200, text: "ok\n" });
    const ready = await get(`${operator.healthUrl}/readyz`);
    expect(ready).toEqual({
      status: 503,
      text: expect.stringMatching(/waiting for the first list of .*PlatformProject/),
    });

    for (const file of readdirSync(join(root, "crds"))) await apply(join("crds", file));
    await vi.waitFor(async () => {
      expect(await get(`${operator?.healthUrl ?? ""}/readyz`)).toEqual({ status: 200, text: "ok\n" });
    }, waiting);
    figure(task, "alive, not ready and saying why while CRDs are missing; ready by itself once they are there");
  });

  // Linux says what a process was started with and which signals it takes (proc(5)).
  it.runIf(existsSync("/proc/self/status"))("[S2] runs under the flags of Node, and no signal debugs it", () => {
    const { pid } = z.custom<RunningOperator>().parse(operator);
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    expect(command).toEqual(expect.arrayContaining(NODE_FLAGS.map(({ flag }) => flag)));
    expect(command.filter((arg) => arg.startsWith("--allow-fs-write"))).toEqual([]);
    const [, caught = ""] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    const takes = (signal: number): boolean => ((BigInt(`0x${caught}`) >> BigInt(signal - 1)) & 1n) === 1n;
    expect({ SIGUSR1: takes(constants.signals.SIGUSR1), SIGTERM: takes(constants.signals.SIGTERM) }).toEqual({
      SIGUSR1: false,
      SIGTERM: true,
    });
  });

  it("takes the lease and says so in its metrics", async () => {
    const running = z.custom<RunningOperator>().parse(operator);
    await leads(running);
    expect((await lease()).holderIdentity).toMatch(/^operator-1_/);
    const metrics = (await get(`${running.metricsUrl}/metrics`)).text;
    expect(metrics).toContain(`leader_election_master_status{name="${LEASE_NAME}"} 1`);
    expect(metrics).toMatch(/^rest_client_requests_total\{code="200",method="GET",host="127\.0\.0\.1:\d+"\} [1-9]/m);
    expect(metrics).toMatch(/^controller_runtime_reconcile_total\{controller="platformproject",result="success"\} 0$/m);
  });

  it("keeps a second process waiting, warm and ready, which takes over as soon as the first one stops", async () => {
    const first = z.custom<RunningOperator>().parse(operator);
    const second = await startOperator({ kubeconfig, env: { POD_NAME: "operator-2" } });
    operator = second;
    await vi.waitFor(async () => {
      expect((await get(`${second.healthUrl}/readyz`)).status).toBe(200);
    }, waiting);
    expect((await get(`${second.metricsUrl}/metrics`)).text).toContain(
      `leader_election_master_status{name="${LEASE_NAME}"} 0`,
    );

    expect(await first.stop()).toEqual({ code: 0, signal: null });
    expect(first.logs().at(-1)).toMatchObject({ message: "stopped", result: "clean" });
    await leads(second);
    expect((await lease()).holderIdentity).toMatch(/^operator-2_/);
  });

  it("works on an object that is created, and reports about it", async () => {
    const running = z.custom<RunningOperator>().parse(operator);
    await kubectl(controlPlane, ["apply", "-f", "-"], { input: JSON.stringify(project("alone")) });
    await vi.waitFor(async () => {
      const path = "{.status.conditions[?(@.type=='Ready')].reason}";
      expect(await kubectl(controlPlane, ["get", "pproj", "alone", "-o", `jsonpath=${path}`])).toBe(
        "ConnectionNotReady",
      );
    }, waiting);
    const metrics = (await get(`${running.metricsUrl}/metrics`)).text;
    expect(metrics).toContain('platform_operator_resources{kind="PlatformProject",ready="False"} 1');
  });

  it("logs as much as the annotation of its lease says, while it leads", async () => {
    const running = z.custom<RunningOperator>().parse(operator);
    const annotate = async (level: string): Promise<unknown> =>
      kubectl(controlPlane, ["annotate", "--overwrite", "lease", LEASE_NAME, "-n", OPERATOR, `${LOG_LEVEL}${level}`]);
    const expectLine = (wanted: object) => {
      expect(running.logs()).toContainEqual(expect.objectContaining(wanted));
    };
    await annotate("=info,kube=trace");
    await vi.waitFor(() => expectLine({ message: "the log level changed", to: "info,kube=trace" }), waiting);
    // Its own renewals of the lease.
    await vi.waitFor(() => expectLine({ level: "trace", logger: "kube", method: "PUT" }), waiting);
    await annotate("-");
    await vi.waitFor(() => expectLine({ message: "the log level changed", to: "that of the flag" }), waiting);
    await leads(running);
    const isLease = ({ message }: { readonly message?: unknown }) => String(message).includes("renew the lease");
    expect(running.logs().filter((line) => isLease(line) && line["level"] === "warn")).toEqual([]);
  });

  it("gives the lease back and ends with 0 on SIGTERM", async () => {
    const running = z.custom<RunningOperator>().parse(operator);
    // A stop that takes 10 s ends with 1.
    expect(await running.stop()).toEqual({ code: 0, signal: null });
    expect((await lease()).holderIdentity).toBe("");
    // Least privilege is enough: nothing was refused, but for kinds that the API server did not know yet.
    const lines = running.logs().map((line) => JSON.stringify(line));
    expect(lines.filter((line) => /Forbidden|Unauthorized|"level":"error"/.test(line))).toEqual([]);
  });

  it("works without leader election", async () => {
    operator = await startOperator({ kubeconfig, args: ["--leader-elect=false"] });
    await leads(operator);
    expect((await lease()).holderIdentity).toBe("");
    expect(await operator.stop()).toEqual({ code: 0, signal: null });
  });

  it("says what is wrong when it cannot start", async () => {
    const starting = startOperator({ kubeconfig: join(controlPlane.dir, "no-such-file") });
    await expect(starting).rejects.toThrow(/the operator ended \(1\):[^]*ENOENT[^]*cannot start/);
  });
});
