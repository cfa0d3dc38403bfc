/** Decides what to do with each variable of the spec in an application. Pure. */
import { sameContent, type Ms } from "../../engine/contract/kind.ts";
import type { KnownTarget } from "./crd.ts";
import type { Listed, Seen, SetContext, SetVariable } from "./model.ts";
import { isCreated, isFixed, knownOf, standingOf, type Target } from "./target.ts";

/** How often the platform is sent what it did not take for no visible reason, and at which intervals. */
const ATTEMPTS = 3;
const RETRY_MS = 30_000;
/** An open request of the user sends nothing twice. */
const ASK_MS = 5_000;

export interface Judged {
  readonly variable: SetVariable;
  readonly own: Listed | undefined;
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
export function judge(context: SetContext, seen: Seen, target: Target): readonly Judged[] {
  return context.inputs.variables.map((variable) => {
    const { is, own } = standingOf(target, variable, context.inputs);
    switch (is) {
      case "fine":
      case "kept":
        return { variable, own, verdict: is };
      case "removed":
        return { variable, own, verdict: "restore" };
      case "changed":
        return { variable, own, verdict: isFixed(context, own) ? "changed" : "restore" };
      case "due":
        return { variable, own, verdict: dueVerdict(context, seen, target, variable, own) };
      default:
        return is satisfies never;
    }
  });
}

function dueVerdict(
  context: SetContext,
  seen: Seen,
  { known }: Target,
  variable: SetVariable,
  own: Listed | undefined,
): Verdict {
  const isForeign = own !== undefined && !isCreated(known, own);
  if (isForeign && own.isSecret && !variable.isSecret && context.supports("updateSecret") !== "Unsupported")
    return "stuck";
  if (!isTried(context, known, variable) || isAsked(context, seen, known)) return "send";
  if (isForeign && !context.inputs.overwrite) return "kept";
  return isFixed(context, own) ? "stuck" : nextTry(known.attempts ?? 0, sinceSent(seen, known));
}

/** Reports whether the platform was sent the current variable. */
function isTried({ inputs }: SetContext, known: KnownTarget, { name }: SetVariable): boolean {
  return knownOf(known, name)?.failed === true && sameContent(known.written, inputs.fingerprint);
}

function isAsked({ requested }: SetContext, seen: Seen, known: KnownTarget): boolean {
  return requested !== undefined && sinceSent(seen, known) >= ASK_MS;
}

/** By the platform's clock. */
function sinceSent({ serverNow }: Seen, { sentAt }: KnownTarget): Ms {
  return (serverNow?.getTime() ?? 0) - Date.parse(sentAt ?? "");
}

function nextTry(attempts: number, since: Ms): Verdict {
  if (attempts >= ATTEMPTS) return "refused";
  return since < attempts * RETRY_MS ? "later" : "send";
}
