/** Hop 6 of a reconcile: one step, with the ledger where it must not happen twice (docs/architecture.md §6). */
import { INTENT } from "../../api/names.ts";
import { isKube, KubeError } from "../../kube/api/errors.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { ApiError, notExecuted } from "../../platform/transport/errors.ts";
import type { Ports } from "../context/context.ts";
import type { Unsaved } from "../context/local-state.ts";
import type { Kind, Known, Step, Uuid, Why, KindTypes } from "../contract/kind.ts";
import { maySend, writeSlot, type Intent } from "../ledger/ledger.ts";
import { noteStarted } from "../ledger/one-shot.ts";
import { clearIntent, finalizerDue, finalizersWith, hasFinalizer, recordAccepted, recordId } from "../ledger/record.ts";
import { noteDeleted } from "../ownership/presence.ts";
import { isBroughtAbout } from "../policies/policy-status.ts";
import type { Reconciliation } from "../resolve/frame.ts";
import { recordedId } from "../resolve/resolve.ts";
import { buildStatus, type Result } from "../status/build.ts";
import type { Phase } from "../status/errors.ts";
import { announce } from "../status/transitions.ts";
import { reportChange } from "./changes.ts";

export type Executed<K extends KindTypes> =
  | { readonly is: "done"; readonly frame: Reconciliation<K>; readonly known: Known<K["observed"], K["memory"]> }
  | Failed<K>
  | { readonly is: "ended"; readonly frame: Reconciliation<K>; readonly result: Result };

export type Failed<K extends KindTypes> = {
  readonly is: "failed";
  readonly frame: Reconciliation<K>;
} & { readonly error: ApiError; readonly phase: Phase };

type Work<K extends KindTypes> = {
  readonly ports: Ports<K["api"]>;
  readonly kind: Kind<K>;
  readonly frame: Reconciliation<K>;
  readonly seen: K["observed"];
};

const NOT_LEADER: Result = {
  is: "waiting",
  why: { reason: "Progressing", message: "Waiting for an operator that holds the lease." },
  exchange: "none",
};

/**
 * Runs one step: at most one request to the platform, after the API server confirmed that the object is still the one
 * that was planned for. @throws KubeError "Conflict" or "NotFound" when it is not, and others
 */
export async function execute<K extends KindTypes>(work: Work<K>, step: Step<K["action"]>): Promise<Executed<K>> {
  const { ports, frame } = work;
  if (!ports.fence.mayWrite()) return { is: "ended", frame, result: NOT_LEADER };
  const { generation = 0 } = frame.object.metadata;
  // Storing an outcome returned a newer object than the one that was planned for.
  if (generation !== frame.context.resource.generation)
    throw new KubeError("Conflict", 409, "the spec changed within the pass");
  const held = brake(ports, frame);
  if (held !== undefined) return { is: "ended", frame, result: { is: "held", why: held, stale: false } };
  return await (step.repeat === "safe" ? safely(work, step) : once(work, step));
}

/**
 * Applies the limit of mass changes to a write that no new generation, deletion or request of the user caused.
 * @returns the reason to wait; undefined where the write may go
 */
export function brake<K extends KindTypes>(
  ports: Ports<K["api"]>,
  { object, connection, context }: Reconciliation<K>,
): Why | undefined {
  if (context.goal !== "present" || context.requested !== undefined) return undefined;
  if (!isBroughtAbout(object)) return undefined;
  if (connection.brake.take(connection.users.size)) return undefined;
  ports.connections.suspect(connection);
  const message = `Waiting for ${connection.key.kind} "${connection.key.name}" (reason MassChangeHeld).`;
  return { reason: "ConnectionNotReady", message };
}

/**
 * Runs a repeatable step. It needs no intent, but the API server has to confirm the object first: a cache that is
 * behind could direct a deletion at the successor of a deleted object (docs/reliability.md B1).
 */
async function safely<K extends KindTypes>(work: Work<K>, step: Step<K["action"]>): Promise<Executed<K>> {
  const { ports } = work;
  const memory = work.kind.prepare?.(step, work.frame.context, work.seen);
  const frame = memory === undefined ? await confirmed(work) : await prepared(work, memory);
  if (!ports.fence.mayWrite()) return { is: "ended", frame, result: NOT_LEADER };
  const phase: Phase = frame.context.goal === "absent" ? "delete" : "put";
  const sent = await send({ ...work, frame }, step);
  if (sent instanceof ApiError) return { is: "failed", frame, error: sent, phase };
  if (phase === "delete") noteDeleted(frame.local, frame.context.id);
  return { is: "done", frame: remember(frame, sent), known: sent };
}

