/** A short summary of one object for a tree. Pure. */
import { z } from "zod";

import { isGoalReached } from "../../engine/contract/status.ts";
import { listMember, member, stringMember } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { printable } from "../../text/text.ts";

/**
 * new: the status does not cover this spec yet; working: it is being reconciled; ready; warned: Ready, but the last
 * exchange failed or the platform differs, or nothing is left to do and the platform does not show the state; stalled:
 * a person is needed; deleting.
 */
export type Mark = "new" | "working" | "ready" | "warned" | "stalled" | "deleting";

export type ObjectSummary = Readonly<ReturnType<typeof summarize>>;

const text = z.string().catch("");

/** A condition for display; missing members are "". */
const condition = z.object({ type: text, status: text, reason: text, message: text, lastTransitionTime: text });
type ConditionView = Readonly<z.output<typeof condition>>;

/** @returns the conditions in their order. */
export function conditionViews({ status }: KubeObject): readonly ConditionView[] {
  return listMember(status, "conditions").flatMap((entry) => condition.safeParse(entry).data ?? []);
}

/** @returns the condition of that type. */
export function conditionView(object: KubeObject, type: string): ConditionView | undefined {
  return conditionViews(object).find((one) => one.type === type);
}

/** Reports whether the goal is reached for the current spec, as far as the platform shows it. */
export function isReady(object: KubeObject): boolean {
  return isObserved(object) && isGoalReached(conditionView(object, "Ready"));
}

/** @param parent the id of its parent. @returns the summary of the object */
export function summarize(object: KubeObject, parent?: string) {
  const { name, namespace = "" } = object.metadata;
  const { mark, cause } = markOf(object);
  return {
    /** "PlatformProject/shop/web": kind, namespace, name. */
    id: summaryId(object.kind, namespace, name),
    kind: object.kind,
    namespace,
    name,
    parent,
    mark,
    /** The state as the platform spells it: an application's state, a binding's layers; empty for other kinds. */
    state: printable(stringMember(object.status, "state") ?? stringMember(object.status, "layersEnabled") ?? ""),
    /** The reason and message of the condition that matters most. */
    reason: printable(cause.reason),
    message: printable(cause.message),
    /** The last transition of that condition, as the API server has it; empty without a condition. */
    since: cause.lastTransitionTime,
    /** The abbreviated commit of an application's last deployment. */
    commit: printable(stringMember(object.status, "commit") ?? ""),
    /** Its id on the platform; empty while it has none. */
    externalId: printable(stringMember(object.status, "externalId") ?? ""),
  };
}

/** @returns the id of a summary */
export function summaryId(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

const NO_CONDITION: Cause = { reason: "", message: "Waiting for the operator.", lastTransitionTime: "" };

type Cause = Pick<ConditionView, "reason" | "message" | "lastTransitionTime">;

/** Returns the mark, and the condition that explains it: failures before progress before success. */
function markOf(object: KubeObject): { readonly mark: Mark; readonly cause: Cause } {
  const ready = conditionView(object, "Ready");
  if (object.metadata.deletionTimestamp !== undefined) return { mark: "deleting", cause: ready ?? NO_CONDITION };
  if (ready === undefined || !isObserved(object)) return { mark: "new", cause: NO_CONDITION };
  const stalled = conditionView(object, "Stalled");
  if (stalled?.status === "True") return { mark: "stalled", cause: stalled };
  if (!isGoalReached(ready)) return { mark: "working", cause: ready };
  const warning = warningOf(object, ready);
  return warning === undefined ? { mark: "ready", cause: ready } : { mark: "warned", cause: warning };
}

/** Returns the condition that a person should look at, although nothing is left to do. */
function warningOf(object: KubeObject, ready: ConditionView): ConditionView | undefined {
  const synced = conditionView(object, "Synced");
  if (synced?.status === "False") return synced;
  const settings = conditionView(object, "SettingsSynced");
  if (settings?.status === "False") return settings;
  const drifted = conditionView(object, "Drifted");
  if (drifted?.status === "True") return drifted;
  return ready.status === "True" ? undefined : ready;
}

/** Reports whether the status is about the current spec. */
function isObserved({ metadata, status }: KubeObject): boolean {
  return member(status, "observedGeneration") === (metadata.generation ?? 0);
}
