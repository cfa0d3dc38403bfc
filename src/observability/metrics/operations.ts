/**
 * Measures how long operations of the platform take, from the statuses of the objects: an operation starts when
 * Reconciling becomes True and ends when the object is up to date, stalled or deleted. Only the replica that leads
 * reports it.
 */
import type { Registry } from "prom-client";

import { isReason, type Reason } from "../../api/reasons.ts";
import { conditionOf, isGoalReached } from "../../engine/contract/status.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { StoreChange } from "../../kube/watch/store.ts";
import { instruments } from "./instruments.ts";
import { hasUnknownState, type ObjectFigures } from "./objects.ts";

export type OperationFigures = Pick<ObjectFigures, "cache" | "kinds" | "leading"> & {
  readonly now: () => Date;
  /** Whether the gauge of Stalled objects has a label for the namespace. */
  readonly perNamespace: boolean;
};

/** Buckets from the time of a write to that of a long deployment. */
const SECONDS = [1, 5, 15, 60, 300, 900, 3_600];
const DELETING: Reason = "Deleting";
/** Replaces a reason that the operator does not write: a forged status must not make labels. */
const OTHER = "other";
/** The reasons that are reported as an operation, so that the number of series is limited. */
const OPERATIONS: ReadonlySet<string> = new Set<Reason>([
  "Creating",
  "Deploying",
  "Building",
  "Stopping",
  "Restarting",
  "Upgrading",
  DELETING,
  "Canceling",
  "Queued",
  "Progressing",
]);
/** The reason of a wait for a person: it is not an operation. */
const WAITS_ON_PURPOSE: Reason = "ApprovalPending";
/** Reasons of waits before the platform has anything to do: the time of the operation begins after them. */
const BEFORE_WORK: ReadonlySet<string> = new Set<Reason>([
  WAITS_ON_PURPOSE,
  ...(["ParentNotReady", "ParentNotFound", "DependencyNotReady", "WaitingForChildren"] as const),
]);

/** @returns a function that receives the changes of the cache */
export function operationMetrics(registry: Registry, figures: OperationFigures): (change: StoreChange) => void {
  const { kinds, cache, leading, perNamespace } = figures;
  const { counter, histogram, collectedGauge } = instruments(registry, leading);
  const starts = createWorkStarts();
  const durations = histogram(
    "platform_operator_operation_duration_seconds",
    ["kind", "operation", "outcome"],
    SECONDS,
  );
  collectedGauge("platform_operator_operation_in_progress_seconds", ["kind"], (gauge) => {
    const now = figures.now().getTime();
    for (const kind of kinds) gauge.set({ kind }, ageOfOldest(cache().list(kind), starts, now));
  });
  const stalledLabels = ["kind", "reason", ...(perNamespace ? (["exported_namespace"] as const) : [])] as const;
  collectedGauge("platform_operator_resources_stalled", stalledLabels, (gauge) => {
    for (const object of kinds.flatMap((kind) => cache().list(kind))) {
      const { status, reason = "" } = conditionOf(object, "Stalled") ?? {};
      const namespace = perNamespace ? { exported_namespace: object.metadata.namespace ?? "" } : {};
      if (status === "True") gauge.inc({ kind: object.kind, reason: isReason(reason) ? reason : OTHER, ...namespace });
    }
  });
  const unknown = counter("platform_operator_api_unknown_value_total", ["field"]);
  unknown.inc({ field: "state" }, 0);
  return (change) => {
    if (!leading()) return;
    const now = figures.now().getTime();
    const ended = endOf(change, starts, now);
    if (ended !== undefined) durations.observe(ended.labels, ended.seconds);
    starts.follow(change, now);
    if (change.type !== "updated" || hasUnknownState(change.old)) return;
    if (hasUnknownState(change.object)) unknown.inc({ field: "state" });
  };
}

type WorkStarts = ReturnType<typeof createWorkStarts>;

/** Remembers when an object's last wait ended, because the status has only the start of the work, waits included. */
function createWorkStarts() {
  const endedWaits = new Map<string, number>();
  return {
    /** Returns when work started, in milliseconds; NaN where no valid time is known. */
    of: ({ metadata }: KubeObject, { since }: Work): number => endedWaits.get(metadata.uid) ?? Date.parse(since),
    follow: (change: StoreChange, now: number): void => {
      const { object } = change;
      const { uid } = object.metadata;
      if (change.type === "deleted" || workOf(object) === undefined || isBeforeWork(object)) endedWaits.delete(uid);
      else if (change.type === "updated" && isBeforeWork(change.old)) endedWaits.set(uid, now);
    },
  };
}

interface Work {
  readonly reason: string;
  readonly since: string;
}

/** @returns undefined where no operation ends, or its start is unknown */
function endOf(change: StoreChange, starts: WorkStarts, now: number) {
  const { object } = change;
  switch (change.type) {
    case "added":
      return undefined;
    case "deleted":
      return ended(object, DELETING, "succeeded", now - Date.parse(object.metadata.deletionTimestamp ?? ""));
    case "updated": {
      const before = workOf(change.old);
      if (before === undefined || waits(change.old) || workOf(object) !== undefined) return undefined;
      const outcome = isGoalReached(conditionOf(object, "Ready")) ? "succeeded" : "failed";
      return ended(object, before.reason, outcome, now - starts.of(object, before));
    }
    default:
      return change satisfies never;
  }
}

function ended({ kind }: KubeObject, reason: string, outcome: "succeeded" | "failed", ms: number) {
  if (Number.isNaN(ms)) return undefined;
  const operation = OPERATIONS.has(reason) ? reason : OTHER;
  return { labels: { kind, operation, outcome }, seconds: Math.max(0, ms) / 1_000 };
}

/** Returns the current work: the reason of Ready, and since when Reconciling is True. */
function workOf(object: KubeObject): Work | undefined {
  const reconciling = conditionOf(object, "Reconciling");
  if (reconciling?.status !== "True") return undefined;
  return { reason: conditionOf(object, "Ready")?.reason ?? "", since: reconciling.lastTransitionTime };
}

function waits(object: KubeObject): boolean {
  return workOf(object)?.reason === WAITS_ON_PURPOSE;
}

/** Reports whether the object still waits for something that must come before its own work. */
export function isBeforeWork(object: KubeObject): boolean {
  return BEFORE_WORK.has(workOf(object)?.reason ?? "");
}

function ageOfOldest(objects: readonly KubeObject[], starts: WorkStarts, now: number): number {
  let oldest = now;
  for (const object of objects) {
    const work = workOf(object);
    if (work === undefined || !OPERATIONS.has(work.reason)) continue;
    const startedAt = starts.of(object, work);
    if (startedAt < oldest) oldest = startedAt;
  }
  return (now - oldest) / 1_000;
}
