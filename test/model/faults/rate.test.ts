import { expect, it } from "vitest";

import type { CallEntry } from "../../../simulator/request/journal.ts";
import { RECONCILE_REQUESTED_AT } from "../../../src/api/names.ts";
import { connection, project, secret } from "../../support/kube/manifests.ts";
import { MINUTE } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import { operatorEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

/** How much later than asked all may go on, at most: the gate's jitter and a look of what waits. */
const LATER_MS = 45_000;

/** A connection with a token of its own, by which its calls are known. */
function connected(env: OperatorEnv, name: string): void {
  const { sim, organizationId } = env.platform;
  const { value } = sim.auth.createToken({ name, organizationId, scopes: ["Admin"] });
  env.apply(secret(name, { token: value }), connection(env, name), project(name, { connectionRef: { name } }));
}

/** Seconds since 1970, from the time of the answer. */
const epoch = (seconds: number) => (now: Date) => String(Math.floor(now.getTime() / 1_000) + seconds);

const forms: readonly (readonly [what: string, header: (now: Date) => string | undefined, pauseMs: number])[] = [
  ["5", () => "5", 5_000],
  ["0", () => "0", 500],
  ["absent", () => undefined, 60_000],
  ["-1", () => "-1", 60_000],
  ["abc", () => "abc", 60_000],
  ["1e400", () => "1e400", 60_000],
  ["ten minutes", () => "600", 600_000],
  ["two hours", () => "7200", 3_600_000],
  ["a Unix time 40 s ahead", epoch(40), 39_000],
  ["a Unix time that has passed", epoch(-40), 500],
  ["10^9", () => "1000000000", 3_600_000],
  ["10^12", () => "1000000000000", 3_600_000],
];

it("[C1] a 429 pauses only its connection, for the time in X-RateLimit-Reset in any form", async ({ task }) => {
  const env = await operatorEnv();
  connected(env, "limited");
  connected(env, "other");
  await env.run(3 * MINUTE);
  for (const [index, [what, header, pauseMs]] of forms.entries()) {
    const reset = header(env.clock.now());
    env.platform.sim.faults.add({ answer: { is: "rate-limited", ...(reset === undefined ? {} : { reset }) } });
    env.apply(project(`first-${index}`, { connectionRef: { name: "limited" } }));
    await env.run(0);
    const [limited] = env
      .calls()
      .filter(({ fault }) => fault !== null)
      .slice(-1) as [CallEntry];
    // Everybody there wants something all the time.
    env.apply(project(`late-${index}`, { connectionRef: { name: "limited" } }));
    env.apply(project(`other-${index}`, { connectionRef: { name: "other" } }));
    await env.run(pauseMs + LATER_MS);

    const after = env.calls(limited.seq).map((call) => ({ ...call, ms: env.at(call) - env.at(limited) }));
    const own = after.find(({ principal }) => principal === "limited");
    const other = after.find(({ principal }) => principal === "other");
    expect(own?.ms, what).toBeGreaterThanOrEqual(pauseMs);
    expect(own?.ms, what).toBeLessThanOrEqual(pauseMs + LATER_MS);
    expect(other?.ms, what).toBeLessThan(5_000);
    expect(env.condition("PlatformProject", `other-${index}`), what).toBe("True/Available");
    await env.run(2 * MINUTE);
    for (const name of [`first-${index}`, `late-${index}`]) {
      expect(env.condition("PlatformProject", name), `${what}: ${name}`).toBe("True/Available");
    }
  }
  figure(task, "0 calls before the reset, other connections unaffected", forms.length);
});

it("[C1] a reconcile that is requested during repeated short pauses is handled once, after the last one", async ({
  task,
}) => {
  const env = await operatorEnv();
  connected(env, "limited");
  await env.run(3 * MINUTE);
  const synced = () => env.condition("PlatformConnection", "limited", "Synced");
  env.platform.sim.faults.add({ name: "limit", count: null, answer: { is: "rate-limited", reset: "5" } });
  env.cluster.annotate("PlatformConnection", "limited", { [RECONCILE_REQUESTED_AT]: "1" });
  await env.run(1_000);
  expect(synced()).toBe("False/RateLimited");
  expect(env.condition("PlatformConnection", "limited")).toBe("True/Available");
  const writes = env.cluster.writes.length;
  await env.run(10 * MINUTE);
  expect(env.cluster.writes.length).toBe(writes);
  env.platform.sim.faults.clear("limit");
  await env.run(10_000);
  expect(synced()).toBe("True/ReconcileSuccess");
  figure(task, "answered once");
});
