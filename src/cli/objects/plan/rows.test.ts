import { describe, expect, it } from "vitest";

import { conditionsOf, stored, type StoredCondition } from "../../../../test/support/kube/stored.ts";
import { PAUSED } from "../../../api/names.ts";
import type { JsonObject, KubeObject } from "../../../kube/api/types.ts";
import { rowOf, type PlannedObject } from "./rows.ts";

const synced: StoredCondition = ["Synced", "True", "ReconcileSuccess"];
const ready = [["Ready", "True", "Deployed"], synced] as const satisfies readonly StoredCondition[];
const conflict: StoredCondition = ["Stalled", "True", "NameConflict"];
const problem = { message: "There is none.", cause: "There is none." };

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
const unsynced = application([ready[0], ["Synced", "False", "PlatformUnavailable"]]);
const taken = application(ready, { externalId: "0a1b" });
const drifted = application(ready, { drift: { fields: [{ path: "spec.cpu", desired: "1", observed: "2" }] } });
const paused = application(ready, {}, { annotations: { [PAUSED]: "true" } });
const deleted = application(ready, {}, { deletionTimestamp: "2026-11-21T12:00:00Z" });
const several = planned("updateApplication", "importVariables", "deployApplication", "createSecret");
const error = (note: string) => ({ action: "error", note, is: "error" });
const none = (note: string) => ({ action: "none", note, is: "none" });

describe("a row of a plan", () => {
  it.each<[string, KubeObject, object, Partial<PlannedObject>?]>([
    ["is as the operator has it", application(ready), none("")],
    ["is created", planned("createApplication"), { action: "create", is: "change" }],
    ["changes in several ways", several, { action: "update, deploy", note: "", is: "change" }],
    ["does what nobody has a verb for", planned("sendInvoices"), { action: "sendInvoices" }],
    ["waits for its parent", application([["Ready", "False", "ParentNotReady"]]), { action: "create", is: "change" }],
    ["has no parent", application([["Ready", "False", "ParentNotFound"]]), error("ParentNotFound: ParentNotFound.")],
    ["needs a person", unready("ApprovalPending", conflict), error("NameConflict: NameConflict.")],
    ["could not be read", unsynced, error("PlatformUnavailable: PlatformUnavailable.")],
    ["has no connection", application(ready), error("There is none."), { problem }],
    ["is taken over", taken, { ...none("0a1b"), action: "adopt" }, { old: application([]) }],
    ["is new and taken over", taken, { action: "adopt" }, { old: undefined }],
    ["is under way", unready("Deploying"), none("Deploying: Deploying.")],
    ["differs, and the policies leave it so", drifted, none("differences on the platform are not corrected")],
    ["is paused", paused, none("it is paused")],
    ["is going", deleted, none("it is being deleted")],
  ])("tells what %s", (_what, object, row, more = {}) => {
    const told = rowOf({ object, old: object, problem: undefined, ...more });
    expect(told).toMatchObject({ kind: "PlatformApplication", namespace: "shop", name: "api", ...row });
  });
});
