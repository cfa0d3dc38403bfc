/** Hops 4 to 6 of a reconcile: trace or observe, plan, act, until there is no step (docs/project/architecture.md §2). */
import { hasObject, writesFields } from "../../api/resource.ts";
import { keyOf } from "../../kube/api/objects.ts";
import { ApiError, unsupportedText } from "../../platform/transport/errors.ts";
import { keyText } from "../contract/keys.ts";
import type { Plan, Step, StatusReason } from "../contract/kind.ts";
import { backoff } from "../contract/requeue.ts";
import { isSettled, unknownFor } from "../contract/status.ts";
import { keepRecord, keepStarted } from "../ledger/record.ts";
import { hiddenFor } from "../ownership/presence.ts";
import { notAdopted } from "../resolve/orphan.ts";
import {
  type CallKind,
  classifyError,
  isLate,
  overdue,
  type ReconcileResult,
  refusedForLong,
  restAfter,
} from "../status/outcome.ts";
import type { Resolved } from "../status/reconciliation.ts";
import { adopt, forgetRecord } from "./adoption.ts";
import { withCapabilities } from "./capabilities.ts";
import { execute, type Failed, type Observation, remember } from "./execute.ts";
import { massChangeHeld } from "./mass-change-gate.ts";
import { allowedPlan } from "./policy-gate.ts";
import { recover } from "./recover.ts";
import { rejectedBefore, rejectionOf, withoutStep } from "./rejection.ts";

/** Requests of one reconcile before it yields to other objects. */
const STEP_LIMIT = 8;
/** How often in a row a reconcile may requeue at once. After that, the platform seems not to keep what is written. */
const REQUEUES_AT_ONCE = 8;

/** Runs the steps of one reconcile. @throws KubeError, and whatever a kind throws that is no ApiError */
export async function runSteps(r: Resolved): Promise<ReconcileResult> {
  const open = await recover(r);
  if (open instanceof ApiError) return failed(r, open, "read");
  if (open !== undefined) return open;
  await keepRecords(r);
  const result = await reconcileSteps(r);
  if (r.report?.notObservableAfterwards === true) await keepStarted(r);
  if (r.report !== undefined) r.report = withCapabilities(r, r.report);
  // The action that was to be repeated is no longer wanted.
  if (r.repeats !== undefined && result.is === "settled") remember(r, { memory: r.context.memory });
  return result;
}

/** Brings the records of the object outside of its status up to date. */
async function keepRecords(r: Resolved): Promise<void> {
  const { ports, kind, context } = r;
  const { resource } = kind;
  const isRecorded = hasObject(resource) && context.identitySource === "recorded";
  if (!writesFields(resource) && !isRecorded) return;
  r.object = await keepRecord(ports, r, resource);
}

/** Observes, plans and acts until there is no step left, or until other objects should be reconciled. */
async function reconcileSteps(r: Resolved): Promise<ReconcileResult> {
  let observed: Observation | undefined;
  for (let steps = 0; steps < STEP_LIMIT; steps += 1) {
    const now = observed ?? (await observe(r));
    if (now instanceof ApiError) return failed(r, now, "read");
    const next = await step(r, now.value);
    if (next !== undefined && "is" in next) return next;
    observed = next;
  }
  // Yields to other objects. The next reconcile observes again.
  const why = { reason: "Progressing" as const, message: "Work goes on in the next reconcile." };
  if (observed !== undefined) r.report = r.kind.report(r.context, observed.value);
  const { reason, times } = r.local.waiting.streak;
  const isEndless = reason === why.reason && times >= REQUEUES_AT_ONCE;
  return { is: "waiting", why, exchange: "ok", again: isEndless ? undefined : 0 };
}

