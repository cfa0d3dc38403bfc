/** What the parts of the database kind exchange. */
import type { ConditionFact, ReconcileContext } from "../../engine/contract/kind.ts";
import type { Database } from "../../platform/areas/databases.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import {
  NOTHING_OBSERVED as NOTHING_OF_SERVICE,
  type ServiceAction,
  type ServiceInputs,
  type ServiceObserved,
  type ServiceNames,
} from "../service/model.ts";
import type { ServiceSetting } from "../service/settings.ts";
import type { SideRead } from "../shared/answers.ts";
import type { TypesOf } from "../shared/types.ts";
import type { DatabaseMemory, DatabaseSpec, platformDatabase } from "./crd.ts";

export const NAMES = {
  noun: "database",
  plural: "databases",
  operations: {
    list: "listDatabases",
    get: "getDatabase",
    create: "createDatabase",
    update: "updateDatabase",
    deploy: "deployDatabase",
    stop: "stopDatabase",
    delete: "deleteDatabase",
  },
  advice: new Map([["DEPLOYMENT_ERROR", "Look at the database on the platform, and at spec.version and its sizes"]]),
} as const satisfies ServiceNames;

/**
 * The settings. Requests, comparison, drift and export are derived from this table. The platform uses the same names.
 */
export const DATABASE_SETTINGS: readonly ServiceSetting<DatabaseSpec, Database>[] = [
  { path: "spec.name", of: ({ name }) => name },
  { path: "spec.type", of: ({ type }) => type, isFixed: true },
  { path: "spec.version", of: ({ version }) => version },
  { path: "spec.mode", of: ({ mode }) => mode, isFixed: true },
  { path: "spec.cpu", of: ({ cpu }) => cpu },
  { path: "spec.memory", of: ({ memory }) => memory },
  { path: "spec.storage", of: ({ storage }) => storage },
  { path: "spec.instanceType", of: ({ instanceType }) => instanceType },
  { path: "spec.accessibility", of: ({ accessibility }) => accessibility },
  { path: "spec.diskType", of: ({ diskType }) => diskType },
];

export interface Observed extends ServiceObserved<Database> {
  /** The managed types that the platform lists, where they were read. */
  readonly types?: readonly string[] | undefined;
  /**
   * How users reach the database, where that was read for the Secret; it contains secrets. "awaited" while the database
   * does not run: the Secret is then not changed.
   */
  readonly details?: SideRead<Readonly<Record<string, string>>> | "awaited" | undefined;
  /** A request to deploy or to stop was sent in this reconcile. */
  readonly isRequestSent: boolean;
}

/** The types of the kind. */
export type DatabaseTypes = TypesOf<
  typeof platformDatabase,
  { inputs: ServiceInputs; observed: Observed; action: ServiceAction }
>;

export type DatabaseContext = ReconcileContext<DatabaseTypes>;

export const NOTHING_OBSERVED: Observed = { ...NOTHING_OF_SERVICE, isRequestSent: false };

/** The list is the same for everybody and changes with releases of the platform. */
const MAX_AGE_MS = 3_600_000;

/** Reads the list until it is known to have the type; undefined where it is not needed or not available. */
export async function typesOf(context: DatabaseContext, api: Platform): Promise<Observed["types"]> {
  const { mode, type } = context.spec;
  if (mode !== "MANAGED" || context.goal !== "present") return undefined;
  const known = context.memory.typeCheck;
  if (known?.type === type && known.listed) return undefined;
  try {
    const types = await api.catalog.managedDatabaseTypes({ maxAgeMs: MAX_AGE_MS });
    return types.map(({ name }) => name);
  } catch (error) {
    // The database works without the advice.
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Returns whether the type is listed, as far as the list was read. */
export function typeCheckOf(context: DatabaseContext, { types }: Observed): DatabaseMemory["typeCheck"] {
  const { mode, type } = context.spec;
  if (mode !== "MANAGED") return undefined;
  if (types !== undefined) return { type, listed: types.some((name) => name.toUpperCase() === type) };
  const known = context.memory.typeCheck;
  return known?.type === type ? known : undefined;
}

/** Returns the condition TypeKnown; none where the list was not read. */
export function typeCondition(context: DatabaseContext, observed: Observed): readonly ConditionFact[] {
  const check = typeCheckOf(context, observed);
  if (check === undefined) return [];
  const { type, listed } = check;
  if (listed) {
    const message = `The platform lists ${type} as a type of managed databases.`;
    return [{ type: "TypeKnown", status: "True", reason: "TypeListed", message }];
  }
  const message = `The platform's list of managed database types does not have ${type}. The list is only advice: the platform itself decides. Check spec.type if it refuses the database.`;
  return [{ type: "TypeKnown", status: "False", reason: "TypeNotListed", message }];
}
