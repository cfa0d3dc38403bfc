/** Hop 6 of a reconcile: one step, with the ledger where it must not happen twice (docs/project/architecture.md §6). */
import { INTENT } from "../../api/names.ts";
import { hasObject } from "../../api/resource.ts";
import { isKube, KubeError } from "../../kube/api/errors.ts";
import { keyOf } from "../../kube/api/objects.ts";
import { ApiError, notExecuted } from "../../platform/transport/errors.ts";
import { keyText } from "../contract/keys.ts";
import type { ActionResult, JsonObject, Step, Uuid, StatusReason } from "../contract/kind.ts";
import { conditionOf, isStalled } from "../contract/status.ts";
import { type Intent, whyNotSend } from "../ledger/intent.ts";
import {
  clearIntent,
  finalizerDue,
  finalizersWith,
  hasFinalizer,
  keepStarted,
  recordAccepted,
  recordId,
} from "../ledger/record.ts";
import { noteDeleted } from "../ownership/presence.ts";
import { buildStatus } from "../status/build.ts";
import type { CallKind, ReconcileResult } from "../status/outcome.ts";
import { recordedId, type Resolved, isListed } from "../status/reconciliation.ts";
import { recordTransitions, redeployAnswer } from "../status/write.ts";
import { withCapabilities } from "./capabilities.ts";
import { reportChange } from "./changes.ts";
import { massChangeHeld } from "./mass-change-gate.ts";

/** What is observed of the platform. */
export interface Observation {
  readonly value: unknown;
}

export interface Failed {
  readonly error: ApiError;
  readonly phase: CallKind;
}

type OnceStep = Extract<Step, { repeat: "once" }>;
type SafeStep = Extract<Step, { repeat: "safe" }>;

const unsent = (message: string): ReconcileResult => ({
  is: "waiting",
  why: { reason: "Progressing", message },
  exchange: "none",
});

const TOO_LATE = unsent(
  "The API server was slow to store the intent, so the request was not sent. The operator tries again.",
);

/** Returns how a reconcile ends that must not send its request because of the lease. */
function withoutLease({ fence }: Pick<Resolved["ports"], "fence">): ReconcileResult {
  return fence.leading()
    ? unsent(
        "The API server is slow to renew the operator's lease, so nothing is sent to the platform meanwhile. The operator tries again.",
      )
    : unsent("Waiting for an operator that holds the lease.");
}

/**
 * Runs one step: at most one request to the platform, after the API server confirmed that the object has not changed since
 * the step was planned.
 * @param observed what was observed before
 * @returns what is observed now, the failure, or the result of a reconcile that must not send the request
 * @throws KubeError, "Conflict" or "NotFound" when the object changed or was replaced
 */
export async function execute(
  r: Resolved,
  observed: unknown,
  step: Step,
): Promise<Observation | Failed | ReconcileResult> {
  const { ports, object, context } = r;
  if (!ports.fence.mayWrite()) return withoutLease(ports);
  // Storing an outcome returned an object of a newer generation, which this step was not planned for.
  if ((object.metadata.generation ?? 0) !== context.resource.generation)
    throw new KubeError("Conflict", 409, "the spec changed within the reconcile");
  const held = massChangeHeld(r, step);
  if (held !== undefined) return { is: "held", why: held, stale: false };
  return await (step.repeat === "safe" ? executeSafely(r, observed, step) : executeOnce(r, observed, step));
}

/**
 * Runs a repeatable step. It needs no intent, but the API server has to confirm the object first: with a stale cache, a
 * deletion could hit the successor of a deleted object.
 */
async function executeSafely(
  r: Resolved,
  observed: unknown,
  step: SafeStep,
): Promise<Observation | Failed | ReconcileResult> {
  const { ports, kind, object } = r;
  const memory = kind.prepare?.(step, r.context, observed);
  // The memory is stored before the request, so that it is kept however the request ends.
  if (memory !== undefined) r.context = { ...r.context, memory };
  const why = memory === undefined ? reasonOfDeletion(r, step) : ON_ITS_WAY;
  if (why !== undefined) await writeStatusBefore(r, observed, why, undefined);
  // If the status was stored already, nothing was written, and so the object was not confirmed.
  if (r.object === object) await ports.writer.confirm(object);
  if (!ports.fence.mayWrite()) return withoutLease(ports);
  const phase: CallKind = r.context.goal === "absent" ? "delete" : "put";
  const sent = await send(r, observed, step);
  if (sent instanceof ApiError) return { error: sent, phase };
  if (phase === "delete") noteDeleted(r.local.reads, r.context.id);
  remember(r, sent);
  return { value: sent.observed };
}

