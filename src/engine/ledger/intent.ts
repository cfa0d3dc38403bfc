/**
 * The write-ahead ledger (docs/project/architecture.md §6): one slot per object. An intent is written before a POST. An intent
 * that this reconcile did not write is never executed, only traced. Pure.
 */
import { z } from "zod";

import { isUuid } from "../../api/fields.ts";
import { INTENT } from "../../api/names.ts";
import { isObject, tryParseJson } from "../../kube/api/json.ts";
import type { Json, JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Persistence } from "../context/persistence.ts";
import { recordedIn } from "../contract/status.ts";

const filled = z.string().min(1);
/** An id becomes a part of a URL path, so it must be a UUID. */
const id = z.string().refine(isUuid).optional();
const text = filled.optional().catch(undefined);

/** One slot of the ledger, as stored: in an annotation for a create, in the status for an action. */
const stored = z.object({
  v: z.literal(1),
  /** The uid of the custom resource. A saved or copied manifest carries the intent of another resource. */
  uid: filled,
  /** The key of the custom resource, see `keyText`. */
  resource: z.string().regex(/^[A-Za-z]{1,63}\/[a-z0-9.-]{0,63}\/[a-z0-9.-]{1,253}$/),
  /** The uid of the kube-system namespace. A restored copy of a cluster carries the uid of the old one. */
  installation: filled,
  /** The operator's namespace, which tells two installations in one cluster apart. */
  release: text,
  /** Unique per attempt, so that a process recognizes the intents that it wrote itself. */
  attempt: filled,
  op: filled,
  creates: z.boolean(),
  generation: z.number(),
  parentId: id,
  name: text,
  id,
  commit: text,
  mark: z.custom<Json>().default(null),
  /** For a create that the platform accepted without an id: what the kind keeps of the answer. */
  accepted: z.custom<JsonObject>(isObject).optional().catch(undefined),
  /** The intent repeats an action that was not confirmed. It is not repeated itself. */
  repetition: z.literal(true).optional().catch(undefined),
});

export type Intent = Readonly<z.output<typeof stored>>;

export type Slot =
  | { readonly is: "empty" }
  | { readonly is: "open"; readonly intent: Intent }
  /** Written by an unknown version: the operator writes nothing until a person resolves it. */
  | { readonly is: "unreadable" };

/** Reads a slot. @param raw the annotation's text or the status member; anything but version 1 is unreadable. */
export function readSlot(raw: Json | undefined): Slot {
  if (raw === undefined || raw === null || raw === "") return { is: "empty" };
  const intent = stored.safeParse(typeof raw === "string" ? tryParseJson(raw) : raw).data;
  return intent === undefined ? { is: "unreadable" } : { is: "open", intent };
}

/**
 * Returns the open slot: a create's annotation, or the intent of an action in the status, unless this process closed
 * it. Actions are never read from the annotation, which anyone who may edit the object can write.
 */
export function openSlot(object: KubeObject, persistence: Persistence): Slot {
  const create = readSlot(object.metadata.annotations?.[INTENT]);
  if (create.is === "open" && !create.intent.creates) return { is: "unreadable" };
  if (create.is !== "empty") return create;
  return persistence.state.outcome?.closesIntent ? { is: "empty" } : readSlot(recordedIn(object, "intent"));
}

/** Returns the action intent that is still open and stays in status. */
export function openAction(object: KubeObject, persistence: Persistence): Intent | undefined {
  if (persistence.state.outcome?.closesIntent) return undefined;
  const slot = readSlot(recordedIn(object, "intent"));
  return slot.is === "open" ? slot.intent : undefined;
}

/**
 * Whose request an intent describes: that of the resource that carries it ("Own"); that of another resource, which does
 * not exist any more and created the same object of the platform that this one would create ("Left"); or one that does
 * not concern this resource ("None").
 */
export type IntentWriter = "Own" | "Left" | "None";

/** What this process knows of an open intent. */
export interface IntentFacts {
  readonly writer: IntentWriter;
  /** Another installation in the cluster wrote it, and may be about to record its result. */
  readonly isElsewhere: boolean;
  readonly generation: number;
  /** The attempts that this process wrote, or may have written, and certainly did not send. */
  readonly unsent: readonly string[];
  /** Milliseconds since this process first saw the attempt, on a monotonic clock. */
  readonly seenForMs: number;
  /** The landing window: send window, deadline and time to land (60 s; scaled in tests). */
  readonly landingMs: number;
  /** The create is resolved: by the user (`recreate:<attempt>`), or as the id of its result is known. */
  readonly resolved: boolean;
}

/** What to do about an open intent before anything else. */
export type NextAction =
  /** It was not executed, does not concern this resource, or is resolved: clear the slot and continue. */
  | "clear"
  /** It is a repetition that was not sent: plan again. The next attempt still counts as the repetition. */
  | "repeat"
  | "trace";

/** Returns what to do about an open intent: trace it, or continue without a trace. */
export function nextAction(intent: Intent, known: IntentFacts): NextAction {
  if (known.writer === "None") return "clear";
  if (known.unsent.includes(intent.attempt))
    return intent.repetition === true && known.generation === intent.generation ? "repeat" : "clear";
  if (intent.creates && known.resolved) return "clear";
  return "trace";
}

/**
 * Returns why the request of an intent must not be sent: the lease does not outlast the request, or the send window is
 * over.
 * @param sinceMs milliseconds since the write of the intent began, on a monotonic clock, so that a process that was
 * frozen since then does not send
 * @returns undefined where it may be sent
 */
export function whyNotSend(now: {
  readonly sinceMs: number;
  readonly sendMs: number;
  readonly leads: boolean;
}): "NotLeader" | "TooLate" | undefined {
  if (!now.leads) return "NotLeader";
  return now.sinceMs > now.sendMs ? "TooLate" : undefined;
}

/** The result of a trace. */
export type TraceResult = "landed" | "absent" | "repeatable" | "unknowable" | "unread";
export type TraceOutcome = "record" | "retry" | "repeat" | "wait" | "stall";

/**
 * Returns what follows from a trace. "retry" clears the slot and plans again. "repeat" plans again while the slot stays
 * open, so that an action is repeated at most once, even if the process ends in between. "wait" traces again later,
 * because a slow request may still land, or a read may still succeed. "stall" ends in Stalled, as only a person can know. An
 * accepted create is never sent again. The result of another resource's create is not recorded: where a read shows it,
 * the plan decides whether it is adopted.
 */
export function traceOutcome(finding: TraceResult, intent: Intent, known: IntentFacts): TraceOutcome {
  if (finding === "landed") return known.writer === "Left" ? "retry" : "record";
  if (finding === "unknowable" && intent.creates && !known.isElsewhere) return "stall";
  if (known.seenForMs < known.landingMs) return "wait";
  if (intent.creates) return finding === "absent" && intent.accepted === undefined ? "retry" : "stall";
  return actionOutcome(finding, intent, known);
}

function actionOutcome(finding: Exclude<TraceResult, "landed">, intent: Intent, known: IntentFacts): TraceOutcome {
  // A newer generation supersedes an unconfirmed action, never an unconfirmed create.
  if (finding === "absent" || known.generation > intent.generation) return "retry";
  return finding === "repeatable" && intent.repetition !== true ? "repeat" : "stall";
}
