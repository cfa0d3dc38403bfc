/** Hops 4 to 6 of a reconcile: trace or observe, plan, act, until there is no step (docs/architecture.md §2). */
import { keyOf } from "../../kube/api/objects.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import { keyText } from "../contract/keys.ts";
import type { Kind, Ms, Plan, Report, Why, Step, KindTypes } from "../contract/kind.ts";
import { backoff } from "../contract/requeue.ts";
import { isSettled, unknownFor } from "../contract/status.ts";
import { isStarted, noteStarted } from "../ledger/one-shot.ts";
import { keepRecord } from "../ledger/record.ts";
import { hiddenFor } from "../ownership/presence.ts";
import type { Reconciliation } from "../resolve/frame.ts";
import { notAdopted } from "../resolve/orphan.ts";
import type { Result } from "../status/build.ts";
import { expectLook } from "../status/deadline.ts";
import { classifyError, rejectedToken, type Phase } from "../status/errors.ts";
import { isLate, overdue, refusedForLong, restAfter } from "../status/progress.ts";
import { adopt, forget } from "./adoption.ts";
import { withCapabilities } from "./capabilities.ts";
import { brake, execute, type Failed, remember } from "./execute.ts";
import { checkPolicies } from "./policy-gate.ts";
import { recover } from "./recover.ts";
import { rejectedBefore, rejectionOf, withoutStep } from "./rejection.ts";

/** Requests of one reconcile before it yields to other objects. */
const STEP_LIMIT = 8;
/** How often in a row a reconcile may requeue at once. Beyond that the platform does not keep what is written to it. */
const YIELDS = 8;

/** How a reconcile ended, before its status is written. */
export interface Reconciled<K extends KindTypes> {
  readonly frame: Reconciliation<K>;
  readonly result: Result;
  readonly report: Report | undefined;
  readonly again: Ms | undefined;
}

type Loop<K extends KindTypes> = {
  readonly ports: Ports<K["api"]>;
  readonly kind: Kind<K>;
};

/** Runs the steps of one reconcile. @throws KubeError, and whatever a kind throws that is no ApiError */
export async function runSteps<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  scoped: Reconciliation<K>,
): Promise<Reconciled<K>> {
  const loop = { ports, kind };
  const begun = await begin(loop, scoped);
  if (begun.is === "passed") return begun.passed;
  const passed = withCapabilities(kind, await reconcileSteps(loop, begun.frame));
  // The action that was to be repeated is not wanted any more.
  if (begun.frame.repeats !== undefined && passed.result.is === "settled")
    remember(passed.frame, { memory: passed.frame.context.memory });
  return passed;
}

/** Closes what an earlier reconcile left open, and keeps the record of the object. */
async function begin<K extends KindTypes>(
  loop: Loop<K>,
  scoped: Reconciliation<K>,
): Promise<
  { readonly is: "passed"; readonly passed: Reconciled<K> } | { readonly is: "on"; readonly frame: Reconciliation<K> }
> {
  const { ports, kind } = loop;
  // A connection's intent belongs to the registration of its receiver, which is reconciled on its own.
  const isProbe = kind.connection !== undefined;
  const recovered = isProbe ? { is: "clear" as const, frame: scoped } : await recover(ports, kind, scoped);
  const { frame } = recovered;
  if (recovered.is === "ended") {
    return { is: "passed", passed: { frame, result: recovered.result, report: undefined, again: undefined } };
  }
  if (recovered.is === "failed") {
    return { is: "passed", passed: failed(loop, frame, recovered.error, "read", undefined) };
  }
  const isKept =
    typeof kind.externalLifecycle === "string" ||
    (kind.externalLifecycle && frame.context.identitySource === "recorded");
  if (!isKept) return { is: "on", frame };
  const object = await keepRecord(ports, frame, kind.externalLifecycle);
  const isUntold =
    kind.notObservableAfterwards?.(frame.context.memory, frame.context.supports) === true && !isStarted(object);
  return { is: "on", frame: { ...frame, object: isUntold ? await noteStarted(ports, object) : object } };
}

/** Observes, plans and acts until there is no step left, or until other objects should be reconciled. */
async function reconcileSteps<K extends KindTypes>(loop: Loop<K>, begun: Reconciliation<K>): Promise<Reconciled<K>> {
  let frame = begun;
  let seen: { readonly value: K["observed"] } | undefined;
  for (let steps = 0; steps < STEP_LIMIT; steps += 1) {
    const observed = seen ?? (await observe(loop, frame));
    if (observed instanceof ApiError) return failed(loop, frame, observed, "read", undefined);
    const stepped = await step(loop, frame, observed.value);
    if (stepped.is === "passed") return stepped.passed;
    ({ frame, seen } = stepped);
  }
  // Yields to other objects. The next reconcile observes anew.
  const why = { reason: "Progressing" as const, message: "Work goes on in the next pass." };
  const report = seen === undefined ? undefined : loop.kind.report(frame.context, seen.value);
  const { reason, times } = frame.local.waits;
  const endless = reason === why.reason && times >= YIELDS;
  return { frame, result: { is: "waiting", why, exchange: "ok" }, report, again: endless ? undefined : 0 };
}

