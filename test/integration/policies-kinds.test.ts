/** The policies that hold writes, for every kind that writes: not one request until it may be, then what it takes. */
import { beforeAll, describe, expect, it } from "vitest";

import { editRecord } from "../../simulator/control/records.ts";
import { APPROVED_PLAN } from "../../src/api/names.ts";
import { planIn } from "../../src/engine/policies/policy-status.ts";
import { member } from "../../src/kube/api/json.ts";
import { governedKinds, type Governed } from "../support/engine/governed-kinds.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { defaults, operation, tree } from "../support/kube/manifests.ts";

/** Every hour of every day. */
const WINDOWS = [{ schedule: "0 * * * *", duration: "2h", timeZone: "Europe/Berlin" }];
const OPERATION = "PlatformOperation";

const writesOf = (kinds: readonly Governed[]): readonly string[] => kinds.flatMap(({ writes }) => writes).toSorted();

async function applied(env: Env, kinds: readonly Governed[]): Promise<void> {
  await env.apply(...kinds.map(({ manifest }) => manifest));
}

/** Waits until the goal of each is reached. */
async function reached(env: Env, kinds: readonly Governed[]): Promise<void> {
  for (const { kind, name } of kinds) {
    await env.waitFor(kind, name, { type: kind === OPERATION ? "Complete" : "Ready", status: "True" });
  }
}

/** Takes them away, under Retain, and starts the cluster that was stopped, as its owner would. */
async function cleared(env: Env, kinds: readonly Governed[]): Promise<void> {
  for (const { kind, name } of kinds) await env.remove(kind, name);
  for (const { kind, name } of kinds) await env.waitGone(kind, name);
  editRecord(env.platform.sim, env.platform.clusterIds[1] ?? "", { state: "DEPLOYED", deployed: true, run: null });
}

/**
 * Waits until a plan is shown that nobody has approved, or the goal is reached; approves. @returns whether it is
 * reached
 */
async function approvedOnce(env: Env, { kind, name }: Governed): Promise<boolean> {
  const isReached = (object: Parameters<typeof condition>[0]) =>
    condition(object, kind === OPERATION ? "Complete" : "Ready")?.status === "True";
  const seen = await env.waitFor(
    kind,
    name,
    (object) => isReached(object) || condition(object, "Ready")?.reason === "ApprovalPending",
  );
  if (isReached(seen)) return true;
  await env.annotate(kind, name, { [APPROVED_PLAN]: planIn(seen)?.hash ?? null });
  await env.waitFor(kind, name, (object) => condition(object, "Ready")?.reason !== "ApprovalPending");
  return false;
}

describe.each(["documented", "full"] as const)("every kind that writes, %s surface", (surface) => {
  const env = createEnv({ surface });

  beforeAll(async () => {
    const spec = { surface: surface === "full" ? "Full" : "Documented", allowUnverifiedIds: true };
    await env.apply(...defaults(env, spec), ...tree(env, "ground"));
    await env.waitFor("PlatformApplication", "ground", { status: "True" });
    await env.settled();
  }, 60_000);

  it("writes nothing under ObserveOnly, neither while it is there nor when it goes", async () => {
    const lifecycle = { managementPolicy: "ObserveOnly" };
    const kinds = governedKinds(env, "watched", lifecycle).filter(({ kind }) => kind !== OPERATION);
    const record = await env.record();
    await applied(env, kinds);
    for (const { kind, name } of kinds) {
      const { status } = await env.waitFor(kind, name, (object) => condition(object, "Ready") !== undefined);
      expect(member(status, "observedGeneration")).toBe(1);
    }
    await env.settled();
    for (const { kind, name } of kinds) {
      const object = await env.get(kind, name);
      expect(condition(object, "Reconciling"), `${kind} waits for nothing`).toBeUndefined();
    }
    await cleared(env, kinds);
    expect(record.changes()).toEqual([]);
  });

  it("writes nothing more under CreateOnly once it was brought about, whatever is changed", async () => {
    const lifecycle = { managementPolicy: "CreateOnly", applyPolicy: "Automatic" };
    const kinds = governedKinds(env, "once", lifecycle).filter(({ kind }) => kind !== OPERATION);
    const made = await env.record();
    await applied(env, kinds);
    await reached(env, kinds);
    await env.settled();
    expect(made.changes().toSorted()).toEqual(writesOf(kinds));
    const record = await env.record();
    for (const { kind, name, change } of kinds) await env.patch(kind, name, { spec: change });
    for (const { kind, name } of kinds) {
      await env.waitFor(kind, name, ({ status }) => member(status, "observedGeneration") === 2);
    }
    await env.settled();
    expect(record.changes()).toEqual([]);
    await cleared(env, kinds);
  });

  it("writes nothing outside of its window, and what it takes once that opens", async () => {
    const closed = { applyPolicy: "Automatic", syncWindows: { kind: "Deny", windows: WINDOWS } };
    const kinds = governedKinds(env, "window", closed);
    const record = await env.record();
    await applied(env, kinds);
    for (const { kind, name } of kinds) await env.waitFor(kind, name, { reason: "OutsideChangeWindow" });
    await env.settled();
    expect(record.changes()).toEqual([]);
    const open = { syncWindows: { kind: "Allow", windows: WINDOWS } };
    for (const { kind, name } of kinds) {
      if (kind !== OPERATION) await env.patch(kind, name, { spec: { lifecycle: open } });
    }
    // All of an operation's spec is immutable: it is made anew.
    await env.remove(OPERATION, "window");
    await env.waitGone(OPERATION, "window");
    await env.apply(operation("window", { type: "SendInvoices", lifecycle: open }));
    await reached(env, kinds);
    await env.settled();
    expect(record.changes().toSorted()).toEqual(writesOf(kinds));
    await cleared(env, kinds);
  });

  it("writes nothing before its plan is approved, and then what the plan says, once", async () => {
    const kinds = governedKinds(env, "manual", { applyPolicy: "Manual" });
    const record = await env.record();
    await applied(env, kinds);
    for (const { kind, name } of kinds) await env.waitFor(kind, name, { reason: "ApprovalPending" });
    await env.settled();
    expect(record.changes()).toEqual([]);
    for (const one of kinds) {
      for (let approvals = 0; approvals < 3; approvals += 1) if (await approvedOnce(env, one)) break;
    }
    await reached(env, kinds);
    await env.settled();
    expect(record.changes().toSorted()).toEqual(writesOf(kinds));
    await cleared(env, kinds);
  });
});
