/** Traces an intent that an earlier reconcile left open, before anything else happens (docs/architecture.md §6). */
import { INTENT, RESOLVE } from "../../api/names.ts";
import { member } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { Ports } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import type { Kind, Trace, Uuid, Why, KindTypes } from "../contract/kind.ts";
import {
  decide,
  duty,
  openIntent,
  readSlot,
  type Finding,
  type Intent,
  type Knowledge,
  type Slot,
} from "../ledger/ledger.ts";
import { clearIntent, recordId } from "../ledger/record.ts";
import type { Reconciliation } from "../resolve/frame.ts";
import type { Result } from "../status/build.ts";
import { closed, recordAnswer, remember } from "./execute.ts";

export type Recovered<K extends KindTypes> =
  /** No intent is open any more. */
  | { readonly is: "clear"; readonly frame: Reconciliation<K> }
  | { readonly is: "failed"; readonly frame: Reconciliation<K>; readonly error: ApiError }
  | { readonly is: "ended"; readonly frame: Reconciliation<K>; readonly result: Result };

/**
 * Returns the open slot: a create's annotation, or an action's member of status unless this process closed it. A record
 * that another process wrote since makes that void (see `isOvertaken`). Actions are never read from the annotation,
 * which anyone may write who may edit the object.
 */
export function openSlot(object: KubeObject, local: LocalState): Slot {
  const create = readSlot(object.metadata.annotations?.[INTENT]);
  if (create.is === "open" && !create.intent.creates) return { is: "unreadable" };
  if (create.is !== "empty") return create;
  return local.unsaved?.intentClosed ? { is: "empty" } : readSlot(member(object.status, "intent"));
}

/** Returns the action intent that is still open and stays in status. */
export function openAction(object: KubeObject, local: LocalState): Intent | undefined {
  if (local.unsaved?.intentClosed) return undefined;
  const slot = readSlot(member(object.status, "intent"));
  return slot.is === "open" ? slot.intent : undefined;
}

const UNREADABLE: Why = {
  reason: "ForeignLedger",
  message: `This resource's ledger was written by a version of the operator that this one does not know. Nothing is written. Run that version, or remove the annotation ${INTENT} and status.intent once you know that nothing is under way.`,
};

/** Finds out what became of an open intent. @throws KubeError */
export async function recover<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  frame: Reconciliation<K>,
): Promise<Recovered<K>> {
  const slot = openSlot(frame.object, frame.local);
  if (slot.is === "empty") return { is: "clear", frame };
  if (slot.is === "unreadable")
    return { is: "ended", frame, result: { is: "stalled", why: UNREADABLE, exchange: "none" } };
  const { intent } = slot;
  const { answered } = frame.local;
  if (answered?.attempt === intent.attempt) {
    const memory = kind.resource.memory.parse(answered.memory);
    return { is: "clear", frame: await recordAnswer(ports, kind, frame, { id: answered.id, memory }) };
  }
  const known = knowledge(ports, frame, intent);
  const due = duty(intent, known);
  if (due === "repeat") return { is: "clear", frame: { ...frame, repeats: intent.op } };
  if (due === "clear") return { is: "clear", frame: await dropped(ports, kind, frame, intent) };
  const moved = elsewhere(frame, intent);
  if (moved !== undefined) return { is: "ended", frame, result: { is: "stalled", why: moved, exchange: "none" } };
  let trace: Trace<K["observed"], K["memory"]>;
  try {
    trace = await kind.trace(openIntent(intent), frame.context, frame.connection.api);
  } catch (error) {
    if (error instanceof ApiError) return { is: "failed", frame, error };
    throw error;
  }
  return await conclude(ports, frame, intent, trace, known);
}

async function conclude<K extends KindTypes>(
  ports: Ports<K["api"]>,
  frame: Reconciliation<K>,
  intent: Intent,
  trace: Trace<K["observed"], K["memory"]>,
  known: Knowledge,
): Promise<Recovered<K>> {
  const finding = findingOf(trace);
  const landed = trace.is === "landed" ? trace.known : [];
  if (landed.length > 1)
    return { is: "ended", frame, result: { is: "stalled", why: several(intent, landed.length), exchange: "ok" } };
  const decision = decide(finding, intent, known);
  switch (decision) {
    case "record": {
      const only = landed[0];
      if (only === undefined) return { is: "clear", frame };
      if (!intent.creates || only.id === undefined) return { is: "clear", frame: remember(frame, only) };
      if (frame.context.goal === "present") return { is: "clear", frame: found(frame, only.memory, only.id) };
      const object = await recordId(ports, frame, only.id);
      return { is: "clear", frame: remember({ ...frame, object: object ?? frame.object }, only) };
    }
    case "retry":
      return { is: "clear", frame: withMemory(await clear(ports, frame, intent), trace) };
    case "repeat":
      return { is: "clear", frame: { ...frame, repeats: intent.op } };
    case "wait":
      return { is: "ended", frame, result: { is: "waiting", why: waiting(intent), exchange: "ok" } };
    case "giveUp": {
      const why =
        trace.is === "unknowable" && intent.accepted === undefined ? trace.why : unconfirmed(frame.object, intent);
      return { is: "ended", frame, result: { is: "stalled", why, exchange: "ok" } };
    }
    default:
      return decision satisfies never;
  }
}

