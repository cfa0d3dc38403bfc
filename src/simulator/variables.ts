import { bornNow } from "./births.ts";
import type { Machine } from "./machine.ts";
import { Problem } from "./problems.ts";
import { markEdited } from "./state-changes.ts";
import type { Service, Variable, World } from "./world.ts";

/** Names that begin so belong to the platform. */
const reservedPrefix = "VENDOR_";

/** @returns an application's own variable or secret of that name. */
export function ownVariable(world: World, service: Service, key: string): Variable | undefined {
  return [...world.variables.values()].find(
    (each) => each.scope === "APPLICATION" && each.parentId === service.id && each.key === key,
  );
}

/** @returns what an application sees: its own, those of its environment and project, and the platform's. */
export function visibleVariables(world: World, service: Service, secret: boolean): Variable[] {
  const environment = world.environments.get(service.environmentId);
  const parents = new Set([service.id, service.environmentId, environment?.projectId]);
  return [...world.variables.values()].filter((each) => each.secret === secret && parents.has(each.parentId));
}

/** @throws Problem 400 for a name that cannot be one, or that belongs to the platform. */
export function checkVariableName(key: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) throw new Problem(400, `${key} is no name for a variable`);
  if (key.startsWith(reservedPrefix)) throw new Problem(400, `${key} is reserved`);
}

/** Adds a variable to an application; its configuration counts as edited. The name was checked. */
export function addVariable(
  machine: Machine,
  service: Service,
  content: { key: string; value: string; secret: boolean; description?: string | null | undefined },
): Variable {
  const variable: Variable = {
    ...bornNow(machine),
    id: machine.ids.uuid(),
    scope: "APPLICATION",
    parentId: service.id,
    key: content.key,
    value: content.value,
    secret: content.secret,
    description: content.description ?? null,
  };
  machine.world.variables.set(variable.id, variable);
  markEdited(service);
  return variable;
}

/** Gives a variable another value, and another name where one is given. */
export function changeVariable(
  machine: Machine,
  service: Service,
  variable: Variable,
  content: { key?: string; value: string },
): void {
  variable.key = content.key ?? variable.key;
  variable.value = content.value;
  variable.updatedAt = bornNow(machine).updatedAt;
  markEdited(service);
}

/** Takes a variable out. */
export function removeVariable(machine: Machine, service: Service, variable: Variable): void {
  machine.world.variables.delete(variable.id);
  markEdited(service);
}

/** Adds what the platform itself tells every application. */
export function addBuiltIns(machine: Machine, service: Service): void {
  const { world, ids } = machine;
  const short = service.id.slice(0, 8);
  const id = ids.uuid();
  world.variables.set(id, {
    ...bornNow(machine),
    id,
    scope: "BUILT_IN",
    parentId: service.id,
    key: `${reservedPrefix}APPLICATION_Z${short.toUpperCase()}_HOST_INTERNAL`,
    value: `app-z${short}.internal`,
    secret: false,
    description: null,
  });
}