async function observe(r: Resolved): Promise<Observation | ApiError> {
  r.local.reads.failed.clear();
  try {
    const value = await r.kind.observe(r.context, r.connection.api);
    r.local.reads.at = r.ports.clock.monotonic();
    return { value };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/**
 * Plans once, and acts if there is a step.
 * @returns the result of the reconcile; else what is observed after the step, undefined when the platform has to be
 * observed again
 */
async function step(r: Resolved, observed: unknown): Promise<ReconcileResult | Observation | undefined> {
  const { ports, kind, local } = r;
  // Another resource may have written to the object since it was observed.
  const { id, records } = r.context;
  const writtenAt = id === undefined ? undefined : ports.externalWrites.latest(id, r.recordedIdentity, r.object);
  if (writtenAt !== records.writtenAt) {
    r.context = { ...r.context, records: { ...records, writtenAt } };
    return undefined;
  }

  const plan = allowedPlan(r, observed);
  if (plan.is === "adopt") {
    await adopt(r, plan);
    return undefined;
  }
  if (plan.is === "forget") return await recreate(r, observed, plan.why);
  if (plan.is !== "step") return concluded(r, observed, plan);
  const why = rejectedBefore(local.rejections.last, plan.step.op, {
    ...r.context,
    generation: r.context.resource.generation,
    redeploy: r.context.policies.redeploy,
    now: ports.clock.monotonic(),
  });
  if (why !== undefined) {
    r.report = kind.report(r.context, observed);
    return { is: "stalled", why, exchange: "failed" };
  }
  const done = await execute(r, observed, plan.step);
  if ("error" in done) return noteRejectedRedeploy(r, plan.step, await afterFailure(r, observed, plan.step, done));
  if ("is" in done) r.report = kind.report(r.context, observed);
  return done;
}

/** Notes the answer to a request to deploy again if the platform rejects it: only another value requests it again. */
function noteRejectedRedeploy(r: Resolved, { redeploys }: Step, result: ReconcileResult | Observation) {
  const isRejected = "is" in result && result.is === "stalled";
  if (isRejected && redeploys !== undefined)
    remember(r, { memory: { ...r.context.memory, lastHandledRedeployAt: redeploys } });
  return result;
}

/** Decides how the reconcile continues after the request of a step failed. */
async function afterFailure(
  r: Resolved,
  observed: unknown,
  failedStep: Step,
  { error, phase }: Failed,
): Promise<ReconcileResult | Observation> {
  const without = await withoutStep(r.kind, r, { step: failedStep, observed, error }, () => observe(r));
  if (without?.isMissing === true) {
    const why: StatusReason = { reason: "NotSupportedByPlatform", message: unsupportedText(error) };
    r.local.rejections.unsupported.set(failedStep.op, rejectionOf(r, failedStep.op, { why, until: Infinity }));
  }
  if (without !== undefined) return { value: without.value };
  r.report = r.kind.report(r.context, observed);
  const result = failed(r, error, phase);
  // A token can get a scope on the platform without notice: a denied step is tried again, slowly.
  if (result.is === "stalled" && error.failure.is !== "Forbidden") {
    const { why } = result;
    const rest = result.again ?? restAfter(why, r.policies.progressDeadlineMs);
    const until = r.ports.clock.monotonic() + rest;
    r.local.rejections.last = rejectionOf(r, failedStep.op, { why, until });
  }
  return result;
}

/** Returns the result of a plan without a step. */
function concluded(
  r: Resolved,
  observed: unknown,
  plan: Extract<Plan, { is: "settled" | "waiting" | "stalled" | "unknown" }>,
): ReconcileResult {
  const { ports, kind, object, local, orphan } = r;
  const { clock, windows } = ports;
  const report = kind.report(r.context, observed);
  r.report = report;
  if (plan.is !== "waiting") local.waiting.work = undefined;
  if (plan.is === "settled") return { is: "settled", why: report.ready, again: plan.again };
  if (plan.is === "unknown") {
    const { condition } = plan;
    // No list shows the object, so nothing new is known: the facts of the last observation stay.
    if (condition === undefined) r.report = undefined;
    const forMs =
      condition === undefined ? hiddenFor(local.reads, clock.monotonic()) : unknownFor(object, condition, clock.now());
    return { is: "unknown", why: plan.why, keepsReady: forMs < windows.unknownMs };
  }
  if (plan.is === "waiting" && isLate(r, plan.why)) {
    const again = plan.again ?? windows.followMaxMs;
    return { is: "stalled", why: overdue(plan.why), exchange: "ok", again };
  }
  const why = plan.is === "stalled" && orphan !== undefined ? notAdopted(plan.why, orphan) : plan.why;
  return { is: plan.is, why, exchange: "ok", again: plan.again };
}

const RECREATING: StatusReason = {
  reason: "Creating",
  message: "It is gone from the platform and is created again, as spec.lifecycle.onMissing says.",
};

/** Forgets an object that is gone, so that the next reconcile creates it. An id that the user gave is not forgotten. */
async function recreate(r: Resolved, observed: unknown, why: StatusReason): Promise<ReconcileResult> {
  if (r.kind.claim(r.context.spec) === r.context.id) return concluded(r, observed, { is: "stalled", why });
  // The limit of mass changes applies here: the next create has no record left to show that no new generation caused
  // it.
  const held = massChangeHeld(r);
  if (held !== undefined) return concluded(r, observed, { is: "waiting", why: held });
  await forgetRecord(r, why);
  return { is: "waiting", why: RECREATING, exchange: "ok", again: 0 };
}

/**
 * Returns the reason of a rejected write. While the surface is undecided, the write has the form of the specification,
 * which a platform of the surface Full may reject although the spec is right.
 */
function withSurface(
  { connection: { surface }, context }: Resolved,
  { failure }: ApiError,
  why: StatusReason,
): StatusReason {
  const isRejected = failure.is === "Invalid" || failure.is === "Rejected";
  if (surface !== undefined || !isRejected || context.goal !== "present") return why;
  const undecided =
    "The connection has not found out the platform's surface yet: if that turns out to be Full, the operator sends the request in the form of the whole API.";
  return { ...why, message: `${why.message} ${undecided}` };
}

/** Classifies a failed exchange, and requests a probe of the connection where it may be the cause. */
function failed(r: Resolved, error: ApiError, phase: CallKind): ReconcileResult {
  const { ports, local, connection, object } = r;
  const verdict = classifyError(error, phase, local.failures.count, r.context.goal);
  if (verdict.is === "later") return { is: "deferred", again: verdict.again };
  if (local.failures.count === 0) local.failures.since = ports.clock.monotonic();
  local.failures.count += 1;
  const { why } = verdict;
  switch (verdict.is) {
    case "terminal":
      if (error.failure.is === "Forbidden") {
        connection.denied.add(keyText(keyOf(object)));
        ports.connections.requestProbe(connection);
      }
      return { is: "stalled", why: withSurface(r, error, why), exchange: "failed", again: verdict.again };
    case "unknown":
      return { is: "waiting", why, exchange: "failed" };
    case "connection":
      if (error.failure.is === "Intercepted" && phase !== "read") connection.interceptedWrite = why;
      return connectionFailure(r, why);
    case "retry": {
      // The platform's texts may differ from answer to answer.
      const message = `${error.operation} of generation ${r.context.resource.generation}`;
      if (!isLate(r, { ...why, message })) return { is: "retry", why };
      return { is: "stalled", why: refusedForLong(why), exchange: "failed" };
    }
    default:
      return verdict satisfies never;
  }
}

/**
 * Requests a probe, and returns the result of an error that the connection may have caused. A settled object reports
 * the error only if it lasts after the probe.
 */
function connectionFailure({ ports, object, local, connection }: Resolved, why: StatusReason): ReconcileResult {
  ports.connections.requestProbe(connection);
  const isProbed = connection.probedAt !== undefined && connection.probedAt > local.failures.since;
  if (isProbed || !isSettled(object)) return { is: "retry", why };
  const again = backoff(local.failures.count, ports.windows, ports.random());
  return { is: "held", why, stale: false, again };
}
