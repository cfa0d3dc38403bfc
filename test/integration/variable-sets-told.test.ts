/**
 * What a PlatformVariableSet sends and tells on a real control plane: sources, scopes, totals, failures, what is left.
 */
import { beforeAll, describe, expect, it, vi } from "vitest";

import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import type { Recording } from "../support/env/recording.ts";
import { idOf } from "../support/env/settling.ts";
import { defaults, resource, secret, tree } from "../support/kube/manifests.ts";

const KIND = "PlatformVariableSet";
const set = (name: string, spec: JsonObject): Manifest =>
  resource(KIND, name, { targets: [{ applicationRef: { name: "web" } }], ...spec });
const imports = (record: Recording): readonly unknown[] =>
  record.calls("importEnvironmentVariable").map(({ body }) => body);

describe.each(["documented", "full"] as const)("variable sets on the %s surface", (surface) => {
  const env = createEnv({ surface });
  const isFull = surface === "full";

  beforeAll(async () => {
    await env.apply(...defaults(env, { surface: isFull ? "Full" : "Documented" }), ...tree(env, "web"));
    await env.apply(secret("keys", { TOKEN: "hush" }), {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings" },
      data: { MODE: "fast", "not-a-name": "x" },
    });
    await env.waitFor("PlatformApplication", "web", { status: "True" });
    await env.settled();
  }, 60_000);

  it("take whole Secrets and ConfigMaps, and send a scope only where one is set or needed", async () => {
    const record = await env.record();
    const variablesFrom = [{ secretRef: { name: "keys" }, prefix: "API_" }, { configMapRef: { name: "settings" } }];
    await env.apply(set("whole", { variablesFrom }));
    const { status } = await env.waitFor(KIND, "whole", { status: "True" });
    const scope = isFull ? { scope: "APPLICATION" } : {};
    const vars = [
      expect.objectContaining({ name: "API_TOKEN", is_secret: true, ...scope }) as unknown,
      expect.objectContaining({ name: "MODE", is_secret: false, ...scope }) as unknown,
    ];
    expect(imports(record)).toEqual([{ overwrite: false, vars: expect.arrayContaining(vars) as unknown }]);
    expect(JSON.stringify(imports(record)).includes('"scope"')).toBe(isFull);
    expect(status).toMatchObject({
      targets: [{ name: "web", total: 2, imported: 2, secretKeys: [{ key: "API_TOKEN" }] }],
      skippedKeys: [expect.stringContaining("not-a-name")],
    });
    const later = await env.record();
    await env.apply(set("wide", { scope: "ENVIRONMENT", variables: [{ name: "REGION", value: "eu" }] }));
    await vi.waitFor(() => expect(imports(later)).toHaveLength(1), { timeout: 20_000 });
    expect(imports(later)).toEqual([
      { overwrite: false, vars: [{ name: "REGION", value: "eu", is_secret: false, scope: "ENVIRONMENT" }] },
    ]);
  });

  it("tell per application how many are in place, and name those that the platform did not take", async () => {
    env.platform.sim.settings.refusedVariables = ["ODD"];
    const variables = ["EVEN", "ODD"].map((name) => ({ name, value: "1" }));
    await env.apply(set("partly", { variables }));
    const partly = await env.waitFor(KIND, "partly", ({ status }) => JSON.stringify(status).includes('"failed"'));
    expect(partly.status).toMatchObject({ targets: [{ total: 2, imported: 1, failed: ["ODD"] }] });
    expect(condition(partly, "VariablesSynced")).toMatchObject({
      status: "False",
      message: expect.stringContaining("ODD"),
    });
    env.platform.sim.settings.refusedVariables = [];
    await env.remove(KIND, "partly");
  });

  it("remove what is taken out where the surface can, only what they created, and else name what is left", async () => {
    const at = idOf(await env.get("PlatformApplication", "web"));
    const there = (): readonly string[] =>
      [...env.platform.world().variables.values()].filter(({ parentId }) => parentId === at).map(({ key }) => key);
    await env.apply(set("foreign", { variables: [{ name: "THEIRS", value: "1" }] }));
    await env.waitFor(KIND, "foreign", { status: "True" });
    await env.settled();
    await env.remove(KIND, "foreign");
    await env.waitGone(KIND, "foreign");
    const variables = ["THEIRS", "OURS", "STAYS"].map((name) => ({ name, value: "1" }));
    await env.apply(set("pruned", { overwrite: true, variables }));
    await env.waitFor(KIND, "pruned", { status: "True" });
    await env.settled();
    const record = await env.record();
    await env.patch(KIND, "pruned", { spec: { variables: variables.slice(2) } });
    const { status } = await env.waitFor(
      KIND,
      "pruned",
      (object) => condition(object, "Ready")?.observedGeneration === 2,
    );
    await env.settled();
    expect(there()).toContain("THEIRS");
    expect(there().includes("OURS")).toBe(!isFull);
    const deleted = record.changes().filter((one) => one.startsWith("delete"));
    expect(deleted).toEqual(isFull ? ["deleteApplicationVariable"] : []);
    const left = isFull ? {} : { unprunableKeys: ["OURS"] };
    expect(status).toMatchObject({ targets: [{ total: 1, imported: 1, ...left }] });
  });
});
