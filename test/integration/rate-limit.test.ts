import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import type { CallEntry } from "../../simulator/request/journal.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { calm } from "../support/env/settling.ts";
import { connection, project, secret } from "../support/kube/manifests.ts";
import { callsIn } from "../support/platform/calls.ts";

/** No test waits for a minute. */
const WATCHED_MS = 3_000;
/** How long a request that was sent before the 429 came back may take until the platform records it. */
const IN_FLIGHT_MS = 250;

// The forms of X-RateLimit-Reset: test/model/faults/rate.test.ts.
describe("[C1] a 429 of the platform", () => {
  const env = createEnv({ surface: "documented", windows: { outageMs: 2_000 } });

  /** Creates a connection until the test ends; its own token identifies its calls. */
  const connected = async (name: string): Promise<void> => {
    onTestFinished(async () => {
      for (const kind of ["PlatformProject", "PlatformConnection"]) await env.remove(kind, name);
    });
    const { organizationId } = env.platform;
    const { value } = env.platform.sim.auth.createToken({ name, organizationId, scopes: ["Admin"] });
    await env.ready(secret(name, { token: value }), connection(env, name), project(name, { connectionRef: { name } }));
  };

  const callsOf = (name: string): readonly CallEntry[] =>
    callsIn(env.platform.journal()).filter(({ principal, fault }) => principal === name || fault === name);

  const took = ({ at }: CallEntry): number => Date.parse(at);

  /** Answers the next call with a 429: that of the only connection with calls to make. */
  const limit = async (name: string, header: { readonly reset?: string } = {}): Promise<CallEntry> => {
    env.platform.sim.faults.add({ name, answer: { is: "rate-limited", ...header } });
    return await first(name, ({ fault }) => fault === name);
  };

  const first = (name: string, wanted: (call: CallEntry) => boolean): Promise<CallEntry> =>
    vi.waitUntil(() => callsOf(name).find((call) => wanted(call)), { timeout: 15_000, interval: 20 });

  it("pauses the whole connection for the time in X-RateLimit-Reset, and then the connection continues by itself", async () => {
    const name = "short";
    await connected(name);
    await calm(env);
    const before = await env.get("PlatformProject", name);
    const limited = await limit(name, { reset: "2" });
    const next = await first(name, (call) => took(call) > took(limited) + IN_FLIGHT_MS);
    expect(took(next) - took(limited)).toBeGreaterThanOrEqual(2_000);
    await env.waitFor("PlatformConnection", name, { type: "Synced", status: "True" });
    const after = await env.get("PlatformProject", name);
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it("without X-RateLimit-Reset causes one status write of the connection, no request, and no pause of other connections", async () => {
    const name = "long";
    await connected(name);
    await calm(env);
    const before = await env.get("PlatformProject", name);
    const limited = await limit(name);
    await env.apply(project(`${name}-late`, { connectionRef: { name } }));
    onTestFinished(async () => env.remove("PlatformProject", `${name}-late`));
    const reported = await env.waitFor("PlatformConnection", name, { type: "Synced", reason: "RateLimited" });
    expect(condition(reported, "Synced")?.message).toMatch(
      /^The platform limits the rate of requests; the operator sends nothing before \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, and goes on by itself\.$/,
    );
    expect(condition(reported, "Ready")).toMatchObject({ status: "True" });
    await connected(`${name}-other`);
    await sleep(WATCHED_MS);
    expect(callsOf(name).filter((call) => took(call) > took(limited) + IN_FLIGHT_MS)).toEqual([]);
    const after = await env.get("PlatformProject", name);
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    const connectionAfter = await env.get("PlatformConnection", name);
    expect(connectionAfter.metadata.resourceVersion).toBe(reported.metadata.resourceVersion);
    const late = await env.get("PlatformProject", `${name}-late`);
    expect(late.metadata.annotations?.["platform-operator.io/intent"]).toBeUndefined();
    // What the CRD gives every object that nobody has written a status of.
    expect(late.status).toEqual({ observedGeneration: -1 });
  });
});
