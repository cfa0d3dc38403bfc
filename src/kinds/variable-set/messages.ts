/** The messages of a variable set: names, never values; the same text while the facts are the same. Pure. */
import type { StatusReason } from "../../engine/contract/kind.ts";
import { unprovenReason } from "../shared/limits.ts";
import { reasonOutsideProjects } from "../shared/names.ts";
import { listed } from "../variables/plan.ts";
import type { SetContext } from "./model.ts";
import type { SetTarget } from "./target.ts";

/** The bounds of a set: an entry for each variable of each application has to fit into the status. */
const MAX_VARIABLES = 256;
const MAX_ENTRIES = 1_024;
/** E.g. "1 variable", "2 variables". */
export function numbered(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
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
  const message = `${holder} writes the variable ${listed([name])} of application ${label} already. Take it out of one of the two.`;
  return { reason: "AlreadyManaged", message };
}

/** Returns why the set waits for applications of the spec that have no id yet. */
export function missingTargets({ inputs }: SetContext): StatusReason | undefined {
  const names = inputs.targets.flatMap(({ id, name }) => (id === undefined ? [`"${name}"`] : []));
  if (names.length === 0) return undefined;
  const message = `Waiting for PlatformApplication ${listed(names)}, which does not exist or has no id yet. Create it, or take it out of spec.targets.`;
  return { reason: "DependencyNotReady", message };
}

/** Returns what is wrong with an application itself; the others are not affected. */
export function troubleOf(targets: readonly SetTarget[]): StatusReason | undefined {
  const troubled = targets.find(({ isWanted, state }) => isWanted && state !== undefined && state.is !== "shown");
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

/**
 * Returns why the variables that the set wrote into an application stay there when the resource is deleted, if the
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
  return { reason: "NotObservable", message: `${cause}; what the set wrote there stays.` };
}
