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
  ["that equals what the platform has", evaluated(ready), none("")],
  ["that would be created", planned("createApplication"), { action: "create", is: "change" }],
  ["that would change in several ways", several, { action: "update, deploy", note: "", is: "change" }],
  ["with an operation that has no verb", planned("sendInvoices"), { action: "sendInvoices" }],
  ["whose parent is not ready", evaluated([["Ready", "False", "ParentNotReady"]]), { action: "create", is: "change" }],
  [
    "whose parent does not exist",
    evaluated([["Ready", "False", "ParentNotFound"]]),
    error("ParentNotFound: ParentNotFound."),
  ],
  ["that is Stalled", unready("ApprovalPending", conflict), error("NameConflict: NameConflict.")],
  ["that could not be read on the platform", unsynced, error("PlatformUnavailable: PlatformUnavailable.")],
  ["without a connection", evaluated(ready), error("There is none."), { problem }],
  ["that would be adopted", taken, { ...none("0a1b"), action: "adopt" }, { old: evaluated([]) }],
  ["that is new and would be adopted", taken, { action: "adopt" }, { old: undefined }],
  ["with an operation in progress", unready("Deploying"), none("Deploying: Deploying.")],
  ["with drift that its policies keep", drifted, none("differences on the platform are not corrected")],
  ["with settings that cannot be sent", evaluated(beside), none(UNSENT)],
  ["with such settings and a further change", changing, { action: "deploy", note: UNSENT }],
  [
    "with such settings that is Stalled",
    evaluated([...beside, conflict]),
    error(`NameConflict: NameConflict. ${UNSENT}`),
  ],
  ["with such settings that is paused", pausedUnsent, none("it is paused")],
  ["that is paused", paused, none("it is paused")],
  ["that is being deleted", deleted, none("it is being deleted")],
])("a plan shows the action and the note of an object %s", (_what, object, row, more = {}) => {
  const shown = rowOf({ object, old: object, problem: undefined, ...more });
  expect(shown).toMatchObject({ kind: "PlatformApplication", namespace: "shop", name: "api", ...row });
});
