import { describe, expect, it } from "vitest";

import {
  RECORDED,
  resolved,
  type Script,
  scripted,
  SETTLED,
  step,
  STEPS,
} from "../../../test/support/engine/scripted.ts";
import { APPROVED_PLAN } from "../../api/names.ts";
import type { JsonObject } from "../../kube/api/types.ts";
import type { Goal } from "../contract/kind.ts";
import type { Resolved } from "../status/reconciliation.ts";
import { allowedPlan } from "./policy-gate.ts";

const SEEN = { all: undefined, own: undefined };
const CORRECTION = step({ ...STEPS.update, corrects: true });

/** The plan of a kind that wants these steps in turn, and is settled without them. */
const wanting = (...steps: readonly (typeof CORRECTION)[]): NonNullable<Script["plans"]> => {
  const plan = ({ policies }: Resolved["context"]) =>
    steps.find((one) => one.is === "step" && !policies.blockedOperations.has(one.step.op)) ?? SETTLED;
  return [plan];
};

const lifecycle = (members: JsonObject, script: Script = RECORDED): Script => ({
  ...script,
  spec: { lifecycle: members },
});
const OLD: Script = { ...RECORDED, status: { ...RECORDED.status, appliedGeneration: 0 } };

type Arrange = (r: Resolved) => void;

const nothing: Arrange = () => {};
const dry: Arrange = (r) => void Object.assign(r.ports, { dryRun: true });
/** The last correction began this part of a poll interval ago. */
const corrected =
  (share: number): Arrange =>
  (r) => {
    r.local.correctedAt = r.ports.clock.monotonic() - share * 600_000;
  };

async function planOf(script: Script, arrange: Arrange = nothing, goal: Goal = "present") {
  const env = await scripted(script);
  const r = await resolved(env, goal);
  arrange(r);
  const plan = allowedPlan(r, SEEN);
  const said = plan.is === "step" ? plan.step.op : "why" in plan ? `${plan.is} ${plan.why.reason}` : plan.is;
  return { r, plan: said };
}

describe("a step", () => {
  it.each<[what: string, script: Script, arrange: Arrange, plan: string]>([
    ["is taken under Manage", { ...RECORDED, plans: wanting(step(STEPS.update)) }, nothing, "update"],
    [
      "is never taken under ObserveOnly",
      { ...lifecycle({ managementPolicy: "ObserveOnly" }), plans: wanting(step(STEPS.update)) },
      nothing,
      "settled",
    ],
    [
      "is taken under CreateOnly until the spec was applied",
      { ...lifecycle({ managementPolicy: "CreateOnly" }, {}), plans: wanting(step(STEPS.create)) },
      nothing,
      "create",
    ],
    [
      "is not taken under CreateOnly once a spec was applied",
      { ...lifecycle({ managementPolicy: "CreateOnly" }, OLD), plans: wanting(step(STEPS.update)) },
      nothing,
      "settled",
    ],
    [
      "that creates needs a person where ObserveOnly forbids it",
      { ...lifecycle({ managementPolicy: "ObserveOnly" }, {}), plans: [step(STEPS.create)] },
      nothing,
      "stalled NotCreated",
    ],
    [
      "that corrects drift is not taken under Report",
      { ...lifecycle({ driftPolicy: "Report" }), plans: wanting(CORRECTION) },
      nothing,
      "settled",
    ],
    [
      "that corrects nothing is taken under Report",
      { ...lifecycle({ driftPolicy: "Report" }), plans: wanting(step(STEPS.deploy)) },
      nothing,
      "deploy",
    ],
    [
      "of a new spec is taken under Report",
      { ...lifecycle({ driftPolicy: "Report" }, OLD), plans: wanting(CORRECTION) },
      nothing,
      "update",
    ],
    [
      "that may not be taken leaves the next one of the plan",
      { ...lifecycle({ driftPolicy: "Report" }), plans: wanting(CORRECTION, step(STEPS.deploy)) },
      nothing,
      "deploy",
    ],
    [
      "waits for approval under Manual",
      { ...lifecycle({ applyPolicy: "Manual" }, OLD), plans: wanting(step(STEPS.update)) },
      nothing,
      "waiting ApprovalPending",
    ],
    [
      "that waits for approval holds back the steps after it",
      { ...lifecycle({ applyPolicy: "Manual" }, OLD), plans: wanting(step(STEPS.update), step(STEPS.deploy)) },
      nothing,
      "waiting ApprovalPending",
    ],
    [
      "that corrects drift leaves the object settled while it waits for approval",
      { ...lifecycle({ applyPolicy: "Manual" }), plans: wanting(CORRECTION) },
      nothing,
      "settled",
    ],
    [
      "is planned and not taken in a dry run",
      { ...OLD, plans: wanting(step(STEPS.update)) },
      dry,
      "waiting ApprovalPending",
    ],
  ])("%s", async (_, script, arrange, plan) => {
    expect((await planOf(script, arrange)).plan).toBe(plan);
  });

  it.each<[what: string, share: number, plan: string]>([
    ["while the correction still makes its requests", 0.019, "update"],
    ["from the end of the correction on", 0.02, "settled"],
    ["until shortly before the next poll", 0.899, "settled"],
    ["from nine tenths of the poll interval on", 0.9, "update"],
  ])("that reverts a change made right after a correction is taken or not: %s", async (_, share, plan) => {
    expect((await planOf({ ...RECORDED, plans: wanting(CORRECTION) }, corrected(share))).plan).toBe(plan);
  });

  it("of a deletion is taken under CreateOnly, and without approval", async () => {
    const script = {
      ...lifecycle({ managementPolicy: "CreateOnly", applyPolicy: "Manual" }),
      plans: [step(STEPS.delete)],
    };
    expect((await planOf(script, nothing, "absent")).plan).toBe("delete");
  });

  it("that an approved plan lists is taken", async () => {
    const script = { ...lifecycle({ applyPolicy: "Manual" }, OLD), plans: wanting(step(STEPS.update)) };
    const waiting = await planOf(script);
    const hash = waiting.r.policyStatus.plan?.hash ?? "";
    const approve: Arrange = (r) => {
      const annotations = { ...r.object.metadata.annotations, [APPROVED_PLAN]: hash };
      r.object = { ...r.object, metadata: { ...r.object.metadata, uid: waiting.r.object.metadata.uid, annotations } };
    };
    const approved = await planOf(script, approve);
    expect(approved.plan).toBe("update");
    expect(approved.r.policyStatus.plan?.approved).toBe(true);
  });
});

describe("the applied generation", () => {
  it.each<[what: string, script: Script, applied: number | undefined]>([
    ["is that of the spec once no step is left", { ...OLD, plans: [SETTLED] }, 1],
    ["stays while a step is taken", { ...OLD, plans: wanting(step(STEPS.update)) }, 0],
    [
      "stays where a policy forbids a step",
      { ...lifecycle({ managementPolicy: "ObserveOnly" }, OLD), plans: wanting(step(STEPS.update)) },
      0,
    ],
  ])("%s", async (_, script, applied) => {
    expect((await planOf(script)).r.policyStatus.appliedGeneration).toBe(applied);
  });
});
