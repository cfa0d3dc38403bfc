/** Handles references to what does not exist: the object waits, and after a while reports that a person is needed. */
import type { Reason } from "../../api/reasons.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import type { Ms, Why, RatedApi } from "../contract/kind.ts";
import { backoff } from "../contract/requeue.ts";
import { conditionOf, isSettled } from "../contract/status.ts";
import type { Result } from "./build.ts";

/** How the reconcile of an object ended. */
interface Ended {
  readonly result: Result;
  readonly again: Ms | undefined;
}

const REASONS: ReadonlySet<Reason> = new Set(["ParentNotFound", "DependencyNotReady"]);

/**
 * Stalls an object that has waited too long for something that does not exist. It is reconciled as often as before.
 * @param lacksConnection whether its connection is what is missing
 */
export function stallOnMissing<Api extends RatedApi>(
  { clock, random, windows }: Ports<Api>,
  object: KubeObject,
  local: LocalState,
  { result, again, lacksConnection = false }: Ended & { readonly lacksConnection?: boolean },
): Ended {
  const lacking = whatIsMissing(object, result, lacksConnection);
  if (lacking === undefined) {
    local.missing = undefined;
    return { result, again };
  }
  const { what, why } = lacking;
  const now = clock.monotonic();
  if (local.missing?.what !== what) {
    const before = local.missing === undefined ? toldFor(object, why, clock.now()) : 0;
    local.missing = { what, since: now - before };
  }
  if (now - local.missing.since < windows.missingMs) return { result, again };
  if (result.is === "retry") {
    const look = backoff(local.failures, windows, random());
    return { result: { is: "stalled", why, exchange: "failed" }, again: again ?? look };
  }
  const exchange = result.is === "waiting" ? result.exchange : "none";
  return { result: { is: "stalled", why, exchange }, again: again ?? windows.followMaxMs };
}

/** @returns undefined where nothing is missing, or where the object stays Ready without it */
function whatIsMissing(
  object: KubeObject,
  result: Result,
  lacksConnection: boolean,
): { readonly what: string; readonly why: Why } | undefined {
  if (result.is !== "waiting" && result.is !== "retry" && result.is !== "held") return undefined;
  const { why } = result;
  const isKept = result.is === "held" && isSettled(object);
  if (isKept || !(lacksConnection || REASONS.has(why.reason))) return undefined;
  // The platform's own words may differ from answer to answer.
  const words = result.is === "retry" ? why.reason : why.message;
  return { what: `${object.metadata.generation ?? 0} ${words}`, why };
}

/** Returns for how long the stored status has reported the same. */
function toldFor(object: KubeObject, { reason }: Why, now: Date): Ms {
  const ready = conditionOf(object, "Ready");
  const isSame = ready?.reason === reason && ready.observedGeneration === (object.metadata.generation ?? 0);
  const ms = isSame ? now.getTime() - Date.parse(ready.lastTransitionTime) : 0;
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
