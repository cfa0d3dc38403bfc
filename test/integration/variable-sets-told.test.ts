/**
 * What a PlatformVariableSet sends of Secrets and ConfigMaps on a real control plane, and in which scope.
 */
import { beforeAll, describe, expect, it, vi } from "vitest";

import type { JsonObject } from "../../src/kube/api/types.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import type { Recording } from "../support/env/recording.ts";
import { defaults, resource, secret, tree } from "../support/kube/manifests.ts";

const KIND = "PlatformVariableSet";
const set = (name: string, spec: JsonObject): Manifest =>
  resource(KIND, name, { targets: [{ applicationRef: { name: "web" } }], ...spec });
const imports = (record: Recording): readonly unknown[] =>
  record.calls("importEnvironmentVariable").map(({ body }) => body);

describe.each(effort.few(["full", "documented"] as const))("variable sets on the %s surface", (surface) => {
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
});
