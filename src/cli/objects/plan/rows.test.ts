import { describe, expect, it } from "vitest";

import { conditionsOf, stored, type StoredCondition } from "../../../../test/support/kube/stored.ts";
import type { JsonObject, KubeObject } from "../../../kube/api/types.ts";
import { rowOf, type PlannedObject } from "./rows.ts";

const synced: StoredCondition = ["Synced", "True", "ReconcileSuccess"];
const ready: readonly StoredCondition[] = [["Ready", "True", "Deployed"], synced];

/** An application as the engine left it. */
function application(
  conditions: readonly StoredCondition[],
  status: JsonObject = {},
  metadata: Partial<KubeObject["metadata"]> = {},
): KubeObject {
  const all = { observedGeneration: 1, conditions: conditionsOf(conditions), ...status };
  return stored("PlatformApplication", "api", { metadata, status: all });
}
const unready = (reason: string, ...more: readonly StoredCondition[]): KubeObject =>
  application([["Ready", "False", reason], synced, ...more]);
const planned = (...operations: readonly string[]): KubeObject => {
  const plan = { hash: "1", reason: "ApprovalPending", actions: operations.map((operation) => ({ operation })) };
  return application([["Ready", "False", "ApprovalPending"], synced], { plan });
};
const taken = application(ready, { externalId: "0a1b" });
const drift = { fields: [{ path: "spec.cpu", desired: "1", observed: "2" }] };
const problem = { message: "There is none.", cause: "There is none." };

describe("a row of a plan", () => {
  it.each<[string, KubeObject, object, Partial<PlannedObject>?]>([
    ["is as the operator has it", application(ready), { action: "none", note: "", is: "none" }],
    ["is created", planned("createApplication"), { action: "create", is: "change" }],
    [
      "changes in several ways",
      planned("updateApplication", "importVariables", "deployApplication", "createSecret"),
      { action: "update, deploy", note: "", is: "change" },
    ],
    ["does what nobody has a verb for", planned("sendInvoices"), { action: "sendInvoices" }],
    ["waits for its parent", application([["Ready", "False", "ParentNotReady"]]), { action: "create", is: "change" }],
    [
      "has no parent",
      application([["Ready", "False", "ParentNotFound"]]),
      { action: "error", note: "ParentNotFound: ParentNotFound.", is: "error" },
    ],
    [
      "needs a person",
      unready("ApprovalPending", ["Stalled", "True", "NameConflict"]),
      { action: "error", note: "NameConflict: NameConflict." },
    ],
    [
      "could not be read",
      application([
        ["Ready", "True", "Deployed"],
        ["Synced", "False", "PlatformUnavailable"],
      ]),
      { action: "error", note: "PlatformUnavailable: PlatformUnavailable." },
    ],
    ["has no connection", application(ready), { action: "error", note: "There is none." }, { problem }],
    ["is taken over", taken, { action: "adopt", note: "0a1b", is: "none" }, { old: application([]) }],
    ["is new and taken over", taken, { action: "adopt" }, { old: undefined }],
    ["is under way", unready("Deploying"), { action: "none", note: "Deploying: Deploying." }],
    [
      "differs, and the policies leave it so",
      application(ready, { drift }),
      { action: "none", note: "differences on the platform are not corrected" },
    ],
    [
      "is paused",
      application(ready, {}, { annotations: { "platform-operator.io/paused": "true" } }),
      { action: "none", note: "it is paused" },
    ],
    [
      "is going",
      application(ready, {}, { deletionTimestamp: "2026-11-21T12:00:00Z" }),
      { action: "none", note: "it is being deleted" },
    ],
  ])("tells what %s", (_what, object, row, more = {}) => {
    const told = rowOf({ object, old: object, problem: undefined, ...more });
    expect(told).toMatchObject({ kind: "PlatformApplication", namespace: "shop", name: "api", ...row });
  });
});
