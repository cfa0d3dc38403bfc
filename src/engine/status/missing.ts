/** Handles references to what does not exist: the object waits, and after a while reports that a person is needed. */
import type { Reason } from "../../api/reasons.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Ms, Why } from "../contract/kind.ts";
import { backoff } from "../contract/requeue.ts";
import { conditionOf, isSettled } from "../contract/status.ts";
import type { Result } from "./build.ts";
import type { Reconciliation } from "./reconciliation.ts";

const REASONS: ReadonlySet<Reason> = new Set(["ParentNotFound", "DependencyNotReady"]);

/** Stalls an object that has waited too long for something that does not exist. It is reconciled as often as before. */
export function stallOnMissing({ ports, object, local }: Reconciliation, result: Result): Result {
  const { clock, random, windows } = ports;
  const lacking = whatIsMissing(object, result);
  if (lacking === undefined) {
    local.missing = undefined;
    return result;
  }
  const { what, why } = lacking;
  const now = clock.monotonic();
  if (local.missing?.what !== what) {
    const before = local.missing === undefined ? reportedFor(object, why, clock.now()) : 0;
    local.missing = { what, since: now - before };
  }
  if (now - local.missing.since < windows.missingMs) return result;
  if (result.is === "retry") {
    const again = backoff(local.failures, windows, random());
    return { is: "stalled", why, exchange: "failed", again: result.again ?? again };
  }
  const exchange = result.is === "waiting" ? result.exchange : "none";
  return { is: "stalled", why, exchange, again: result.again ?? windows.followMaxMs };
}

/** @returns undefined where nothing is missing, or where the object stays Ready without it */
function whatIsMissing(object: KubeObject, result: Result): { readonly what: string; readonly why: Why } | undefined {
  if (result.is !== "waiting" && result.is !== "retry" && result.is !== "held") return undefined;
  const { why } = result;
  const isKept = result.is === "held" && isSettled(object);
  if (isKept || !(result.lacksConnection || REASONS.has(why.reason))) return undefined;
  // The platform's own words may differ from answer to answer.
  const words = result.is === "retry" ? why.reason : why.message;
  return { what: `${object.metadata.generation ?? 0} ${words}`, why };
}

/** Returns for how long the stored status has reported the same. */
function reportedFor(object: KubeObject, { reason }: Why, now: Date): Ms {
  const ready = conditionOf(object, "Ready");
  const isSame = ready?.reason === reason && ready.observedGeneration === (object.metadata.generation ?? 0);
  const ms = isSame ? now.getTime() - Date.parse(ready.lastTransitionTime) : 0;
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
