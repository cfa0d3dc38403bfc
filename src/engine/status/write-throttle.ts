/**
 * Decides which statuses are worth a write now: writes are the most expensive thing the operator does
 * (docs/architecture.md §5). Pure.
 */
import { member } from "../../kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Ms } from "../contract/kind.ts";
import { conditionOf, conditionsOf, isSettled, isStalled } from "../contract/status.ts";
import type { Windows } from "../contract/windows.ts";
import type { Result } from "./build.ts";

/** Reasons of a read that failed with the whole platform, or may have. */
const OUTAGES: ReadonlySet<string> = new Set(["PlatformUnavailable", "PlatformUnreachable", "RateLimited"]);

/**
 * Returns how long a status may be held back before it is written, counted from when it first looked like this. An
 * intermediate state of reported work is written once it lasts 10 s. So is a failed exchange about a settled object, a
 * side read included, as it may be an error of the connection, which is reported there once. The first status of an
 * object may wait until the YAML that came with it is applied. A reconcile that the rate limit defers writes only what
 * would be lost at the end of the process (see `flush`). Everything else is written at once.
 */
export function throttle(object: KubeObject, status: JsonObject, result: Result, windows: Windows): Ms {
  if (result.is === "deferred") return Number.POSITIVE_INFINITY;
  if (keepsReady(object, status, result)) return windows.deferMs;
  const isWorking = result.is === "waiting" || result.is === "retry" || (result.is === "held" && !isSettled(object));
  if (!isWorking) return 0;
  if (conditionOf(object, "Ready") === undefined) return windows.graceMs;
  const current = member(object.status, "observedGeneration") === (object.metadata.generation ?? 0);
  return isTold(object, result) && current ? windows.deferMs : 0;
}

/**
 * Reports whether the status already says that something is waited for. A stalled object may wait for its connection.
 */
function isTold(object: KubeObject, result: Result): boolean {
  return conditionOf(object, "Reconciling")?.status === "True" || (result.is === "held" && isStalled(object));
}

/** Reports whether the stored Ready stays although something failed that may be over soon. */
function keepsReady(object: KubeObject, status: JsonObject, result: Result): boolean {
  if (result.is === "unknown") return result.keepsReady;
  if (!isSettled(object)) return false;
  return result.is === "retry" || (result.is === "settled" && losesDetail(object, status));
}

/** Reports whether a detail from a side read is lost, perhaps as the first sign of an outage. */
function losesDetail(object: KubeObject, status: JsonObject): boolean {
  return conditionsOf({ status }).some(
    (condition) =>
      condition.status === "Unknown" &&
      OUTAGES.has(condition.reason) &&
      conditionOf(object, condition.type)?.reason !== condition.reason,
  );
}

/** Returns the significant part of a status: a change of it restarts the time. */
export function signature(status: JsonObject): string {
  const conditions = conditionsOf({ status }).map(({ type, status: value, reason }) => `${type}=${value}/${reason}`);
  const state = member(status, "state");
  return JSON.stringify([conditions, typeof state === "string" ? state : "", member(status, "externalId") ?? ""]);
}
