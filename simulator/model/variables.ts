import { Problem } from "../base/problems.ts";
import { createdNow } from "./creation.ts";
import type { Machine } from "./machine.ts";
import { markEdited } from "./state-changes.ts";
import { servicesOf, type Service, type Variable, type World } from "./world.ts";

/** The prefix of the platform's own names. */
const reservedPrefix = "VENDOR_";

/** The parent of a variable that is imported through an application. */
export interface VariableParent {
  readonly scope: "APPLICATION" | "ENVIRONMENT" | "PROJECT";
  readonly parentId: string;
}

/** The parent of an application's own variables. */
export function applicationParent(service: Service): VariableParent {
  return { scope: "APPLICATION", parentId: service.id };
}

/** @returns the variable or secret of that name with a parent */
export function variableIn(world: World, parent: VariableParent, key: string): Variable | undefined {
  return [...world.variables.values()].find(
    (each) => each.scope === parent.scope && each.parentId === parent.parentId && each.key === key,
  );
}

/**
 * Returns the parent that an import names for a variable.
 * @param scope as the caller sent it; only the profile with public records requires one
 * @throws Problem 400 for a missing but required scope, or one that applications cannot use
 */
export function importParent(machine: Machine, service: Service, scope: string | undefined): VariableParent {
  if (scope === undefined) {
    if (machine.settings.profile.records === "public") throw new Problem(400, "scope is required");
    return applicationParent(service);
  }
  const projectId = machine.world.environments.get(service.environmentId)?.projectId ?? "";
  switch (scope) {
    case "APPLICATION":
      return applicationParent(service);
    case "ENVIRONMENT":
      return { scope, parentId: service.environmentId };
    case "PROJECT":
      return { scope, parentId: projectId };
    default:
      throw new Problem(400, `Variables of an application cannot be imported in the scope ${scope}`);
  }
}

/** @returns the variables of an application: its own, those of its environment and project, and the platform's */
export function visibleVariables(world: World, service: Service, secret: boolean): Variable[] {
  const environment = world.environments.get(service.environmentId);
  const parents = new Set([service.id, service.environmentId, environment?.projectId]);
  return [...world.variables.values()].filter((each) => each.secret === secret && parents.has(each.parentId));
}

/** @throws Problem 400 for an invalid name, or one of the platform's own names */
export function checkVariableName(key: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) throw new Problem(400, `${key} is no name for a variable`);
  if (key.startsWith(reservedPrefix)) throw new Problem(400, `${key} is reserved`);
}

/** Adds a variable, and marks all services that see it as edited. The caller has checked the name. */
export function addVariable(
  machine: Machine,
  parent: VariableParent,
  content: { key: string; value: string; secret: boolean; description?: string | null | undefined },
): Variable {
  const variable: Variable = {
    ...createdNow(machine),
    id: machine.ids.uuid(),
    ...parent,
    key: content.key,
    value: content.value,
    secret: content.secret,
    description: content.description ?? null,
  };
  machine.world.variables.set(variable.id, variable);
  markReaders(machine.world, variable);
  return variable;
}

/** Changes the value of a variable, and its name if one is given. */
export function changeVariable(machine: Machine, variable: Variable, content: { key?: string; value: string }): void {
  variable.key = content.key ?? variable.key;
  variable.value = content.value;
  variable.updatedAt = createdNow(machine).updatedAt;
  markReaders(machine.world, variable);
}

/** Removes a variable. */
export function removeVariable(machine: Machine, variable: Variable): void {
  machine.world.variables.delete(variable.id);
  markReaders(machine.world, variable);
}

/** Marks every service that sees the variable as edited. */
function markReaders(world: World, { scope, parentId }: Variable): void {
  const own = world.services.get(parentId);
  if (own !== undefined) return markEdited(own);
  const environments = scope === "ENVIRONMENT" ? [parentId] : environmentsOf(world, parentId);
  for (const id of environments) for (const service of servicesOf(world, id)) markEdited(service);
}

function environmentsOf(world: World, projectId: string): string[] {
  return [...world.environments.values()].filter((each) => each.projectId === projectId).map(({ id }) => id);
}

/** Adds the variables that the platform sets for every application. */
export function addBuiltIns(machine: Machine, service: Service): void {
  const { world, ids } = machine;
  const short = service.id.slice(0, 8);
  const id = ids.uuid();
  world.variables.set(id, {
    ...createdNow(machine),
    id,
    scope: "BUILT_IN",
    parentId: service.id,
    key: `${reservedPrefix}APPLICATION_Z${short.toUpperCase()}_HOST_INTERNAL`,
    value: `app-z${short}.internal`,
    secret: false,
    description: null,
  });
}
