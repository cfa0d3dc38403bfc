/** Traces an intent that an earlier reconcile left open, before anything else happens (docs/project/architecture.md §6). */
import { INTENT } from "../../api/names.ts";
import { answerCommand, isAnswered } from "../../api/resolve.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { keyText, parseKey, shortName } from "../contract/keys.ts";
import type { ActionResult, Trace, StatusReason } from "../contract/kind.ts";
import {
  nextAction,
  openSlot,
  traceOutcome,
  type Intent,
  type IntentFacts,
  type IntentWriter,
  type TraceResult,
} from "../ledger/intent.ts";
import { clearIntent, finalizerDue, finalizersWith, hasFinalizer, recordId } from "../ledger/record.ts";
import { externalNameOf } from "../orphans/orphan.ts";
import type { ReconcileResult } from "../status/outcome.ts";
import type { Resolved } from "../status/reconciliation.ts";
import { noteOutcome, recordAnswer, remember } from "./execute.ts";

const UNREADABLE: StatusReason = {
  reason: "UnreadableLedger",
  message: `This resource's ledger has a form that this version of the operator does not know, e.g. that of a newer version. Nothing is written. Run that version, or remove the annotation ${INTENT} and status.writeLedger.intent once you know that nothing is under way.`,
};

/**
 * Traces an open intent, or closes it without a trace.
 * @returns how the reconcile ends, or the error of the platform; undefined once no intent is open any more
 * @throws KubeError
 */