type Stepped<K extends KindTypes> =
  | { readonly is: "passed"; readonly passed: Reconciled<K> }
  | {
      readonly is: "on";
      readonly frame: Reconciliation<K>;
      /** Undefined when the platform has to be observed anew. */
      readonly seen: { readonly value: K["observed"] } | undefined;
    };

/** Plans once, and acts if there is a step. */
async function step<K extends KindTypes>(
  loop: Loop<K>,
  scoped: Reconciliation<K>,
  seen: K["observed"],
): Promise<Stepped<K>> {
  const { ports, kind } = loop;
  // Other resources may have written to the object in the meantime.
  const { id } = scoped.context;
  const writtenAt = id === undefined ? undefined : ports.externalWrites.latest(id, scoped.recordedIdentity);
  const fresh = { ...scoped, context: { ...scoped.context, records: { ...scoped.context.records, writtenAt } } };
  const { plan, policyStatus } = checkPolicies(ports, kind, fresh, seen);
  const frame = { ...fresh, policyStatus };
  if (plan.is === "adopt") return { is: "on", frame: await adopt(ports, kind, frame, plan.id), seen: undefined };
  if (plan.is === "forget") return { is: "passed", passed: await recreated(loop, frame, seen, plan.why) };
  if (plan.is !== "step") return { is: "passed", passed: concluded(loop, frame, seen, plan) };
  const surface = frame.connection.api.capabilities.summary();
  const now = ports.clock.monotonic();
  const again = rejectedBefore(frame.local.rejected, plan.step.op, {
    ...frame.context,
    generation: frame.context.resource.generation,
    surface,
    now,
  });
  if (again !== undefined) {
    const result: Result = { is: "stalled", why: again, exchange: "failed" };
    return { is: "passed", passed: { frame, result, report: kind.report(frame.context, seen), again: undefined } };
  }
  const done = await execute({ ports, kind, frame, seen }, plan.step);
  if (done.is === "done") return { is: "on", frame: done.frame, seen: { value: done.known.seen } };
  if (done.is === "failed") return await afterFailure(loop, plan.step, { ...done, seen });
  const report = kind.report(done.frame.context, seen);
  return { is: "passed", passed: { frame: done.frame, result: done.result, report, again: undefined } };
}

/** Decides how to go on after the request of a step failed. */
async function afterFailure<K extends KindTypes>(
  loop: Loop<K>,
  refused: Step<K["action"]>,
  { frame, seen, error, phase }: Failed<K> & { readonly seen: K["observed"] },
): Promise<Stepped<K>> {
  const anew = await withoutStep(loop.kind, frame, { step: refused, seen, error }, () => observe(loop, frame));
  if (anew?.is === "on") return { is: "on", frame, seen: anew };
  if (anew?.is === "stalled") return { is: "passed", passed: concluded(loop, frame, seen, anew) };
  const passed = failed(loop, frame, error, phase, loop.kind.report(frame.context, seen));
  // A token can get a scope on the platform without notice: a denied step is tried again, slowly.
  if (passed.result.is === "stalled" && error.failure.is !== "Forbidden") {
    const { why } = passed.result;
    const until = loop.ports.clock.monotonic() + restAfter(why, frame.policies.progressDeadlineMs);
    frame.local.rejected = rejectionOf(frame, refused.op, { why, until });
  }
  return { is: "passed", passed };
}

