import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { startSimulator, type Simulator } from "../../simulator/simulator.ts";
import { OPERATOR } from "../../src/operator/config/names.ts";
import { kubeconfigFor, kubectl } from "../control-plane/access.ts";
import { startControlPlane, type ControlPlane } from "../control-plane/control-plane.ts";
import { startOperator, type RunningOperator } from "../support/env/operator.ts";
import { defaults, project } from "../support/kube/manifests.ts";

const root = join(import.meta.dirname, "../..");
const token = "c4n4ry-of-the-stop-test";

let controlPlane: ControlPlane;
let simulator: Simulator;
let kubeconfig: string;
let operator: RunningOperator;

beforeAll(async () => {
  controlPlane = await startControlPlane({ crdsDir: join(root, "crds") });
  for (const file of ["namespace", "operator"]) {
    await kubectl(controlPlane, ["apply", "-f", "-"], {
      input: readFileSync(join(root, `deploy/rbac/${file}.yaml`), "utf8"),
    });
  }
  simulator = await startSimulator({ surface: "documented", speed: "instant", adminToken: token });
  kubeconfig = await kubeconfigFor(controlPlane, OPERATOR, OPERATOR);
  operator = await start();
});

afterAll(async () => {
  await operator.kill();
  await simulator.close();
  await controlPlane.stop();
});

function start(): Promise<RunningOperator> {
  const args = ["--allow-insecure-platform", "--allowed-platform-hosts=127.0.0.1", "--log-level=debug"];
  return startOperator({ kubeconfig, args });
}

function apply(...objects: readonly object[]): Promise<string> {
  const list = { apiVersion: "v1", kind: "List", items: objects };
  return kubectl(controlPlane, ["apply", "-n", "default", "-f", "-"], { input: JSON.stringify(list) });
}

const Project = z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()) }) });

async function annotationsOf(name: string): Promise<Readonly<Record<string, string>>> {
  const shown = await kubectl(controlPlane, ["get", "pproj", name, "-o", "json"]);
  return Project.parse(JSON.parse(shown)).metadata.annotations;
}

/** Waits until the create of a project is about to be sent, and slow. */
async function creating(name: string): Promise<void> {
  await vi.waitFor(
    async () => {
      expect(await annotationsOf(name)).toHaveProperty(["platform-operator.io/intent"]);
    },
    { timeout: 20_000, interval: 20 },
  );
}

function slowCreate(seconds: number): void {
  simulator.sim.faults.add({ match: { operation: "createProject" }, answer: { is: "slow", seconds } });
}

describe("the operator at its end", { timeout: 60_000 }, () => {
  it("[A7] waits for a create that is under way and records it; its log never held the token", async () => {
    slowCreate(2);
    await apply(...defaults({ platform: simulator }), project("shop"));
    await creating("shop");

    expect(await operator.stop()).toEqual({ code: 0, signal: null });

    const calls = simulator.journal().filter((entry) => "operation" in entry && entry.operation === "createProject");
    expect(calls).toHaveLength(1);
    const annotations = await annotationsOf("shop");
    expect(annotations).toHaveProperty(["platform-operator.io/external-id"]);
    expect(annotations).not.toHaveProperty(["platform-operator.io/intent"]);

    const log = operator.logs().map((line) => JSON.stringify(line));
    expect(log.at(-1)).toContain('"stopped"');
    expect(log).toContainEqual(expect.stringMatching(/"changed the platform".*"createProject"/));
    expect(log.filter((line) => line.includes(token))).toEqual([]);
  });

  it("ends with 1 at once on a second signal, whatever is under way", async () => {
    operator = await start();
    slowCreate(7);
    await apply(project("slow"));
    await creating("slow");
    const stopping = operator.stop();
    await vi.waitFor(() => {
      expect(operator.logs().at(-1)).toMatchObject({ message: "stopping" });
    });
    await operator.stop();
    expect(await stopping).toEqual({ code: 1, signal: null });
    expect(operator.logs().at(-1)).toMatchObject({ message: "stopping" });
  });
});
