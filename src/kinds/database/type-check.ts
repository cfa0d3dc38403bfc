/** Looks the type of a managed database up in the platform's list. Advice only. */
import type { ConditionFact } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { DatabaseMemory } from "./crd.ts";
import type { DatabaseContext, Seen } from "./model.ts";

/** The list is the same for everybody and changes with releases of the platform. */
const MAX_AGE_MS = 3_600_000;

/** Reads the list while it is not known to hold the type; undefined where it is not needed or not available. */
export async function typesOf(context: DatabaseContext, api: Platform): Promise<Seen["types"]> {
  const { mode, type } = context.spec;
  if (mode !== "MANAGED" || context.goal !== "present") return undefined;
  const known = context.memory.typeCheck;
  if (known?.type === type && known.listed) return undefined;
  try {
    const types = await api.catalogue.managedDatabaseTypes({ maxAgeMs: MAX_AGE_MS });
    return types.map(({ name }) => name);
  } catch (error) {
    // The database works without the advice.
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Returns whether the type is listed, as far as the list was read. */
export function typeCheckOf(context: DatabaseContext, { types }: Seen): DatabaseMemory["typeCheck"] {
  const { mode, type } = context.spec;
  if (mode !== "MANAGED") return undefined;
  if (types !== undefined) return { type, listed: types.some((name) => name.toUpperCase() === type) };
  const known = context.memory.typeCheck;
  return known?.type === type ? known : undefined;
}

/** Returns the condition TypeKnown; none where the list was not read. */
export function typeCondition(context: DatabaseContext, seen: Seen): readonly ConditionFact[] {
  const check = typeCheckOf(context, seen);
  if (check === undefined) return [];
  const { type, listed } = check;
  if (listed) {
    const message = `The platform lists ${type} as a type of managed databases.`;
    return [{ type: "TypeKnown", status: "True", reason: "TypeListed", message }];
  }
  const message = `The platform's list of managed database types does not have ${type}. The list is only advice: the platform itself decides. Check spec.type if it refuses the database.`;
  return [{ type: "TypeKnown", status: "False", reason: "TypeNotListed", message }];
}
