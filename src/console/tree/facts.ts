/** What one object says of itself, in the few words that a tree has room for. Pure. */
import { z } from "zod";

import { listMember, member, stringMember } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { printable } from "../../text/text.ts";

/**
 * new: the operator has not said anything of this spec yet; working: it is under way; ready; warned: Ready, but the
 * last exchange failed or the platform differs; stalled: a person is needed; deleting.
 */
export type Mark = "new" | "working" | "ready" | "warned" | "stalled" | "deleting";

export type Fact = Readonly<ReturnType<typeof factOf>>;

const text = z.string().catch("");

/** A condition as people look at it; members that are missing are "". */
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

/** Whether the object is Ready, and says so of its current spec. */
export function isReady(object: KubeObject): boolean {
  return isObserved(object) && conditionView(object, "Ready")?.status === "True";
}

/** @param parent the id of the object that it hangs from. @returns what the object says of itself. */
export function factOf(object: KubeObject, parent?: string) {
  const { name, namespace = "" } = object.metadata;
  const { mark, word } = markOf(object);
  return {
    /** "PlatformProject/shop/web": kind, namespace, name. */
    id: factId(object.kind, namespace, name),
    kind: object.kind,
    namespace,
    name,
    parent,
    mark,
    /** The platform's own word: an application's state, a binding's layers. Empty for others. */
    state: printable(stringMember(object.status, "state") ?? stringMember(object.status, "layersEnabled") ?? ""),
    /** The reason and message of the condition that matters most. */
    reason: printable(word.reason),
    message: printable(word.message),
    /** Since when that condition is as it is, as the API server has it; empty while there is none. */
    since: word.lastTransitionTime,
    /** Of an application: the first digits of the commit of its last deployment. */
    commit: printable(stringMember(object.status, "commit") ?? ""),
    /** Its id on the platform; empty while it has none. */
    externalId: printable(stringMember(object.status, "externalId") ?? ""),
  };
}

/** @returns the id by which facts are found. */
export function factId(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

const SILENCE: Word = { reason: "", message: "Waiting for the operator.", lastTransitionTime: "" };

type Word = Pick<ConditionView, "reason" | "message" | "lastTransitionTime">;

/** How it goes, and the words that say why: trouble before progress before success. */
function markOf(object: KubeObject): { readonly mark: Mark; readonly word: Word } {
  const ready = conditionView(object, "Ready");
  if (object.metadata.deletionTimestamp !== undefined) return { mark: "deleting", word: ready ?? SILENCE };
  if (ready === undefined || !isObserved(object)) return { mark: "new", word: SILENCE };
  const stalled = conditionView(object, "Stalled");
  if (stalled?.status === "True") return { mark: "stalled", word: stalled };
  if (ready.status !== "True") return { mark: "working", word: ready };
  const synced = conditionView(object, "Synced");
  if (synced?.status === "False") return { mark: "warned", word: synced };
  const drifted = conditionView(object, "Drifted");
  if (drifted?.status === "True") return { mark: "warned", word: drifted };
  return { mark: "ready", word: ready };
}

/** Whether the status speaks of the current spec. */
function isObserved({ metadata, status }: KubeObject): boolean {
  return member(status, "observedGeneration") === (metadata.generation ?? 0);
}
