/**
 * One-shot objects do one thing and end, like a Job of Kubernetes. Their time limit counts from the object's creation,
 * and pauses while nothing can be done.
 */
import { timeText } from "../../api/status.ts";
import { member } from "../../kube/api/json.ts";
import type { Clock, JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import type { Kind, Ms } from "../contract/kind.ts";
import { parseSpec, type SpecSchema } from "../contract/spec.ts";
import { conditionOf, nonEmptyText } from "../contract/status.ts";
import type { ReconcileResult } from "./build.ts";

/** The members of a kind that the time limit needs. */
interface Timed<Spec> {
  readonly resource: { readonly spec: SpecSchema<Spec> };
  readonly oneShot?: { limitMs(spec: Spec): Ms };
}

/** A deadline that moved by less is not worth a write of its own. */
const STORED_FROM_MS = 60_000;

/** Returns the deadline of a one-shot object; undefined for other kinds. */
export function deadlineOf<Spec>(
  { resource, oneShot }: Timed<Spec>,
  object: KubeObject,
  { idleMs }: LocalState,
  now: Date,
): Date | undefined {
  if (oneShot === undefined) return undefined;
  const { data: spec } = parseSpec(resource.spec, object);
  if (spec === undefined) return undefined;
  const limit = oneShot.limitMs(spec);
  const left = remaining(object);
  if (left !== undefined) return new Date(now.getTime() + Math.min(left * 1000, limit));
  const stored = Date.parse(nonEmptyText(member(object.status, "deadline")) ?? "");
  const at = Number.isNaN(stored) ? Date.parse(object.metadata.creationTimestamp ?? "") + limit : stored;
  return Number.isNaN(at) ? undefined : new Date(Math.min(at + idleMs, now.getTime() + limit));
}

/**
 * Returns the members of status about the time limit: the deadline, or the remaining time while the time limit pauses.
 */
export function timeLimit<Spec>(
  kind: Timed<Spec>,
  object: KubeObject,
  local: LocalState,
  { result, now }: { readonly result: ReconcileResult; readonly now: Date },
): JsonObject {
  const at = deadlineOf(kind, object, local, now);
  if (at === undefined) return {};
  const left = remaining(object);
  if (isSuspended(result)) {
    const seconds = Math.max(0, Math.ceil((at.getTime() - now.getTime()) / 1000));
    return { deadline: undefined, remainingSeconds: left ?? seconds };
  }
  const stored = nonEmptyText(member(object.status, "deadline"));
  const isSame = left === undefined && local.idleMs < STORED_FROM_MS;
  const deadline = isSame && stored !== undefined ? stored : timeText(at);
  return { deadline, remainingSeconds: undefined };
}

/** Records when a one-shot object is to be reconciled next. Only the first call since the last reconcile counts. */
export function expectLook(local: LocalState, { monotonic }: Pick<Clock, "monotonic">, within: Ms): void {
  local.dueAt ??= monotonic() + within;
}

/** Adds to `idleMs` how late the reconcile of a one-shot object begins. The time limit does not count this delay. */
export function countDelay(local: LocalState, { monotonic }: Pick<Clock, "monotonic">): void {
  if (local.dueAt !== undefined) local.idleMs += Math.max(0, monotonic() - local.dueAt);
  local.dueAt = undefined;
}

/**
 * Skips a one-shot object that has ended, and deletes it once it expired.
 * @returns undefined while it has not ended; else when to requeue, if ever. @throws KubeError
 */
export async function rest(
  ports: Ports,
  { resource, oneShot }: Pick<Kind, "resource" | "oneShot">,
  object: KubeObject,
): Promise<{ readonly again: Ms | undefined } | undefined> {
  const over = oneShot?.over(resource.memory.parse(object.status ?? {}));
  // A status that lost its conditions is built again from the members that it still has.
  if (over === undefined || conditionOf(object, "Ready") === undefined) return undefined;
  ports.observer.status(object, object);
  if (over.expiresAt === undefined) return { again: undefined };
  const left = over.expiresAt.getTime() - ports.clock.now().getTime();
  if (left > 0) return { again: left };
  if (ports.fence.mayWrite()) await ports.writer.delete(object);
  return { again: ports.windows.followMaxMs };
}

function isSuspended(result: ReconcileResult): boolean {
  return result.is === "paused" || (result.is === "waiting" && result.why.reason === "ApprovalPending");
}

function remaining({ status }: KubeObject): number | undefined {
  const seconds = member(status, "remainingSeconds");
  return typeof seconds === "number" && seconds >= 0 ? seconds : undefined;
}