async function confirmed<K extends KindTypes>({ ports, frame }: Work<K>): Promise<Reconciliation<K>> {
  await ports.writer.confirm(frame.object);
  return frame;
}

/** Stores what the kind wants to remember whatever becomes of its request. @throws KubeError "Conflict" */
async function prepared<K extends KindTypes>(work: Work<K>, memory: K["memory"]): Promise<Reconciliation<K>> {
  const frame = { ...work.frame, context: { ...work.frame.context, memory } };
  const why: Why = { reason: "Progressing", message: "A request is on its way to the platform." };
  const object = await announced({ ...work, frame }, why, undefined);
  // What is stored already was not written again, and so was not confirmed.
  if (object === work.frame.object) await work.ports.writer.confirm(object);
  return { ...frame, object };
}

async function once<K extends KindTypes>(
  work: Work<K>,
  step: Extract<Step<K["action"]>, { repeat: "once" }>,
): Promise<Executed<K>> {
  const { ports, kind } = work;
  const phase: Phase = step.creates ? "create" : "action";
  try {
    await work.frame.connection.api.reserve();
  } catch (error) {
    if (error instanceof ApiError) return { is: "failed", frame: work.frame, error, phase };
    throw error;
  }
  const intent = intentOf(work, step);
  const started = ports.clock.monotonic();
  // Until the request begins, also for an intent of which it is unknown whether it was stored.
  work.frame.local.unsent = [...work.frame.local.unsent, intent.attempt];
  const frame = await writeIntent(work, step, intent);
  // The older intents would be refused by now.
  frame.local.unsent = [intent.attempt];
  const sinceMs = ports.clock.monotonic() - started;
  if (!maySend({ sinceMs, sendMs: ports.windows.sendMs, leads: ports.fence.mayWrite() })) {
    return { is: "ended", frame, result: NOT_LEADER };
  }
  frame.local.unsent = [];
  const sent = await send({ ...work, frame }, step);
  if (sent instanceof ApiError) return await unsentOrUnknown(work, frame, intent, sent, phase);
  if (!step.creates) return { is: "done", frame: remember(frame, sent), known: sent };
  frame.local.recreates = false;
  if (sent.id === undefined) return await withoutId({ ...work, frame }, intent, sent.memory);
  frame.local.answered = { attempt: intent.attempt, id: sent.id, memory: sent.memory };
  return { is: "done", frame: await recordAnswer(ports, kind, frame, { ...sent, id: sent.id }), known: sent };
}

/** Stores the platform's answer to a create. @throws KubeError see `recordId` */
export async function recordAnswer<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  frame: Reconciliation<K>,
  answer: { readonly id: Uuid; readonly memory: K["memory"] },
): Promise<Reconciliation<K>> {
  const stored = await recordId(ports, frame, answer.id, kind.keep?.(answer.memory));
  frame.local.answered = undefined;
  return remember({ ...frame, object: stored ?? frame.object }, answer);
}

/** Records a create that was answered without an id. It is traced like one without an answer, and never sent again. */
async function withoutId<K extends KindTypes>(
  { ports, kind, frame }: Work<K>,
  intent: Intent,
  memory: K["memory"],
): Promise<Executed<K>> {
  const stored = await recordAccepted(ports, frame.object, intent, kind.keep?.(memory) ?? {});
  const error = new ApiError(intent.op, { is: "OutcomeUnknown" }, 200, "the answer has no id");
  return { is: "failed", frame: { ...frame, object: stored ?? frame.object }, error, phase: "create" };
}

/**
 * Closes the intent of a request that was certainly not executed, except that of a repetition. Others stay to be
 * traced.
 */
async function unsentOrUnknown<K extends KindTypes>(
  work: Work<K>,
  frame: Reconciliation<K>,
  intent: Intent,
  error: ApiError,
  phase: Phase,
): Promise<Executed<K>> {
  if (!notExecuted(error.failure)) return { is: "failed", frame, error, phase };
  frame.local.unsent = [intent.attempt];
  if (!intent.creates) {
    if (intent.repetition !== true) frame.local.unsaved = closed(frame);
    return { is: "failed", frame, error, phase };
  }
  const object = await clearIntent(work.ports, frame.object);
  return { is: "failed", frame: { ...frame, object }, error, phase };
}