export async function recover(r: Resolved): Promise<ReconcileResult | ApiError | undefined> {
  const { kind, local } = r;
  const slot = openSlot(r.object, local.persistence);
  if (slot.is === "empty") return undefined;
  if (slot.is === "unreadable") return { is: "stalled", why: UNREADABLE, exchange: "none" };
  const { intent } = slot;
  const { answer } = local.persistence.state;
  if (answer?.attempt === intent.attempt) {
    await recordAnswer(r, answer.id, kind.resource.memory.parse(answer.memory));
    return undefined;
  }
  const known = factsAbout(r, intent);
  const action = nextAction(intent, known);
  if (action === "repeat") {
    r.repeats = intent.op;
    return undefined;
  }
  if (action === "clear") {
    noteConfirmation(r, intent, known);
    await clear(r, intent);
    return undefined;
  }
  if (intent.creates) await addFinalizer(r);
  const parentChanged = parentChange(r, intent);
  if (parentChanged !== undefined) return { is: "stalled", why: parentChanged, exchange: "none" };
  try {
    const trace = await kind.trace(intent, r.context, r.connection.api);
    return await conclude(r, intent, trace, known);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/**
 * Adds the finalizer if it is due: a restored manifest may lack it, and the deletion policy may have changed since the
 * create began.
 */
async function addFinalizer(r: Resolved): Promise<void> {
  if (!finalizerDue(r) || hasFinalizer(r.object)) return;
  r.object = await r.ports.writer.patchChecked(r.object, { finalizers: finalizersWith(r.object, true) });
}

async function conclude(
  r: Resolved,
  intent: Intent,
  trace: Trace,
  known: IntentFacts,
): Promise<ReconcileResult | undefined> {
  const landed = trace.is === "landed" ? trace.known : [];
  const decision = traceOutcome(findingOf(trace), intent, known);
  switch (decision) {
    case "record":
      if (landed.length > 1) return { is: "stalled", why: duplicateRemote(intent, landed.length), exchange: "ok" };
      if (landed[0] !== undefined) await recordLanded(r, intent, landed[0]);
      return undefined;
    case "retry":
      await clear(r, intent);
      // The memory to keep after a request that was not executed.
      if (trace.is === "absent" && trace.memory !== undefined) remember(r, { memory: trace.memory });
      return undefined;
    case "repeat":
      r.repeats = intent.op;
      return undefined;
    case "wait":
      return { is: "waiting", why: waitingFor(intent, known), exchange: "ok" };
    case "stall": {
      const isExplained = "why" in trace && intent.accepted === undefined;
      const why = isExplained ? withAnswer(r.object, intent, trace.why) : unconfirmed(r.object, intent);
      return { is: "stalled", why: { ...why, message: `${origin(r.object, intent)}${why.message}` }, exchange: "ok" };
    }
    default:
      return decision satisfies never;
  }
}

async function recordLanded(r: Resolved, intent: Intent, known: ActionResult): Promise<void> {
  const { id, memory } = known;
  if (!intent.creates || id === undefined) {
    remember(r, known);
  } else if (r.context.goal === "present") {
    // The kind first verifies that the object lies where this resource may work, as for an id that the user gave:
    // anyone who may edit the resource can write the annotation that led to it.
    r.context = { ...r.context, id, identitySource: "given", memory };
  } else {
    r.object = (await recordId(r.ports, r, id)) ?? r.object;
    remember(r, known);
  }
}

function findingOf(trace: Trace): TraceResult {
  return trace.is === "unknowable" && trace.repeatable === true ? "repeatable" : trace.is;
}

/** Notes that a person named the object that an unconfirmed create made, before the intent is cleared. */
function noteConfirmation(r: Resolved, { creates, accepted }: Intent, { writer }: IntentFacts): void {
  const { context, kind } = r;
  if (writer !== "Own" || !creates || context.identitySource !== "given") return;
  const memory = accepted === undefined ? context.memory : kind.resource.memory.parse(accepted);
  r.context = { ...context, memory: { ...kind.adopted?.("Confirmed"), ...memory } };
}

/** Returns why a create that was sent under another parent than the current one cannot be traced. */
function parentChange({ recordedIdentity, object }: Resolved, intent: Intent): StatusReason | undefined {
  if (!intent.creates || intent.parentId === recordedIdentity.parentId) return undefined;
  const message = `An earlier create under the parent ${intent.parentId ?? "(none)"} was not confirmed, but the reference now leads to ${recordedIdentity.parentId ?? "none"}. Change the reference back until the operator knows the result. If nothing was created, run: ${recreateCommand(object, intent)}`;
  return { reason: "ParentChanged", message };
}

/**
 * Returns whose request an intent describes. A resource of the same kind, namespace and name as its writer was restored
 * from a manifest that was saved in the middle of the request.
 */
function writerOf({ ports, object, recordedIdentity }: Resolved, intent: Intent): IntentWriter {
  if (intent.uid === object.metadata.uid || intent.resource === keyText(keyOf(object))) return "Own";
  const { uid, creates, resource, name, parentId } = intent;
  const writer = parseKey(resource);
  if (!creates || writer.kind !== object.kind || parentId !== recordedIdentity.parentId) return "None";
  // The platform's names are case-insensitive (docs/project/architecture.md §9).
  if (name?.trim().toLowerCase() !== externalNameOf(object)?.trim().toLowerCase()) return "None";
  return ports.cache.get(writer)?.metadata.uid === uid ? "None" : "Left";
}

function factsAbout(r: Resolved, intent: Intent): IntentFacts {
  const { ports, local, object, context, orphan } = r;
  return {
    writer: writerOf(r, intent),
    isElsewhere: intent.release !== undefined && intent.release !== ports.operatorNamespace,
    generation: context.resource.generation,
    unsent: local.persistence.state.unsent,
    seenForMs: local.persistence.seenFor(intent.attempt, ports.clock.monotonic()),
    landingMs: ports.windows.landingMs,
    resolved:
      orphan !== undefined ||
      (context.id !== undefined && context.identitySource !== "claimed") ||
      isAnswered(object, `recreate:${intent.attempt}`),
  };
}

function recreateCommand(object: KubeObject, { attempt }: Intent): string {
  return answerCommand(keyOf(object), `recreate:${attempt}`);
}

/** Returns the sentence that says where an intent of another uid comes from; "" for any other. */
function origin(object: KubeObject, { uid, resource, name = "", op }: Intent): string {
  if (uid === object.metadata.uid) return "";
  const writer = parseKey(resource);
  const what = `The annotation ${INTENT} came with the manifest, which was saved while ${op} of "${name}" was under way`;
  if (resource === keyText(keyOf(object))) return `${what}. `;
  return `${what} for ${writer.kind} "${shortName(writer)}", which does not exist any more. This resource asks for the same object. `;
}

/** Adds the command that allows another create to the reason of a create with an unknown result. */
function withAnswer(object: KubeObject, intent: Intent, why: StatusReason): StatusReason {
  if (!intent.creates) return why;
  return {
    ...why,
    message: `${why.message} Once you know that it does not exist, run: ${recreateCommand(object, intent)}`,
  };
}

async function clear(r: Resolved, intent: Intent): Promise<void> {
  if (intent.creates) r.object = await clearIntent(r.ports, r.object);
  else noteOutcome(r);
}

function waitingFor(intent: Intent, known?: IntentFacts): StatusReason {
  const what = intent.name === undefined ? intent.op : `${intent.op} of "${intent.name}"`;
  if (known?.isElsewhere === true) {
    const message = `The operator in namespace "${intent.release ?? ""}" sent ${what}; this one watches whether it was executed. Two operators must not reconcile one namespace: give each its own list of watched namespaces.`;
    return { reason: intent.creates ? "Creating" : "Progressing", message };
  }
  const message = `An earlier ${what} was not confirmed; the operator watches whether it was executed before it tries again.`;
  return { reason: intent.creates ? "Creating" : "Progressing", message };
}

/** Returns the reason of a create that only a person can resolve. */
function unconfirmed({ kind, metadata }: KubeObject, intent: Intent): StatusReason {
  if (intent.accepted === undefined) return waitingFor(intent);
  const { name, namespace } = metadata;
  const message = `The platform accepted ${intent.op} of "${intent.name ?? ""}" without returning an id, and does not show what it created. Nothing is sent again. Look up the id on the platform, then run: kubectl platform resolve ${kind.toLowerCase()}/${name} -n ${namespace ?? ""} --id ID`;
  return { reason: "CreateResultUnknown", message };
}

function duplicateRemote(intent: Intent, count: number): StatusReason {
  const message = `${count} objects of the platform may be the result of one ${intent.op}. Nothing is deleted. Set spec.externalId to the right one.`;
  return { reason: "DuplicateRemote", message };
}
