import { describe, expect, it, onTestFinished } from "vitest";

import type { JsonObject } from "../../../src/kube/api/types.ts";
import { effort } from "../../support/env/effort.ts";
import { connection, secret } from "../../support/kube/manifests.ts";
import { tcpProxy } from "../../support/kube/tcp-proxy.ts";
import { MINUTE } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import type { OperatorEnv } from "../../support/platform/operator-env.ts";
import { living, readiness } from "./restores.ts";

/** The readiness of what stands for something of the platform, or writes into it. */
const placed = (env: OperatorEnv): readonly string[] =>
  readiness(env).filter((line) => !/^Platform(Connection|Operation) /.test(line));

/** Something else that is wanted of every object that has settings. */
const CHANGES: readonly (readonly [kind: string, name: string, spec: JsonObject])[] = [
  ["PlatformProject", "shop", { description: "Another" }],
  ["PlatformEnvironment", "staging", { mode: "STAGING" }],
  ["PlatformApplication", "api", { memory: 1_024 }],
  ["PlatformDatabase", "main", { runState: "Stopped" }],
  ["PlatformVariableSet", "shared", { variables: [{ name: "OTHER", value: "1" }] }],
  ["PlatformBinding", "addons", { layerSelections: { observability: false } }],
];

// To the same place, and a parent of the same name: src/engine/engine-identity.test.ts.
describe.each(effort.few(["documented", "full"] as const))("[R1] a connection created again, %s surface", (surface) => {
  it.for(["host", "organization"] as const)(
    "to another %s writes nothing: ConnectionChanged",
    async (what, { task }) => {
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
      for (const [kind, name, spec] of CHANGES) env.cluster.patch(kind, name, { spec });
      await env.run(15 * MINUTE);
      await env.restart();
      await env.run(15 * MINUTE);
      expect(placed(env)).toHaveLength(9);
      expect(placed(env).filter((line) => !line.endsWith(": False/ConnectionChanged"))).toEqual([]);
      expect(env.writes(from)).toEqual([]);
      // Deleted now, they leave what the other place has alone.
      for (const { kind, metadata } of env.cluster.all()) env.cluster.remove(kind, metadata.name);
      await env.run(15 * MINUTE);
      expect(env.cluster.all()).toEqual([]);
      expect(env.writes(from)).toEqual([]);
      figure(task, "0 writes to another place", 9);
    },
  );
});
