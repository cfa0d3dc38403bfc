import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { OPERATOR } from "../../src/app/rbac.ts";
import { startSimulator, type Simulator } from "../../src/simulator/simulator.ts";
import { kubeconfigFor, kubectl } from "../control-plane/access.ts";
import { startControlPlane, type ControlPlane } from "../control-plane/control-plane.ts";
import { startOperator, type RunningOperator } from "../support/operator.ts";

const root = join(import.meta.dirname, "../..");
const token = "c4n4ry-of-the-stop-test";

let controlPlane: ControlPlane;
let simulator: Simulator;
let operator: RunningOperator;

beforeAll(async () => {
  controlPlane = await startControlPlane({ crdsDir: join(root, "crds") });
  for (const file of ["namespace", "operator"]) {
    await kubectl(controlPlane, ["apply", "-f", "-"], {
      input: readFileSync(join(root, `deploy/rbac/${file}.yaml`), "utf8"),
    });
  }
  simulator = await startSimulator({ surface: "documented", speed: "instant", adminToken: token });
  operator = await startOperator({
    kubeconfig: await kubeconfigFor(controlPlane, OPERATOR, OPERATOR),
    args: ["--allow-insecure-platform", "--allowed-platform-hosts=127.0.0.1", "--log-level=debug"],
  });
});

afterAll(async () => {
  await operator.kill();
  await simulator.close();
  await controlPlane.stop();
});

function apply(...objects: readonly object[]): Promise<string> {
  const list = { apiVersion: "v1", kind: "List", items: objects };
  return kubectl(controlPlane, ["apply", "-n", "default", "-f", "-"], { input: JSON.stringify(list) });
}

const Project = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()) }),
});

describe("the operator at its end", { timeout: 60_000 }, () => {
  it("waits for a create that is under way and records it; its log never held the token", async () => {
    simulator.sim.faults.add({ match: { operation: "createProject" }, answer: { is: "slow", seconds: 2 } });
    const apiVersion = "platform-operator.io/v1alpha1";
    await apply(
      { apiVersion: "v1", kind: "Secret", metadata: { name: "platform" }, stringData: { token } },
      {
        apiVersion,
        kind: "PlatformConnection",
        metadata: { name: "default" },
        spec: {
          baseUrl: simulator.url,
          organizationId: simulator.organizationId,
          auth: { tokenSecretRef: { name: "platform" } },
        },
      },
      { apiVersion, kind: "PlatformProject", metadata: { name: "shop" }, spec: { name: "shop" } },
    );
    const creates = () =>
      simulator.journal().filter((entry) => "operation" in entry && entry.operation === "createProject");
    await vi.waitFor(
      async () => {
        const shown = await kubectl(controlPlane, ["get", "pproj", "shop", "-o", "json"]);
        expect(Project.parse(JSON.parse(shown)).metadata.annotations).toHaveProperty(["platform-operator.io/intent"]);
      },
      { timeout: 20_000, interval: 20 },
    );

    expect(await operator.stop()).toEqual({ code: 0, signal: null });

    expect(creates()).toHaveLength(1);
    const shown = await kubectl(controlPlane, ["get", "pproj", "shop", "-o", "json"]);
    const { annotations } = Project.parse(JSON.parse(shown)).metadata;
    expect(annotations).toHaveProperty(["platform-operator.io/external-id"]);
    expect(annotations).not.toHaveProperty(["platform-operator.io/intent"]);

    const log = operator.logs().map((line) => JSON.stringify(line));
    expect(log.at(-1)).toContain('"stopped"');
    expect(log).toContainEqual(expect.stringMatching(/"changed the platform".*"createProject"/));
    expect(log.filter((line) => line.includes(token))).toEqual([]);
  });
});
