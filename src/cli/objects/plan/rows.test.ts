import { expect, it } from "vitest";

import { evaluated, type StoredCondition } from "../../../../test/support/kube/stored.ts";
import { PAUSED } from "../../../api/names.ts";
import type { KubeObject } from "../../../kube/api/types.ts";
import { rowOf, type PlannedObject } from "./rows.ts";

const synced: StoredCondition = ["Synced", "True", "ReconcileSuccess"];
const ready = [["Ready", "True", "Deployed"], synced] as const satisfies readonly StoredCondition[];
const unsent: StoredCondition = ["SettingsSynced", "False", "UpdateNotSupported"];
const conflict: StoredCondition = ["Stalled", "True", "NameConflict"];
const problem = { message: "There is none.", cause: "There is none." };

const unready = (reason: string, ...more: readonly StoredCondition[]): KubeObject =>
  evaluated([["Ready", "False", reason], synced, ...more]);
const planned = (...operations: readonly string[]): KubeObject => {
  const plan = { hash: "1", actions: operations.map((operation) => ({ operation })) };
  return evaluated([["Ready", "False", "ApprovalPending"], synced], { plan });
};
const unsynced = evaluated([ready[0], ["Synced", "False", "PlatformUnavailable"]]);
const taken = evaluated(ready, { externalId: "0a1b" });
const drifted = evaluated(ready, { drift: { fields: [{ path: "spec.cpu", desired: "1", observed: "2" }] } });
const paused = evaluated(ready, {}, { annotations: { [PAUSED]: "true" } });
const deleted = evaluated(ready, {}, { deletionTimestamp: "2026-11-21T12:00:00Z" });
const several = planned("updateApplication", "importVariables", "deployApplication", "createSecret");
const beside = [...ready, unsent];
const pausedUnsent = evaluated(beside, {}, { annotations: { [PAUSED]: "true" } });
const plan = { hash: "1", actions: [{ operation: "deployApplication" }] };
const changing = evaluated(beside, { plan });
const UNSENT = "UpdateNotSupported: UpdateNotSupported.";
const error = (note: string) => ({ action: "error", note, is: "error" });
const none = (note: string) => ({ action: "none", note, is: "none" });

it.each<[string, KubeObject, object, Partial<PlannedObject>?]>([
  ["is as the operator has it", evaluated(ready), none("")],
  ["is created", planned("createApplication"), { action: "create", is: "change" }],
  ["changes in several ways", several, { action: "update, deploy", note: "", is: "change" }],
  ["does what nobody has a verb for", planned("sendInvoices"), { action: "sendInvoices" }],
  ["waits for its parent", evaluated([["Ready", "False", "ParentNotReady"]]), { action: "create", is: "change" }],
  ["has no parent", evaluated([["Ready", "False", "ParentNotFound"]]), error("ParentNotFound: ParentNotFound.")],
  ["needs a person", unready("ApprovalPending", conflict), error("NameConflict: NameConflict.")],
  ["could not be read", unsynced, error("PlatformUnavailable: PlatformUnavailable.")],
  ["has no connection", evaluated(ready), error("There is none."), { problem }],
  ["is taken over", taken, { ...none("0a1b"), action: "adopt" }, { old: evaluated([]) }],
  ["is new and taken over", taken, { action: "adopt" }, { old: undefined }],
  ["is under way", unready("Deploying"), none("Deploying: Deploying.")],
  ["differs, and the policies leave it so", drifted, none("differences on the platform are not corrected")],
  ["has settings that cannot be sent", evaluated(beside), none(UNSENT)],
  ["changes beside such settings", changing, { action: "deploy", note: UNSENT }],
  [
    "needs a person beside such settings",
    evaluated([...beside, conflict]),
    error(`NameConflict: NameConflict. ${UNSENT}`),
  ],
  ["is paused with such settings", pausedUnsent, none("it is paused")],
  ["is paused", paused, none("it is paused")],
  ["is going", deleted, none("it is being deleted")],
])("a row of a plan tells what %s", (_what, object, row, more = {}) => {
  const told = rowOf({ object, old: object, problem: undefined, ...more });
  expect(told).toMatchObject({ kind: "PlatformApplication", namespace: "shop", name: "api", ...row });
});
