/**
 * The write-ahead ledger (docs/architecture.md §6): one slot per object. An intent is written before a POST. An intent
 * that this reconcile did not write is never executed, only traced. Pure.
 */
import { isUuid } from "../../api/fields.ts";
import { isObject, member, stringMember, tryParseJson } from "../../kube/api/json.ts";
import type { Json, JsonObject } from "../../kube/api/types.ts";
import type { OpenIntent, Uuid } from "../contract/kind.ts";

/** One slot of the ledger, as stored: in an annotation for a create, in `status.intent` for an action. */
export interface Intent {
  readonly v: 1;
  /** The uid of the custom resource. A copied manifest carries the intent of another one. */
  readonly uid: string;
  /** The uid of the kube-system namespace. A restored copy of a cluster carries the uid of the old one. */
  readonly installation: string;
  /** Unique per attempt, so that a process recognizes the intents that it wrote itself. */
  readonly attempt: string;
  readonly op: string;
  readonly creates: boolean;
  readonly generation: number;
  readonly parentId?: Uuid;
  readonly name?: string;
  readonly id?: Uuid;
  readonly commit?: string;
  readonly mark: Json;
  /** For a create that the platform accepted without an id: what the kind keeps of the answer. */
  readonly accepted?: JsonObject;
  /** The intent repeats an action that was not confirmed. It is not repeated itself. */
  readonly repetition?: true;
}

export type Slot =
  | { readonly is: "empty" }
  | { readonly is: "open"; readonly intent: Intent }
  /** Written by an unknown version: nothing is done until a person looks. */
  | { readonly is: "unreadable" };

/** Reads a slot. @param raw the annotation's text or the status member; anything but version 1 is unreadable. */
export function readSlot(raw: Json | undefined): Slot {
  if (raw === undefined || raw === null || raw === "") return { is: "empty" };
  const intent = readIntent(typeof raw === "string" ? tryParseJson(raw) : raw);
  return intent === undefined ? { is: "unreadable" } : { is: "open", intent };
}

function readIntent(value: Json | undefined): Intent | undefined {
  const text = (name: string): string => stringMember(value, name) ?? "";
  const [uid, installation, attempt, op] = [text("uid"), text("installation"), text("attempt"), text("op")];
  const generation = member(value, "generation");
  const creates = member(value, "creates");
  const complete = [uid, installation, attempt, op].every((field) => field !== "");
  if (member(value, "v") !== 1 || !complete) return undefined;
  if (typeof generation !== "number" || typeof creates !== "boolean") return undefined;
  const optional = Object.fromEntries(
    ["parentId", "name", "id", "commit"].flatMap((name) => (text(name) === "" ? [] : [[name, text(name)]])),
  );
  // The ids become parts of paths.
  const ids = [optional["parentId"], optional["id"]];
  if (ids.some((id) => id !== undefined && !isUuid(id))) return undefined;
  const accepted = member(value, "accepted");
  return {
    v: 1,
    uid,
    installation,
    attempt,
    op,
    creates,
    generation,
    mark: member(value, "mark") ?? null,
    ...(isObject(accepted) && { accepted }),
    ...(member(value, "repetition") === true && { repetition: true }),
    ...optional,
  };
}

/** Returns the slot as it is stored in the annotation or in status. */
export function writeSlot(intent: Intent): JsonObject {
  return { ...intent };
}

/** Returns what a kind's trace sees of an intent. */
export function openIntent(intent: Intent): OpenIntent {
  const { op, creates, parentId, name, id, commit, mark, accepted, repetition } = intent;
  const extra = { ...(accepted !== undefined && { accepted }), ...(repetition && { repetition }) };
  return { op, creates, parentId, name, id, commit, mark, ...extra };
}

/** How this process knows an intent. */
export interface Knowledge {
  readonly uid: string;
  readonly generation: number;
  /** The attempts that this process wrote, or may have written, and certainly did not send. */
  readonly unsent: readonly string[];
  /** Milliseconds since this process first saw the attempt, on a monotonic clock. */
  readonly seenForMs: number;
  /** The landing window: send window, deadline and time to land (60 s; scaled in tests). */
  readonly landingMs: number;
  /** The user resolved the create: `resolve: recreate`, or the id of its result in spec.externalId. */
  readonly resolved: boolean;
}

/** What to do about an open intent before anything else. */
export type Duty =
  /** It was not executed, is another installation's, or was given up: clear the slot and continue. */
  | "clear"
  /** It is a repetition that was not sent: plan again; it is still the repetition. */
  | "repeat"
  | "trace";

/** Decides between tracing an open intent and continuing without a trace. */
export function duty(intent: Intent, known: Knowledge): Duty {
  if (intent.uid !== known.uid) return "clear";
  if (known.unsent.includes(intent.attempt))
    return intent.repetition === true && known.generation === intent.generation ? "repeat" : "clear";
  if (intent.creates && known.resolved) return "clear";
  return "trace";
}

/**
 * Reports whether the request of an intent may begin: soon after the intent was written, and while the lease outlasts
 * it.
 * @param sinceMs milliseconds since the write of the intent began, on a monotonic clock, so that a process that was
 * frozen since then does not send
 */
export function maySend(now: { readonly sinceMs: number; readonly sendMs: number; readonly leads: boolean }): boolean {
  return now.leads && now.sinceMs <= now.sendMs;
}

/** The result of a trace. */
export type Finding = "landed" | "absent" | "repeatable" | "unknowable";
export type Decision = "record" | "retry" | "repeat" | "wait" | "giveUp";

/**
 * Decides what follows from a trace. "retry" clears the slot, and the plan decides anew. "repeat" lets the plan decide
 * anew while the slot stays open, so that an action is repeated once, whenever the process ends. "wait" traces again
 * later, because a slow request may still land. "giveUp" stalls, as only a person can know. An accepted create is never
 * sent again.
 */
export function decide(finding: Finding, intent: Intent, known: Knowledge): Decision {
  if (finding === "landed") return "record";
  const settled = known.seenForMs >= known.landingMs;
  if (finding === "absent" && intent.accepted !== undefined) return settled ? "giveUp" : "wait";
  if (finding === "absent") return settled ? "retry" : "wait";
  if (intent.creates) return "giveUp";
  if (!settled) return "wait";
  // A newer generation supersedes an unconfirmed action, never an unconfirmed create.
  if (known.generation > intent.generation) return "retry";
  return finding === "repeatable" && intent.repetition !== true ? "repeat" : "giveUp";
}
