import { beforeAll, describe, expect, it } from "vitest";

import type { CallEntry } from "../../simulator/request/journal.ts";
import { RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { fixture } from "../support/env/fixture.ts";
import { losses } from "../support/kube/lost-writes.ts";
import { database } from "../support/kube/manifests.ts";

const KIND = "PlatformDatabase";
const running = { status: "True", reason: "Available" } as const;

/** How often the operation changed the platform, whatever was sent. */
function effects(calls: readonly CallEntry[], operation: string): number {
  return calls.filter((call) => call.operation === operation).flatMap((call) => call.effects).length;
}

describe("[A4] a database whose orders have an unknown outcome, full surface", () => {
  // Far longer than what is late takes: on a busy machine neither clock is punctual.
  const env = createEnv({ surface: "full", windows: { landingMs: 4_000 } });
  const operations = ["createDatabase", "deployDatabase", "stopDatabase"] as const;
  const rows = operations.flatMap((operation) =>
    losses.map((loss, index) => ({ operation, ...loss, name: `${operation.toLowerCase()}-${index}` })),
  );
  /** In `make test`: each operation with a loss of its own. */
  const some = effort.all ? rows : rows.filter((_, index) => index % (losses.length + 1) === 0);
  beforeAll(() => fixture(env));

  it.each(some)("$operation that $what happens exactly once", async ({ operation, fault, name }) => {
    const record = await env.record();
    env.platform.sim.faults.add({ ...fault, name, match: { operation } });
    await env.apply(database(name, "staging"));
    await env.waitFor(KIND, name, running);
    await env.patch(KIND, name, { spec: { runState: "Stopped" } });
    await env.waitFor(KIND, name, { status: "True", reason: "Stopped" });
    expect(record.calls(operation).filter((call) => call.fault === name)).toHaveLength(1);
    for (const each of operations) expect(effects(record.calls(), each), each).toBe(1);
  });
});

/** An unknown create: test/model/faults/lost.test.ts, and ledger-unknown.test.ts for an application. */
describe("a database whose orders have an unknown outcome, documented surface", () => {
  const env = createEnv({ surface: "documented" });
  beforeAll(() => fixture(env));

  it("whose deployment and its repetition are not confirmed: says so, and orders it again on request only", async () => {
    const record = await env.record();
    const match = { operation: "deployDatabase" };
    env.platform.sim.faults.add({ effect: "applied", answer: { is: "reset" }, match, count: 2 });
    await env.apply(database("unconfirmed", "staging"));
    const stalled = await env.waitFor(KIND, "unconfirmed", { status: "False", reason: "NotObservable" });
    expect(condition(stalled, "Stalled")).toMatchObject({ status: "True" });
    expect(member(stalled.status, "intent")).toBeDefined();
    await env.quiet(1);
    expect(record.changes()).toEqual(["createDatabase", "deployDatabase", "deployDatabase"]);
    await env.annotate(KIND, "unconfirmed", { [RECONCILE_REQUESTED_AT]: "now" });
    const ready = await env.waitFor(KIND, "unconfirmed", running);
    expect(member(ready.status, "intent")).toBeUndefined();
    expect(record.changes()).toEqual(["createDatabase", "deployDatabase", "deployDatabase", "deployDatabase"]);
  });
});
