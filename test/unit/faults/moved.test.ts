import { describe, expect, it, onTestFinished } from "vitest";

import type { JsonObject } from "../../../src/kube/api/types.ts";
import { everyKind } from "../../support/examples/every-kind.ts";
import { connection, environment, project, secret } from "../../support/kube/manifests.ts";
import { readiness } from "../../support/kube/restores.ts";
import { tcpProxy } from "../../support/kube/tcp-proxy.ts";
import { figure } from "../../support/platform/figure.ts";
import { operatorBench, type OperatorBench } from "../../support/platform/operator-env.ts";

const MINUTE = 60_000;
/** What stands for something of the platform, or writes into it. */
const PLACED = [
  "PlatformApplication api",
  "PlatformBinding addons",
  "PlatformBlueprint cache",
  "PlatformCluster own",
  "PlatformDatabase main",
  "PlatformEnvironment staging",
  "PlatformProject shop",
  "PlatformVariableSet shared",
  "PlatformWebhook hook",
];

async function everything(surface: "full" | "documented"): Promise<OperatorBench> {
  const bench = await operatorBench({ surface });
  bench.apply(...everyKind(bench));
  await bench.run(15 * MINUTE);
  return bench;
}

/** Wants something else of every object that has settings. */
function changeAll({ cluster }: OperatorBench): void {
  const change = (kind: string, name: string, members: JsonObject): void => {
    cluster.spec(kind, name, { ...(cluster.get(kind, name).spec as object), ...members });
  };
  change("PlatformProject", "shop", { description: "Another" });
  change("PlatformEnvironment", "staging", { mode: "STAGING" });
  change("PlatformApplication", "api", { memory: 1_024 });
  change("PlatformDatabase", "main", { runState: "Stopped" });
  change("PlatformVariableSet", "shared", { variables: [{ name: "OTHER", value: "1" }] });
  change("PlatformBinding", "addons", { layerSelections: { observability: false } });
}

describe.each(["full", "documented"] as const)(
  "[R1] a connection that is made anew, %s surface",
  { timeout: 60_000 },
  (surface) => {
    it.each(["host", "organization"] as const)("to another %s: ConnectionChanged, nothing is written", async (what) => {
      const bench = await everything(surface);
      const from = bench.mark();
      const proxy = await tcpProxy(Number(new URL(bench.platform.url).port));
      onTestFinished(() => proxy.stop());
      const { otherOrganizationId, tokens } = bench.platform;
      bench.cluster.remove("PlatformConnection", "default");
      await bench.run(MINUTE);
      if (what === "organization") bench.apply(secret("default", { token: tokens.foreign }));
      const elsewhere: JsonObject =
        what === "host" ? { baseUrl: `http://127.0.0.1:${proxy.port}` } : { organizationId: otherOrganizationId };
      bench.apply(connection(bench, "default", { allowUnverifiedIds: true, ...elsewhere }));
      await bench.run(5 * MINUTE);
      changeAll(bench);
      await bench.run(15 * MINUTE);
      await bench.restart();
      await bench.run(15 * MINUTE);
      const told = readiness(bench).filter((line) => PLACED.some((name) => line.startsWith(name)));
      expect(told).toEqual(PLACED.map((name) => `${name}: False/ConnectionChanged`));
      expect(bench.writes(from)).toEqual([]);
      // Deleted now, they leave what the other place has alone.
      for (const { kind, metadata } of bench.cluster.all()) bench.cluster.remove(kind, metadata.name);
      await bench.run(15 * MINUTE);
      expect(bench.cluster.all()).toEqual([]);
      expect(bench.writes(from)).toEqual([]);
    });

    it("to the same organization on the same host: everything goes on", async ({ task }) => {
      const bench = await everything(surface);
      const from = bench.mark();
      bench.cluster.remove("PlatformConnection", "default");
      await bench.run(MINUTE);
      bench.apply(connection(bench, "default", { allowUnverifiedIds: true }));
      await bench.run(15 * MINUTE);
      expect(bench.writes(from)).toEqual([]);
      expect(readiness(bench).filter((line) => !line.includes(": True/"))).toEqual([]);
      const spec = bench.get("PlatformVariableSet", "shared").spec as object;
      bench.cluster.spec("PlatformVariableSet", "shared", { ...spec, variables: [{ name: "OTHER", value: "1" }] });
      await bench.run(5 * MINUTE);
      expect(bench.writes(from)).toContain("importEnvironmentVariable");
      figure(task, "0 writes to another place", 2 * PLACED.length);
    });
  },
);

describe.each(["full", "documented"] as const)(
  "[R1] a parent of the same name that is another object, %s surface",
  { timeout: 60_000 },
  (surface) => {
    it.each([
      ["project", ["PlatformEnvironment staging"]],
      ["environment", ["PlatformApplication api", "PlatformBlueprint cache", "PlatformDatabase main"]],
    ] as const)("%s: ParentChanged, nothing is written for its children", async (what, children) => {
      const bench = await everything(surface);
      const [kind, name] = what === "project" ? ["PlatformProject", "shop"] : ["PlatformEnvironment", "staging"];
      bench.cluster.remove(kind, name);
      await bench.run(MINUTE);
      bench.apply(
        what === "project" ? project(name, { name: "other" }) : environment(bench, name, "shop", { name: "other" }),
      );
      await bench.run(5 * MINUTE);
      expect(bench.told(kind, name)).toBe("True/Available");
      const from = bench.changes.length;
      changeAll(bench);
      await bench.run(15 * MINUTE);
      await bench.restart();
      await bench.run(15 * MINUTE);
      const told = readiness(bench).filter((line) => line.endsWith(": False/ParentChanged"));
      expect(told).toEqual(children.map((child) => `${child}: False/ParentChanged`));
      const written = bench.changes.slice(from).map(({ key }) => `${key.kind} ${key.name}`);
      expect(written.filter((one) => (children as readonly string[]).includes(one))).toEqual([]);
    });
  },
);
