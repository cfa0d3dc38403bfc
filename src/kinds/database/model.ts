/** What the parts of the database kind exchange. */
import type { ConditionFact, Presence, ReconcileContext, Why } from "../../engine/contract/kind.ts";
import type { Database } from "../../platform/areas/databases.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { Place, ServiceInputs, Sight } from "../service/model.ts";
import { failure as serviceFailure } from "../service/words.ts";
import type { DatabaseMemory, DatabaseSpec } from "./crd.ts";

export interface Seen extends Place, Sight {
  /** Why the state is unknown: the documented surface has no read of it. The status then says nothing. */
  readonly unseen: Why | undefined;
  /** The environment's databases, where the platform lists them. */
  readonly siblings: readonly Database[] | undefined;
  /** What the list shows of the database, where nothing else does. */
  readonly presence?: Presence;
  /** A fresh list proves that the recorded database is gone. */
  readonly isGone: boolean;
  /** The managed types that the platform lists, where they were read. */
  readonly types: readonly string[] | undefined;
  readonly serverNow: Date | undefined;
  /** The settings were sent in this reconcile. */
  readonly updated: boolean;
  /** A request to deploy or to stop was sent in this reconcile. */
  readonly ordered: boolean;
  /** A delete was sent in this reconcile. */
  readonly deleting: boolean;
}

export type Do =
  | { readonly what: "create" }
  | { readonly what: "update" }
  | { readonly what: "stop" }
  | { readonly what: "delete" }
  | {
      readonly what: "deploy";
      /** The token of the user's request that the deployment is made for. */
      readonly retry: string | undefined;
      /** How often spec.lifecycle.retry started the deployment again, this attempt included. */
      readonly attempts: number | undefined;
    };

/** The types of the kind. */
export interface DatabaseTypes {
  readonly spec: DatabaseSpec;
  readonly inputs: ServiceInputs;
  readonly observed: Seen;
  readonly memory: DatabaseMemory;
  readonly action: Do;
  readonly api: Platform;
}

export type DatabaseContext = ReconcileContext<DatabaseTypes>;

export const NOTHING_SEEN: Seen = {
  environmentIsOurs: true,
  projectId: undefined,
  status: undefined,
  request: undefined,
  unseen: undefined,
  siblings: undefined,
  isGone: false,
  types: undefined,
  serverNow: undefined,
  updated: false,
  ordered: false,
  deleting: false,
};

/** Returns the database's own record, where the platform shows it. */
export function recordOf(context: DatabaseContext, seen: Seen): Database | undefined {
  return seen.siblings?.find(({ id }) => id === context.id);
}

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
  return [
    listed
      ? {
          type: "TypeKnown",
          status: "True",
          reason: "TypeListed",
          message: `The platform lists ${type} as a type of managed databases.`,
        }
      : {
          type: "TypeKnown",
          status: "False",
          reason: "TypeNotListed",
          message: `The platform's list of managed database types does not have ${type}. The list is only advice: the platform itself decides. Check spec.type if it refuses the database.`,
        },
  ];
}

const ADVICE: ReadonlyMap<string, string> = new Map([
  ["DEPLOYMENT_ERROR", "Look at the database on the platform, and at spec.version and its sizes"],
]);

/** The reason of a failure, with what to do about it. */
export function failure(state: string): Why {
  return serviceFailure(state, "database", ADVICE);
}
