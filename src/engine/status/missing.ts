import type { Reason } from "../../api/reasons.ts";
/** What is referred to and missing: it is waited for, and once that has lasted, the object says that a person is needed. */
import type { KubeObject } from "../../kube/api/types.ts";
import type { Context } from "../context/context.ts";
import type { Session } from "../context/local-state.ts";
import type { Ms, Why, RatedApi } from "../contract/kind.ts";
import { backoff } from "../contract/requeue.ts";
import { conditionOf, isSettled } from "../contract/status.ts";
import type { Ending } from "./build.ts";

/** How the pass over an object ended. */
interface Ended {
  readonly ending: Ending;
  readonly again: Ms | undefined;
}

const REASONS: ReadonlySet<Reason> = new Set(["ParentNotFound", "DependencyNotReady"]);

/**
 * Stalls an object that has waited for too long for something that does not exist. It is looked at as often as before.
 * @param lacksConnection whether its connection is what is missing
 */
export function stallOnMissing<Api extends RatedApi>(
  { clock, random, windows }: Context<Api>,
  object: KubeObject,
  session: Session,
  { ending, again, lacksConnection = false }: Ended & { readonly lacksConnection?: boolean },
): Ended {
  const lacking = whatIsMissing(object, ending, lacksConnection);
  if (lacking === undefined) {
    session.missing = undefined;
    return { ending, again };
  }
  const { what, why } = lacking;
  const now = clock.monotonic();
  if (session.missing?.what !== what) {
    const before = session.missing === undefined ? toldFor(object, why, clock.now()) : 0;
    session.missing = { what, since: now - before };
  }
  if (now - session.missing.since < windows.missingMs) return { ending, again };
  if (ending.is === "retry") {
    const look = backoff(session.failures, windows, random());
    return { ending: { is: "stalled", why, exchange: "failed" }, again: again ?? look };
  }
  const exchange = ending.is === "waiting" ? ending.exchange : "none";
  return { ending: { is: "stalled", why, exchange }, again: again ?? windows.followMaxMs };
}

/** @returns undefined where nothing is, or where the object stays Ready without it */
function whatIsMissing(
  object: KubeObject,
  ending: Ending,
  lacksConnection: boolean,
): { readonly what: string; readonly why: Why } | undefined {
  if (ending.is !== "waiting" && ending.is !== "retry" && ending.is !== "held") return undefined;
  const { why } = ending;
  const isKept = ending.is === "held" && isSettled(object);
  if (isKept || !(lacksConnection || REASONS.has(why.reason))) return undefined;
  // The platform's own words may differ from answer to answer.
  const words = ending.is === "retry" ? why.reason : why.message;
  return { what: `${object.metadata.generation ?? 0} ${words}`, why };
}

/** For how long the stored status has told the same. */
function toldFor(object: KubeObject, { reason }: Why, now: Date): Ms {
  const ready = conditionOf(object, "Ready");
  const isSame = ready?.reason === reason && ready.observedGeneration === (object.metadata.generation ?? 0);
  const ms = isSame ? now.getTime() - Date.parse(ready.lastTransitionTime) : 0;
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