const ON_ITS_WAY: StatusReason = { reason: "Progressing", message: "A request is on its way to the platform." };

/**
 * Returns the reason of the status that is due anyway once the platform deletes the object: written before the request,
 * it confirms the object without a read. A deletion that failed before keeps the status that reports the failure.
 */
function reasonOfDeletion({ context, kind, object }: Resolved, { message }: SafeStep): StatusReason | undefined {
  if (context.goal !== "absent" || !hasObject(kind.resource) || message === undefined) return undefined;
  const hasFailed = isStalled(object) || conditionOf(object, "Synced")?.status === "False";
  return hasFailed ? undefined : { reason: "Deleting", message };
}

async function executeOnce(
  r: Resolved,
  observed: unknown,
  step: OnceStep,
): Promise<Observation | Failed | ReconcileResult> {
  const { ports, local } = r;
  const { persistence } = local;
  const phase: CallKind = step.creates ? "create" : "action";
  const unreserved = await reserve(r, phase);
  if (unreserved !== undefined) return unreserved;
  const intent = intentOf(r, step);
  const started = ports.clock.monotonic();
  persistence.noteAttempt(intent.attempt, started);
  await writeIntent(r, observed, step, intent);
  persistence.noteIntentStored(intent.attempt);
  const sinceMs = ports.clock.monotonic() - started;
  const refusal = whyNotSend({ sinceMs, sendMs: ports.windows.sendMs, leads: ports.fence.mayWrite() });
  if (refusal !== undefined) return refusal === "TooLate" ? TOO_LATE : withoutLease(ports);
  persistence.noteSent();
  const sent = await send(r, observed, step);
  if (sent instanceof ApiError) {
    await closeRefused(r, step, intent, sent);
    return { error: sent, phase };
  }
  if (!step.creates) {
    remember(r, sent);
    if (step.notObservableAfterwards === true) await keepStarted(r);
    return { value: sent.observed };
  }
  local.recreates = false;
  const { id, memory } = sent;
  if (id === undefined) {
    // The create is traced like one without an answer, and never sent again.
    r.object = (await recordAccepted(ports, r.object, intent, r.kind.keep?.(memory) ?? {})) ?? r.object;
    return { error: new ApiError(intent.op, { is: "OutcomeUnknown" }, 200, "the answer has no id"), phase };
  }
  persistence.noteAnswer({ attempt: intent.attempt, id, memory });
  await recordAnswer(r, id, memory);
  return { value: sent.observed };
}

/**
 * Waits for a place at the rate gate.
 * @returns the failure, or how the reconcile ends; undefined if the request may be prepared. If the connection was edited
 * meanwhile, its client is about to be closed, and may lead elsewhere: nothing is written yet, so the next reconcile
 * begins again.
 */
async function reserve(
  { ports, connection }: Resolved,
  phase: CallKind,
): Promise<Failed | ReconcileResult | undefined> {
  try {
    await connection.api.reserve();
  } catch (error) {
    if (error instanceof ApiError) return { error, phase };
    throw error;
  }
  return ports.connections.last(connection.key) === connection ? undefined : { is: "deferred", again: 0 };
}

/** Stores the platform's answer to a create. @throws KubeError see `recordId` */
export async function recordAnswer(r: Resolved, id: Uuid, memory: JsonObject): Promise<void> {
  r.object = (await recordId(r.ports, r, id, r.kind.keep?.(memory))) ?? r.object;
  r.local.persistence.noteAnswerStored();
  remember(r, { id, memory });
}

/**
 * Reports whether a list is to confirm that a create was not executed: a proxy may have passed it on, and answered with
 * a page of its own. Without such a list, the status counts.
 */
function needsConfirmation(
  { kind, context }: Resolved,
  { creates }: OnceStep,
  { failure, isForeign }: ApiError,
): boolean {
  return creates && isForeign && failure.is !== "RateLimited" && kind.listable?.(context.isFull) === true;
}

/** Closes the intent of a request that was certainly not executed, except that of a repetition. */
async function closeRefused(r: Resolved, step: OnceStep, intent: Intent, error: ApiError): Promise<void> {
  if (!notExecuted(error.failure) || needsConfirmation(r, step, error)) return;
  r.local.persistence.noteNotExecuted(intent.attempt);
  if (intent.creates) r.object = await clearIntent(r.ports, r.object);
  else if (intent.repetition !== true) noteOutcome(r);
}