function findingOf<K extends KindTypes>(trace: Trace<K["observed"], K["memory"]>): Finding {
  return trace.is === "unknowable" && trace.repeatable === true ? "repeatable" : trace.is;
}

/**
 * Treats what a trace found like an id that the user gave: the kind first verifies that it lies where this resource may
 * work. Anyone who may edit the object can write the annotation that led to it.
 */
function found<K extends KindTypes>(frame: Reconciliation<K>, memory: K["memory"], id: Uuid): Reconciliation<K> {
  return { ...frame, context: { ...frame.context, id, identitySource: "given", memory } };
}

/** Clears an intent that needs no trace. */
async function dropped<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  frame: Reconciliation<K>,
  intent: Intent,
): Promise<Reconciliation<K>> {
  const confirmedByUser =
    intent.uid === frame.object.metadata.uid && intent.creates && frame.context.identitySource === "given";
  return await clear(ports, confirmedByUser ? vouchedFor(kind, frame, intent) : frame, intent);
}

/** Handles the answer of a person as to which object an unconfirmed create made. */
function vouchedFor<K extends KindTypes>(
  { resource }: { readonly resource: { readonly memory: { parse(kept: unknown): K["memory"] } } },
  frame: Reconciliation<K>,
  { accepted }: Intent,
): Reconciliation<K> {
  const memory = accepted === undefined ? frame.context.memory : resource.memory.parse(accepted);
  return {
    ...frame,
    context: { ...frame.context, memory, records: { ...frame.context.records, confirmedByUser: true } },
  };
}

/** Returns why a create that was sent under another parent than the current one cannot be traced. */
function elsewhere<K extends KindTypes>({ recordedIdentity }: Reconciliation<K>, intent: Intent): Why | undefined {
  if (!intent.creates || intent.parentId === recordedIdentity.parentId) return undefined;
  const message = `An earlier create under the parent ${intent.parentId ?? "(none)"} was not confirmed, but the reference now leads to ${recordedIdentity.parentId ?? "none"}. Point it back until that is found out, or set the annotation ${RESOLVE}=recreate.`;
  return { reason: "ParentChanged", message };
}

function knowledge<K extends KindTypes>(ports: Ports<K["api"]>, frame: Reconciliation<K>, intent: Intent): Knowledge {
  const now = ports.clock.monotonic();
  if (frame.local.seenIntent?.attempt !== intent.attempt) frame.local.seenIntent = { attempt: intent.attempt, at: now };
  return {
    uid: frame.object.metadata.uid,
    generation: frame.context.resource.generation,
    unsent: frame.local.unsent,
    seenForMs: now - frame.local.seenIntent.at,
    landingMs: ports.windows.landingMs,
    resolved: frame.context.identitySource === "given" || frame.object.metadata.annotations?.[RESOLVE] === "recreate",
  };
}

async function clear<K extends KindTypes>(
  ports: Ports<K["api"]>,
  frame: Reconciliation<K>,
  intent: Intent,
): Promise<Reconciliation<K>> {
  if (intent.creates) return { ...frame, object: await clearIntent(ports, frame.object) };
  frame.local.unsaved = closed(frame);
  return frame;
}

/** Adds what to remember of a request that was not executed. */
function withMemory<K extends KindTypes>(
  frame: Reconciliation<K>,
  trace: Trace<K["observed"], K["memory"]>,
): Reconciliation<K> {
  if (trace.is !== "absent" || trace.memory === undefined) return frame;
  return remember(frame, { memory: trace.memory });
}

function waiting(intent: Intent): Why {
  const what = intent.name === undefined ? intent.op : `${intent.op} of "${intent.name}"`;
  return {
    reason: intent.creates ? "Creating" : "Progressing",
    message: `An earlier ${what} was not confirmed; the operator watches whether it was executed before it tries again.`,
  };
}

/** Returns the reason of a create that only a person can resolve. */
function unconfirmed({ kind, metadata }: KubeObject, intent: Intent): Why {
  if (intent.accepted === undefined) return waiting(intent);
  const { name, namespace } = metadata;
  const message = `The platform accepted ${intent.op} of "${intent.name ?? ""}" without telling an id, and does not show what it created. Nothing is sent again. Look up the id on the platform, then run: kubectl platform resolve ${kind.toLowerCase()}/${name} -n ${namespace ?? ""} --id ID`;
  return { reason: "CreateResultUnknown", message };
}

function several(intent: Intent, count: number): Why {
  return {
    reason: "DuplicateRemote",
    message: `${count} objects of the platform may be the result of one ${intent.op}. Nothing is deleted. Set spec.externalId to the right one.`,
  };
}
