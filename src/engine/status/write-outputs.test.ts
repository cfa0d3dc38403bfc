import { describe, expect, it } from "vitest";

import { engineEnv, type Env, ready, status } from "../../../test/support/engine/env.ts";
import { MINUTE } from "../../../test/support/platform/durations.ts";
import { KubeError } from "../../kube/api/errors.ts";
import type { JsonObject, KubeFailure } from "../../kube/api/types.ts";

const SECRET = { outputSecret: "token" };
const BOTH = { output: "data", ...SECRET };

/** A widget with outputs to write, which fails like this until `env.output` is set anew. */
async function withOutputs(output: Env["output"], spec: JsonObject = SECRET): Promise<Env> {
  const env = engineEnv();
  env.output = output;
  env.widget("a", spec);
  await env.run(5_000);
  return env;
}

const told = (env: Env): string =>
  JSON.stringify(env.cluster.get("Widget", "a").status).replaceAll(String.raw`\"`, '"');

describe("an output beside an object", () => {
  it("is written once if it is a Secret, which is reported without its content", async () => {
    let writes = 0;
    const env = await withOutputs(() => {
      writes += 1;
      return Promise.resolve("1");
    });
    await env.run(30 * MINUTE);
    expect(status(env, "told")).toBe("token");
    expect(writes).toBe(1);
    expect(told(env) + JSON.stringify(env.events)).not.toContain("s3cret-value");
  });

  it.each<[KubeFailure, JsonObject, reason: string, message: RegExp]>([
    ["Conflict", BOTH, "NameConflict", /ConfigMap "data" exists and belongs to something else/],
    ["Conflict", SECRET, "NameConflict", /Secret "token" exists and belongs to something else/],
    ["Invalid", SECRET, "PermissionDenied", /API server does not accept Secret "token"/],
    ["Forbidden", SECRET, "PermissionDenied", /may not write Secret "token".*platform-operator-secret-outputs/],
    ["Invalid", BOTH, "PermissionDenied", /API server does not accept ConfigMap "data"/],
    ["Forbidden", BOTH, "PermissionDenied", /may not write ConfigMap "data".*rbac\.configMapOutputs/],
  ])("that cannot be written (%s, %j) is reported as %s and seldom tried, until it can", async (...row) => {
    const [failure, spec, reason, message] = row;
    const env = await withOutputs(() => Promise.reject(new KubeError(failure, 0, "no")), spec);
    expect(env.conditions("Widget", "a")).toContain(`Stalled=True/${reason}`);
    expect(status(env, "told")).toBeUndefined();
    expect(told(env)).toMatch(message);
    const reads = env.world.calls.length;
    await env.run(30 * MINUTE);
    // The kind asks for a look every minute at a Secret that is not written.
    expect(env.world.calls.length - reads).toBeLessThan(spec === SECRET ? 40 : 20);
    env.output = () => Promise.resolve("1");
    await env.run(6 * MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(status(env, "told")).toBe("token");
  });

  it.each<[string, KubeFailure, number, JsonObject, string]>([
    [
      "policy",
      "Invalid",
      422,
      BOTH,
      "configmaps \"data\" is forbidden: ValidatingAdmissionPolicy 'no-maps' with binding 'here' denied request: s3cret",
    ],
    [
      "policy with the reason Forbidden",
      "Forbidden",
      403,
      SECRET,
      "secrets \"token\" is forbidden: ValidatingAdmissionPolicy 'no-maps' with binding 'here' denied request: s3cret",
    ],
    ["webhook", "Forbidden", 403, SECRET, 'admission webhook "no-maps.example.com" denied the request: s3cret'],
    [
      "quota without a status",
      "Forbidden",
      403,
      BOTH,
      'secrets "data" is forbidden: status unknown for quota: no-maps, resources: secrets; s3cret',
    ],
    ["quota", "Forbidden", 403, BOTH, 'configmaps "data" is forbidden: exceeded quota: no-maps, requested: s3cret'],
  ])("that a %s refuses is reported as that, not as a missing role, and without its words", async (...row) => {
    const [, failure, status, spec, said] = row;
    const env = await withOutputs(
      () => Promise.reject(new KubeError(failure, status, "no", undefined, [], said)),
      spec,
    );
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/PermissionDenied");
    expect(told(env)).toMatch(/(Policy|webhook|Quota) no-maps\S* does not let the operator write/);
    expect(told(env)).not.toMatch(/ClusterRole|s3cret/);
  });

  it("that the API server does not take is written later", async () => {
    const env = await withOutputs(() => Promise.reject(new KubeError("Server", 500, "no")));
    expect(status(env, "told")).toBeUndefined();
    env.output = () => Promise.resolve("1");
    await env.run(MINUTE);
    expect(status(env, "told")).toBe("token");
  });
});
