import { describe, expect, it, onTestFinished } from "vitest";

import type { JsonObject } from "../../../src/kube/api/types.ts";
import { effort } from "../../support/env/effort.ts";
import { connection, environment, project, secret } from "../../support/kube/manifests.ts";
import { tcpProxy } from "../../support/kube/tcp-proxy.ts";
import { MINUTE } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import type { OperatorEnv } from "../../support/platform/operator-env.ts";
import { living, readiness, SURFACES, unready } from "./restores.ts";

/** The readiness of what stands for something of the platform, or writes into it. */
const placed = (env: OperatorEnv): readonly string[] =>
  readiness(env).filter((line) => !/^Platform(Connection|Operation) /.test(line));

const CHANGES: readonly (readonly [kind: string, name: string, spec: JsonObject])[] = [
  ["PlatformProject", "shop", { description: "Another" }],
  ["PlatformEnvironment", "staging", { mode: "STAGING" }],
  ["PlatformApplication", "api", { memory: 1_024 }],
  ["PlatformDatabase", "main", { runState: "Stopped" }],
  ["PlatformVariableSet", "shared", { variables: [{ name: "OTHER", value: "1" }] }],
  ["PlatformBinding", "addons", { layerSelections: { observability: false } }],
];

/** Wants something else of every object that has settings, and waits, over a restart. */
async function changeAll(env: OperatorEnv): Promise<void> {
  for (const [kind, name, spec] of CHANGES) env.cluster.patch(kind, name, { spec });
  await env.run(15 * MINUTE);
  await env.restart();
  await env.run(15 * MINUTE);
}

describe.each(effort.few(["documented", "full"] as const))("[R1] a connection created again, %s surface", (surface) => {
  it.each(["host", "organization"] as const)("to another %s: ConnectionChanged, nothing is written", async (what) => {
    const env = await living(surface);
    const from = env.baseline();
    const proxy = await tcpProxy(Number(new URL(env.platform.url).port));
    onTestFinished(() => proxy.stop());
    const { otherOrganizationId, tokens } = env.platform;
    env.cluster.remove("PlatformConnection", "default");
    await env.run(MINUTE);
    if (what === "organization") env.apply(secret("default", { token: tokens.foreign }));
    const elsewhere: JsonObject =
      what === "host" ? { baseUrl: `http://127.0.0.1:${proxy.port}` } : { organizationId: otherOrganizationId };
    env.apply(connection(env, "default", { allowUnverifiedIds: true, ...elsewhere }));
    await env.run(5 * MINUTE);
    await changeAll(env);
    expect(placed(env)).toHaveLength(9);
    expect(placed(env).filter((line) => !line.endsWith(": False/ConnectionChanged"))).toEqual([]);
    expect(env.writes(from)).toEqual([]);
    // Deleted now, they leave what the other place has alone.
    for (const { kind, metadata } of env.cluster.all()) env.cluster.remove(kind, metadata.name);
    await env.run(15 * MINUTE);
    expect(env.cluster.all()).toEqual([]);
    expect(env.writes(from)).toEqual([]);
  });

  it("to the same organization on the same host: everything goes on", async ({ task }) => {
    const env = await living(surface);
    const from = env.baseline();
    env.cluster.remove("PlatformConnection", "default");
    await env.run(MINUTE);
    env.apply(connection(env, "default", { allowUnverifiedIds: true }));
    await env.run(15 * MINUTE);
    expect(env.writes(from)).toEqual([]);
    expect(unready(env)).toEqual([]);
    env.cluster.patch("PlatformVariableSet", "shared", { spec: { variables: [{ name: "OTHER", value: "1" }] } });
    await env.run(5 * MINUTE);
    expect(env.writes(from)).toContain("importEnvironmentVariable");
    figure(task, "0 writes to another place", 2 * placed(env).length);
  });
});

describe.each(SURFACES)("[R1] a parent of the same name that is another object, %s surface", (surface) => {
  it.each([
    ["project", ["PlatformEnvironment staging"]],
    ["environment", ["PlatformApplication api", "PlatformBlueprint cache", "PlatformDatabase main"]],
  ] as const)("%s: ParentChanged, nothing is written for its children", async (what, children) => {
    const env = await living(surface);
    const other = { name: "other" };
    const parent = what === "project" ? project("shop", other) : environment(env, "staging", "shop", other);
    const { kind, metadata } = parent;
    env.cluster.remove(kind, metadata.name);
    await env.run(MINUTE);
    env.apply(parent);
    await env.run(5 * MINUTE);
    expect(env.condition(kind, metadata.name)).toBe("True/Available");
    const from = env.changes.length;
    await changeAll(env);
    const changed = readiness(env).filter((line) => line.endsWith(": False/ParentChanged"));
    expect(changed).toEqual(children.map((child) => `${child}: False/ParentChanged`));
    const written = env.changes.slice(from).map(({ key }) => `${key.kind} ${key.name}`);
    expect(written.filter((one) => (children as readonly string[]).includes(one))).toEqual([]);
  });
});
