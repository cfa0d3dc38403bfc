import { expect, it } from "vitest";

import { aCondition, anObject, aStatus, SETTLED, WORKING } from "../../../test/support/engine/objects.ts";
import { RECONCILE_REQUESTED_AT } from "../../api/names.ts";
import { DRIFT_FIELDS } from "../../api/status.ts";
import type { Json } from "../../kube/api/types.ts";
import type { Step, StatusReason } from "../contract/kind.ts";
import { causeIn, covers, statusPlanOf, type StatusPlan } from "./policy-status.ts";

const update: Step<string> = { repeat: "safe", op: "update", action: "update" };
const CREATE = { operation: "create", creates: true } as const;
const PLAN: StatusPlan = { hash: "0", generation: 3, actions: [{ operation: "update" }] };
const plan = (change: Partial<StatusPlan> = {}): StatusPlan => ({ ...PLAN, approved: true, ...change });

it("an approval of the same steps is not that of a newer generation", () => {
  const hashes = [2, 3].map((generation) => statusPlanOf(anObject({ meta: { generation } }), [update]).hash);
  expect(new Set(hashes).size).toBe(2);
});

const why: StatusReason = { reason: "Deploying", message: "It is deployed." };
const once = { repeat: "once", op: "deploy", action: "deploy", creates: false, mark: null, why } as const;
const difference = { path: "spec.note", desired: "ours", observed: "theirs" };

it.each<[what: string, step: Step<string>, action: StatusPlan["actions"][number]]>([
  ["an update", update, { operation: "update" }],
  ["an update with a message", { ...update, message: "A PUT." }, { operation: "update", message: "A PUT." }],
  ["an update of a field", { ...update, changes: [difference] }, { operation: "update", fields: [difference] }],
  ["a deployment", once, { operation: "deploy", message: why.message }],
  ["a commit", { ...once, commit: "abc" }, { operation: "deploy", message: why.message, commit: "abc" }],
  ["a create", { ...once, creates: true }, { operation: "deploy", message: why.message, creates: true }],
])("a plan shows %s with what a person has to know to approve it", (_what, step, action) => {
  const { hash, actions } = statusPlanOf(anObject(), [step]);
  expect(actions).toStrictEqual([action]);
  expect(hash).toMatch(/^[0-9a-f]{16}$/);
});

it("a plan shows as many fields as the status takes", () => {
  const changes = Array.from({ length: DRIFT_FIELDS + 1 }, () => difference);
  const [action] = statusPlanOf(anObject(), [{ ...update, changes }]).actions;
  expect(action?.fields).toHaveLength(DRIFT_FIELDS);
});

it.each<[what: string, plan: StatusPlan | undefined, generation: number, covered: boolean]>([
  ["covers a step of its own generation", plan(), 3, true],
  ["covers none of a newer generation", plan(), 4, false],
  ["covers none of an older generation", plan(), 2, false],
  ["covers no operation that it does not list", plan({ actions: [{ operation: "delete" }] }), 3, false],
  ["covers what follows a create", plan({ actions: [CREATE] }), 3, true],
  ["covers nothing that follows a create of another generation", plan({ actions: [CREATE] }), 4, false],
  ["covers what follows a create beside other steps", plan({ actions: [{ operation: "delete" }, CREATE] }), 3, true],
  ["covers nothing while it is not approved", plan({ approved: undefined }), 3, false],
  ["that does not exist covers nothing", undefined, 3, false],
])("a plan %s", (_, approved, generation, covered) => {
  expect(covers(approved, generation, update)).toBe(covered);
});

const request = { [RECONCILE_REQUESTED_AT]: "1" };
const stalled = aStatus([aCondition("Stalled", "True", "BuildFailed")]);
it.each<[what: string, status: Json, annotations: Readonly<Record<string, string>>, cause: string | undefined]>([
  ["that is settled", SETTLED, {}, undefined],
  ["that is settled, with a request", SETTLED, request, "Requested"],
  ["with a new spec", WORKING, {}, "SpecChanged"],
  ["in progress, with its spec applied", { ...WORKING, appliedGeneration: 2 }, {}, undefined],
  ["with a new spec and a request", WORKING, request, "SpecChanged"],
  ["that is stalled", stalled, {}, "SpecChanged"],
  ["that is stalled, with a request", stalled, request, "Requested"],
])("the cause of changes in an object %s", (_what, status, annotations, cause) => {
  expect(causeIn(anObject({ status, meta: { annotations } }))).toBe(cause);
});
