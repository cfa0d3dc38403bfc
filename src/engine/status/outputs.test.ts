import { describe, expect, it } from "vitest";

import { engineEnv, type Env } from "../../../test/support/engine/env.ts";
import { MINUTE } from "../../../test/support/engine/widgets.ts";
import { KubeError } from "../../kube/api/errors.ts";

/** A widget with a Secret to write, which fails like this until `bench.output` is set anew. */
async function withSecret(output?: Env["output"]): Promise<Env> {
  const env = engineEnv();
  if (output !== undefined) env.output = output;
  env.widget("a", { outputSecret: "token" });
  await env.run(5_000);
  return env;
}

const told = (env: Env): unknown => env.cluster.get("Widget", "a").status;

describe("a Secret beside an object", () => {
  it("is reported once it is written, and is written once", async () => {
    let writes = 0;
    const env = await withSecret(() => {
      writes += 1;
      return Promise.resolve();
    });
    await env.run(30 * MINUTE);
    expect(told(env)).toMatchObject({ told: "token" });
    expect(writes).toBe(1);
    expect(JSON.stringify([told(env), env.events])).not.toContain("s3cret-value");
  });

  it.each([
    ["Conflict", "NameConflict", /Secret "token" exists and belongs to something else/],
    ["Invalid", "PermissionDenied", /API server does not accept Secret "token"/],
    ["Forbidden", "PermissionDenied", /may not write Secret "token".*ClusterRole platform-operator-secret-outputs/],
  ] as const)("that cannot be written (%s) is reported as %s until it can", async (failure, reason, message) => {
    const env = await withSecret(() => Promise.reject(new KubeError(failure, 0, "no")));
    expect(env.conditions("Widget", "a")).toContain(`Stalled=True/${reason}`);
    expect(told(env)).not.toHaveProperty("told");
    expect(JSON.stringify(told(env))).toMatch(new RegExp(message.source.replaceAll('"', String.raw`\\"`)));
    env.output = () => Promise.resolve();
    await env.run(6 * MINUTE);
    expect(env.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(told(env)).toMatchObject({ told: "token" });
  });

  it("that the API server does not take is written later", async () => {
    const env = await withSecret(() => Promise.reject(new KubeError("Server", 500, "no")));
    expect(told(env)).not.toHaveProperty("told");
    env.output = () => Promise.resolve();
    await env.run(MINUTE);
    expect(told(env)).toMatchObject({ told: "token" });
  });
});

describe("a report with lookWithin", () => {
  it("is followed by a reconcile in time, however long the poll interval is", async () => {
    const env = await withSecret();
    await env.run(2 * MINUTE);
    const reads = env.passes.length;
    await env.run(10 * MINUTE);
    expect(env.passes.length - reads).toBeGreaterThanOrEqual(9);
  });
});