async function send(r: Resolved, observed: unknown, step: Step): Promise<ActionResult | ApiError> {
  const { kind, context } = r;
  try {
    const known = await kind.act(step, context, observed, r.connection.api);
    r.connection.interceptedWrite = undefined;
    reportChange(r, step, { id: known.id });
    noteClaims(r, known);
    return known;
  } catch (error) {
    reportChange(r, step, { error });
    if (!(error instanceof ApiError)) throw error;
    return error;
  }
}

/** Notes what a step wrote to the objects of other resources, before a status reports it. */
function noteClaims({ ports, kind, object, recordedIdentity, context }: Resolved, { memory }: ActionResult): void {
  if (kind.fieldClaims === undefined) return;
  const claims = kind.fieldClaims({ id: recordedId(context), memory, inputs: undefined });
  ports.externalWrites.note(object, claims, recordedIdentity);
}

/** Continues the reconcile with this id and memory. The next write of the status stores them. */
export function remember(r: Resolved, { id, memory }: Pick<ActionResult, "id" | "memory">): void {
  r.context = { ...r.context, ...(id !== undefined && { id, identitySource: "recorded" }), memory };
  noteOutcome(r);
}

/** Notes what the reconcile knows now: no action is open any more. */
export function noteOutcome({ local, object, context }: Resolved): void {
  local.persistence.noteOutcome(object, { id: recordedId(context), memory: context.memory });
}

function intentOf({ ports, object, context, recordedIdentity, repeats }: Resolved, step: OnceStep): Intent {
  const { generation } = context.resource;
  const attempt = `${generation}-${Math.floor(ports.random() * 2 ** 48).toString(36)}`;
  const { parentId } = recordedIdentity;
  return {
    v: 1,
    uid: object.metadata.uid,
    resource: keyText(keyOf(object)),
    installation: ports.installation,
    release: ports.operatorNamespace,
    attempt,
    op: step.op,
    creates: step.creates,
    generation,
    ...(parentId !== undefined && { parentId }),
    ...(step.name !== undefined && { name: step.name }),
    ...(context.id !== undefined && { id: context.id }),
    ...(step.commit !== undefined && { commit: step.commit }),
    mark: step.mark,
    ...(repeats === step.op && { repetition: true }),
  };
}

/** Writes the intent, checked by resourceVersion: a conflict ends the reconcile. @throws KubeError "Conflict" */
async function writeIntent(r: Resolved, observed: unknown, step: OnceStep, intent: Intent): Promise<void> {
  const { ports, object } = r;
  if (step.creates) {
    const finalizers = finalizerDue(r) && !hasFinalizer(object) ? { finalizers: finalizersWith(object, true) } : {};
    const annotations = { [INTENT]: JSON.stringify(intent) };
    r.object = await ports.writer.patchChecked(object, { annotations, ...finalizers });
    return;
  }
  await writeStatusBefore(r, observed, intent.repetition === true ? sentAgain(step.why) : step.why, intent);
}

function sentAgain({ reason, message }: StatusReason): StatusReason {
  const again =
    "The platform did not confirm an earlier request of this kind. The operator sends it once more; if the earlier one was carried out, this changes nothing.";
  return { reason, message: `${message} ${again}` };
}

/** Writes the status that precedes a request. @throws KubeError "Conflict" */
async function writeStatusBefore(
  r: Resolved,
  observed: unknown,
  why: StatusReason,
  intent: Intent | undefined,
): Promise<void> {
  const { ports, kind, object, context } = r;
  const status = buildStatus({
    object,
    result: { is: "waiting", why, exchange: "ok" },
    report: withCapabilities(r, kind.report(context, observed)),
    resource: kind.resource,
    memory: context.memory,
    id: recordedId(context),
    recordedIdentity: r.recordedIdentity,
    isListed: isListed(r),
    intent,
    handled: undefined,
    handledRedeploy: redeployAnswer(r).handledRedeploy,
    policyStatus: r.policyStatus,
    now: context.now,
  });
  r.object = await ports.writer.patchStatus(object, status);
  recordTransitions(ports.events, object, r.object);
  r.local.persistence.noteOutcomeStored();
}

/** Reports whether an error only means that the object changed or was deleted: the watch delivers the new state. */
export function isObjectChanged(error: unknown): boolean {
  return isKube(error, "Conflict", "NotFound");
}
