/** The messages of a variable set: names, never values; the same text while the facts are the same. Pure. */
import type { StatusReason } from "../../engine/contract/kind.ts";
import { unprovenReason } from "../shared/limits.ts";
import { reasonOutsideProjects } from "../shared/names.ts";
import { fitText } from "../shared/text.ts";
import type { Judged, Verdict } from "./judge.ts";
import type { SetContext } from "./model.ts";
import type { SetTarget } from "./target.ts";

/** An application, and the verdict on each variable of the spec there. */
export interface Outlook {
  readonly target: SetTarget;
  readonly judged: readonly Judged[];
}

/** The bounds of a set: an entry for each variable of each application has to fit into the status. */
const MAX_VARIABLES = 256;
const MAX_ENTRIES = 1_024;
/** The largest number of names in one sentence. */
const NAMED = 5;
const NAME_LENGTH = 40;

export const READ_BACK: StatusReason = { reason: "Progressing", message: "The variables were sent and are read back." };

/** E.g. "1 variable", "2 variables". */
export function numbered(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function some(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).map((name) => fitText(name, NAME_LENGTH));
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return `${shown.join(", ")}${more}`;
}

/** Returns why the set is too large; undefined if it is not. */
export function tooMany({ inputs }: SetContext): StatusReason | undefined {
  const { length: variables } = inputs.variables;
  const { length: targets } = inputs.targets;
  if (variables <= MAX_VARIABLES && variables * targets <= MAX_ENTRIES) return undefined;
  const message = `The set has ${numbered(variables, "variable")} for ${numbered(targets, "application")}; at most ${MAX_VARIABLES} variables, and ${MAX_ENTRIES} over all applications, are possible. Spread them over several sets.`;
  return { reason: "InvalidSpec", message };
}

/**
 * Returns the reason of a variable that another resource writes.
 * @param label the name or id of the application
 * @param holder the other resource
 */
export function conflict(name: string, label: string, holder: string): StatusReason {
  const message = `${holder} writes the variable ${fitText(name, NAME_LENGTH)} of application ${label} already. Take it out of one of the two, or set spec.overwrite to false here.`;
  return { reason: "AlreadyManaged", message };
}

/** Returns why the set waits for applications of the spec that have no id yet. */
export function missingTargets({ inputs }: SetContext): StatusReason | undefined {
  const names = inputs.targets.flatMap(({ id, name }) => (id === undefined ? [`"${name}"`] : []));
  if (names.length === 0) return undefined;
  const message = `Waiting for PlatformApplication ${some(names)}, which does not exist or has no id yet. Create it, or take it out of spec.targets.`;
  return { reason: "DependencyNotReady", message };
}

/** Returns what is wrong with an application itself; the others are not affected. */
export function troubleOf(targets: readonly SetTarget[]): StatusReason | undefined {
  const troubled = targets.find(({ wanted, state }) => wanted && state !== undefined && state.is !== "shown");
  return troubled && trouble(troubled);
}

function trouble({ state, label }: SetTarget): StatusReason | undefined {
  switch (state?.is) {
    case undefined:
    case "shown":
      return undefined;
    case "missing": {
      const message = `The platform has no application ${label} any more. Take it out of spec.targets, or recreate it.`;
      return { reason: "ExternalResourceDeleted", message };
    }
    case "forbidden": {
      const message = `The platform forbids reading the variables of application ${label} (403). It may be deleted there, or the token lacks a role.`;
      return { reason: "PermissionDenied", message };
    }
    case "unproven":
      return unprovenReason(`application ${label}`);
    case "elsewhere": {
      const message = `The organization has no application ${label}. Fix spec.targets, or the connection.`;
      return { reason: "InvalidSpec", message };
    }
    case "outside": {
      const message = `The application ${label} is in the project ${state.projectId}, which the connection's spec.allowedProjects does not list. A person who may edit the connection can add it.`;
      return { reason: "PermissionDenied", message };
    }
    default:
      return state satisfies never;
  }
}

/** Why a variable is not in place, by verdict. */
const CAUSES: Readonly<Partial<Record<Verdict, string>>> = {
  kept: "exists there and spec.overwrite is false",
  stuck: "exists there as a secret, which an import may not replace; remove it on the platform",
  refused: "was not imported; find the reason on the platform",
  later: "was not imported and is tried again",
  send: "is not imported yet",
};

/**
 * Returns which variables are not in place, by application.
 * @param without verdicts that are not reported
 * @returns undefined when all are
 */
export function unsynced(outlook: readonly Outlook[], without: readonly string[] = []): StatusReason | undefined {
  const causes = Object.entries(CAUSES).filter(([verdict]) => !without.includes(verdict));
  const sentences = outlook.flatMap(({ target, judged }) =>
    causes.flatMap(([verdict, cause]) => {
      const names = judged.filter((one) => one.verdict === verdict).map(({ variable }) => variable.name);
      return names.length === 0 ? [] : [`${some(names)} of application ${target.label}: ${cause}`];
    }),
  );
  if (sentences.length === 0) return undefined;
  const more = sentences.length > 2 ? `; and ${numbered(sentences.length - 2, "more case")} in status.targets` : "";
  return { reason: "VariablesPending", message: `${sentences.slice(0, 2).join("; ")}${more}.` };
}

/** Returns the reason of secrets that others changed, where the surface cannot change them back. */
export function changedSecrets(outlook: readonly Outlook[]): StatusReason | undefined {
  for (const { target, judged } of outlook) {
    const names = judged.filter(({ verdict }) => verdict === "changed").map(({ variable }) => variable.name);
    if (names.length === 0) continue;
    const message = `Others changed ${some(names)} of application ${target.label}, and the platform's surface does not replace secrets. Remove them there to have them imported again, or set driftPolicy to Report.`;
    return { reason: "UpdateNotSupported", message };
  }
  return undefined;
}

/**
 * Returns why the variables that the set created in an application stay there when the resource is deleted, if the
 * cause is the application and not its entries.
 */
export function beyondReach(context: SetContext, { state, label }: SetTarget): StatusReason | undefined {
  switch (state?.is) {
    case undefined:
    case "missing":
      return undefined;
    case "shown":
      return state.isUnproven === true
        ? stays(`The platform does not show where the application ${label} belongs`)
        : undefined;
    case "outside":
      return reasonOutsideProjects(context, state.projectId);
    case "elsewhere":
      return stays(`The organization has no application ${label}`);
    case "forbidden":
    case "unproven":
      return stays(`The platform does not show the application ${label} any more`);
    default:
      return state satisfies never;
  }
}

function stays(cause: string): StatusReason {
  return { reason: "NotObservable", message: `${cause}; what the set created there stays.` };
}

/** Returns the reason of variables that cannot be removed when the resource is deleted. */
export function left(stuck: readonly { readonly target: SetTarget; readonly keys: readonly string[] }[]): StatusReason {
  const what = stuck.slice(0, 2).map(({ target, keys }) => `${some(keys)} of application ${target.label}`);
  const more = stuck.length > 2 ? `, and more in ${numbered(stuck.length - 2, "other application")}` : "";
  const message = `The platform's surface cannot remove variables; the set created ${what.join(", ")}${more}.`;
  return { reason: "DeleteNotSupported", message };
}
