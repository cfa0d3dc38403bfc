import { expect, it } from "vitest";

import type { Manifest } from "../../support/env/cluster.ts";
import { database, deploying, NEXT_COMMIT, secret, tree } from "../../support/kube/manifests.ts";
import { MINUTE, SECOND } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import { settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

function fresh({ platform: { sim, organizationId } }: OperatorEnv, name: string): Manifest {
  return secret("default", { token: sim.auth.createToken({ name, organizationId, scopes: ["Admin"] }).value });
}

// Revoked, narrowed and deleted ones: src/engine/engine-connection.test.ts and engine-removal.test.ts.
it("[K1] a rotated token is used within 30 s in place of the old one, and nothing is written to the platform", async ({
  task,
}) => {
  const env = await settledEnv((env) => [fresh(env, "first"), ...tree(env, "a"), database("a", "a")]);
  expect(env.condition("PlatformApplication", "a")).toBe("True/Deployed");
  const written = env.cluster.writes.length;
  const from = env.baseline();
  const rotatedAt = env.clock.monotonic();
  env.apply(fresh(env, "second"));
  await env.run(30 * MINUTE);
  const used = env.calls(from).map((call) => ({ principal: call.principal, after: env.at(call) - rotatedAt }));
  const last = Math.max(0, ...used.filter(({ principal }) => principal === "first").map(({ after }) => after));
  expect(used.map(({ principal }) => principal)).toContain("second");
  expect(last).toBeLessThanOrEqual(30 * SECOND);
  const changes = env.cluster.writes.slice(written).filter(({ key }) => !key.startsWith("PlatformConnection/"));
  expect(changes).toEqual([]);
  expect(env.writes(from)).toEqual([]);
  figure(task, `old token last used ${Math.ceil(last / SECOND)} s after its rotation`);
});

it("a commit that a rejected token keeps from the platform is not told as up to date", async () => {
  const env = await settledEnv((env) => [fresh(env, "first"), ...tree(env, "a")]);
  expect(env.condition("PlatformApplication", "a", "UpToDate")).toMatch(/^True\//);
  env.platform.sim.auth.revoke("first");
  env.cluster.patch("PlatformApplication", "a", { spec: deploying(NEXT_COMMIT)["spec"] ?? {} });
  await env.run(10 * MINUTE);
  expect(env.condition("PlatformApplication", "a")).toBe("False/ConnectionNotReady");
  expect(env.condition("PlatformApplication", "a", "UpToDate")).toBe("Unknown/Progressing");
});