async function send<K extends KindTypes>(
  work: Work<K>,
  step: Step<K["action"]>,
): Promise<Known<K["observed"], K["memory"]> | ApiError> {
  const { ports, kind, frame, seen } = work;
  try {
    const known = await kind.act(step, frame.context, seen, frame.connection.api);
    reportChange(ports, frame, step, { id: known.id });
    if (kind.externalWrites !== undefined)
      ports.externalWrites.note(
        frame.object,
        kind.externalWrites(known.memory, frame.context.spec),
        frame.recordedIdentity,
      );
    return known;
  } catch (error) {
    reportChange(ports, frame, step, { error });
    if (!(error instanceof ApiError)) throw error;
    return (notExecuted(error.failure) ? kind.oneShot?.refused(error, frame.context, seen) : undefined) ?? error;
  }
}

/** Continues the reconcile with what is known now. It is unsaved until a status write succeeds. */
export function remember<K extends KindTypes>(
  frame: Reconciliation<K>,
  known: Pick<Known<unknown, K["memory"]>, "id" | "memory">,
): Reconciliation<K> {
  const identity = known.id === undefined ? {} : ({ id: known.id, identitySource: "recorded" } as const);
  const context = { ...frame.context, ...identity, memory: known.memory };
  const next = { ...frame, context };
  frame.local.unsaved = closed(next);
  return next;
}

/** Returns what a reconcile knows and has not stored, with no action open any more. */
export function closed<K extends KindTypes>({ object, context }: Reconciliation<K>): Unsaved {
  return { id: recordedId(context), memory: context.memory, intentClosed: true, over: object.status };
}

function intentOf<K extends KindTypes>(work: Work<K>, step: Extract<Step<K["action"]>, { repeat: "once" }>): Intent {
  const { ports, frame } = work;
  const attempt = `${frame.context.resource.generation}-${Math.floor(ports.random() * 2 ** 48).toString(36)}`;
  return {
    v: 1,
    uid: frame.object.metadata.uid,
    installation: ports.installation,
    attempt,
    op: step.op,
    creates: step.creates,
    generation: frame.context.resource.generation,
    ...(frame.recordedIdentity.parentId === undefined ? {} : { parentId: frame.recordedIdentity.parentId }),
    ...(step.name === undefined ? {} : { name: step.name }),
    ...(frame.context.id === undefined ? {} : { id: frame.context.id }),
    ...(step.commit === undefined ? {} : { commit: step.commit }),
    mark: step.mark,
    ...(frame.repeats === step.op && { repetition: true }),
  };
}

/** Writes the intent, checked by resourceVersion: a conflict ends the reconcile. @throws KubeError "Conflict" */
async function writeIntent<K extends KindTypes>(
  work: Work<K>,
  step: Extract<Step<K["action"]>, { repeat: "once" }>,
  intent: Intent,
): Promise<Reconciliation<K>> {
  const { ports, kind, frame } = work;
  frame.local.seenIntent = { attempt: intent.attempt, at: ports.clock.monotonic() };
  if (step.creates) {
    const finalizers =
      finalizerDue(frame) && !hasFinalizer(frame.object) ? { finalizers: finalizersWith(frame.object, true) } : {};
    const annotations = { [INTENT]: JSON.stringify(writeSlot(intent)) };
    return { ...frame, object: await ports.writer.patchChecked(frame.object, { annotations, ...finalizers }) };
  }
  const object = await announced(work, intent.repetition === true ? sentAgain(step.why) : step.why, intent);
  return { ...frame, object: kind.oneShot === undefined ? object : await noteStarted(ports, object) };
}

function sentAgain({ reason, message }: Why): Why {
  const again = "The platform did not confirm the same order before, and nothing shows whether it was carried out";
  return { reason, message: `${message} ${again}: it is sent once more, which changes nothing if it was.` };
}

/** Writes the status that precedes a request. @throws KubeError "Conflict" */
async function announced<K extends KindTypes>(
  { ports, kind, frame, seen }: Work<K>,
  why: Why,
  intent: Intent | undefined,
): Promise<KubeObject> {
  const status = buildStatus({
    object: frame.object,
    result: { is: "waiting", why, exchange: "ok" },
    report: kind.report(frame.context, seen),
    memory: frame.context.memory,
    id: recordedId(frame.context),
    recordedIdentity: frame.recordedIdentity,
    intent,
    handled: undefined,
    policyStatus: frame.policyStatus,
    now: frame.context.now,
  });
  const object = await ports.writer.patchStatus(frame.object, status);
  announce(ports.events, frame.object, object);
  frame.local.unsaved = undefined;
  return object;
}

/** Reports whether an error only means that the object changed or was deleted: the watch delivers the new state. */
export function isMoved(error: unknown): boolean {
  return isKube(error, "Conflict") || isKube(error, "NotFound");
}