async function observe<K extends KindTypes>(
  loop: Loop<K>,
  frame: Reconciliation<K>,
): Promise<{ readonly value: K["observed"] } | ApiError> {
  try {
    const value = await loop.kind.observe(frame.context, frame.connection.api);
    frame.local.readAt = loop.ports.clock.monotonic();
    return { value };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function concluded<K extends KindTypes>(
  loop: Loop<K>,
  frame: Reconciliation<K>,
  seen: K["observed"],
  plan: Extract<Plan<K["action"]>, { is: "settled" | "waiting" | "stalled" | "unknown" }>,
): Reconciled<K> {
  const report = loop.kind.report(frame.context, seen);
  const late = plan.is === "waiting" && isLate(loop.ports.clock, loop.kind, frame, plan.why);
  if (plan.is !== "waiting") frame.local.work = undefined;
  if (plan.is === "settled") return { frame, result: { is: "settled", why: report.ready }, report, again: plan.again };
  if (plan.is === "unknown") {
    const { clock, windows } = loop.ports;
    const forMs =
      plan.condition === undefined
        ? hiddenFor(frame.local, clock.monotonic())
        : unknownFor(frame.object, plan.condition, clock.now());
    const keepsReady = forMs < windows.unknownMs;
    // Nothing new is known of an object that is not shown: the facts of the last observation stay.
    const facts = plan.condition === undefined ? undefined : report;
    return { frame, result: { is: "unknown", why: plan.why, keepsReady }, report: facts, again: plan.again };
  }
  const { orphan } = frame;
  const why = plan.is === "stalled" && orphan !== undefined ? notAdopted(plan.why, orphan) : plan.why;
  if (!late) return { frame, result: { is: plan.is, why, exchange: "ok" }, report, again: plan.again };
  const again = plan.again ?? loop.ports.windows.followMaxMs;
  return { frame, result: { is: "stalled", why: overdue(plan.why), exchange: "ok" }, report, again };
}

const RECREATING: Why = {
  reason: "Creating",
  message: "It is gone from the platform and is created again, as spec.lifecycle.onMissing says.",
};

/** Forgets an object that is gone, so that the next reconcile creates it. An id that the user gave is not forgotten. */
async function recreated<K extends KindTypes>(
  loop: Loop<K>,
  frame: Reconciliation<K>,
  seen: K["observed"],
  why: Why,
): Promise<Reconciled<K>> {
  const { ports, kind } = loop;
  if (kind.claim?.(frame.context.spec, () => undefined) === frame.context.id)
    return concluded(loop, frame, seen, { is: "stalled", why });
  // The create that follows has no record left that shows that no new generation caused it: the limit applies here.
  const held = brake(ports, frame);
  if (held !== undefined) return concluded(loop, frame, seen, { is: "waiting", why: held });
  const forgotten = await forget(ports, frame, kind.resource.memory.parse({}), why);
  return { frame: forgotten, result: { is: "waiting", why: RECREATING, exchange: "ok" }, report: undefined, again: 0 };
}

/** Classifies a failed exchange, and requests a probe of the connection where it may be the cause. */
function failed<K extends KindTypes>(
  loop: Loop<K>,
  frame: Reconciliation<K>,
  error: ApiError,
  phase: Phase,
  report: Report | undefined,
): Reconciled<K> {
  const { local, connection, object } = frame;
  const verdict = classifyError(error, phase, local.failures);
  const { is: failure } = error.failure;
  // What the rate limit held up is due now, whenever its turn comes.
  if (failure === "RateLimited" || failure === "OverBudget") expectLook(local, loop.ports.clock, 0);
  const again = "again" in verdict ? verdict.again : undefined;
  const passed = { frame, report, again };
  if (verdict.is === "later") return { ...passed, result: { is: "deferred" } };
  if (local.failures === 0) local.failingSince = loop.ports.clock.monotonic();
  local.failures += 1;
  switch (verdict.is) {
    case "terminal":
      if (error.failure.is === "Forbidden") {
        connection.denied.add(keyText(keyOf(object)));
        loop.ports.connections.suspect(connection);
      }
      return { ...passed, result: { is: "stalled", why: verdict.why, exchange: "failed" } };
    case "unknown":
      return { ...passed, result: { is: "waiting", why: verdict.why, exchange: "failed" } };
    case "connection":
      return {
        ...passed,
        ...(loop.kind.connection === undefined
          ? suspected(loop.ports, frame, verdict)
          : own(connection, error, verdict.why)),
      };
    case "retry": {
      const { why } = verdict;
      // The platform's words may differ from answer to answer.
      const message = `${error.operation} of generation ${frame.context.resource.generation}`;
      const isLong = isLate(loop.ports.clock, loop.kind, frame, { ...why, message });
      if (!isLong) return { ...passed, result: { is: "retry", why } };
      return { ...passed, result: { is: "stalled", why: refusedForLong(why), exchange: "failed" } };
    }
    default:
      return verdict satisfies never;
  }
}

/** Reports a connection's own failure: a person has to change what its token may do. */
function own<Api>(connection: Connection<Api>, error: ApiError, why: Why): { result: Result } {
  const { failure } = error;
  if (failure.is === "Unauthorized")
    return { result: { is: "stalled", why: rejectedToken(connection, error), exchange: "failed" } };
  return { result: failure.is === "Forbidden" ? { is: "stalled", why, exchange: "failed" } : { is: "retry", why } };
}

/** Holds back an error that may be the connection's from a settled object until the connection was probed. */
function suspected<K extends KindTypes>(
  ports: Ports<K["api"]>,
  { object, local, connection }: Reconciliation<K>,
  { why }: { readonly why: Why },
): { result: Result; again?: Ms } {
  ports.connections.suspect(connection);
  const asked = connection.probedAt !== undefined && connection.probedAt > local.failingSince;
  if (asked || !isSettled(object)) return { result: { is: "retry", why } };
  const again = backoff(local.failures, ports.windows, ports.random());
  return { result: { is: "held", why, stale: false }, again };
}
