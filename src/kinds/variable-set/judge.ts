/** Decides what to do with each variable of the spec in an application. Pure. */
import { sameContent } from "../../engine/contract/kind.ts";
import { retryRequested, retryDecision } from "../variables/declared.ts";
import type { KnownTarget } from "./crd.ts";
import type { ListedVariable, Observed, SetContext, SetVariable } from "./model.ts";
import { isCreated, isFixed, isInPlace, knownOf, namesakesIn, ownEntry, type SetTarget } from "./target.ts";

export interface Judged {
  readonly variable: SetVariable;
  readonly own: ListedVariable | undefined;
  readonly verdict: Verdict;
}

export type Verdict =
  | "fine"
  /** Send it now; `restore`: others removed or changed it. */
  | "send"
  | "restore"
  /** It was not taken, and is tried again later. */
  | "later"
  /** Others created it, and it is not to be overwritten. */
  | "kept"
  /** It exists with another visibility, or as a secret, and cannot be replaced. */
  | "stuck"
  /** Others changed the secret, and it cannot be replaced. */
  | "changed"
  /** The platform did not take it, several times. */
  | "refused";

/** Returns the verdicts on all variables of the spec, in its order. */
export function judgeVariables(context: SetContext, observed: Observed, target: SetTarget): readonly Judged[] {
  return context.inputs.variables.map((variable) => {
    const own = ownEntry(target, variable);
    const judge = isInPlace(target.known, variable, context.inputs) ? verdictInPlace : verdictDue;
    return { variable, own, verdict: judge({ context, observed, target, variable, own }) };
  });
}

/** A variable, and what is known of it. */
interface Case extends Omit<Judged, "verdict"> {
  readonly context: SetContext;
  readonly observed: Observed;
  readonly target: SetTarget;
}

/** Returns the verdict on a variable that was in place: whether others have changed it since. */
function verdictInPlace({ context, target: { known, state }, variable, own }: Case): Verdict {
  const { id: ours, updatedAt = "" } = knownOf(known, variable.name) ?? {};
  // Without an id, the variable was not read back yet.
  if (state?.is !== "shown" || ours === undefined) return "fine";
  if (!namesakesIn(state, variable).some(({ id }) => id === ours)) return "restore";
  const isChanged = Date.parse(own?.updatedAt ?? "") > Date.parse(updatedAt);
  if (!isChanged) return "fine";
  return isFixed(context, own) ? "changed" : "restore";
}

function verdictDue({ context, observed, target: { known }, variable, own }: Case): Verdict {
  const isForeign = own !== undefined && !isCreated(known, own);
  const isKept = isForeign && !context.inputs.overwrite;
  // An entry without a scope may be inherited. The platform decides whether it creates the set's own beside it.
  if (isKept && own.scope !== undefined) return "kept";
  if (isForeign && own.isSecret && !variable.isSecret && context.isFull) return "stuck";
  if (isDue(context, observed, known, variable)) return "send";
  if (isKept) return "kept";
  return isFixed(context, own) ? "stuck" : retryDecision(known, observed.serverNow);
}

/** Reports whether the platform was not sent the current variable yet, or the user asks for it once more. */
function isDue(context: SetContext, observed: Observed, known: KnownTarget, { name }: SetVariable): boolean {
  const isTried = knownOf(known, name)?.failed === true && sameContent(known.written, context.inputs.fingerprint);
  return !isTried || retryRequested(context, known, observed.serverNow);
}
