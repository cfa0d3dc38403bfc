/** What the parts of the database kind exchange. */
import type { ReconcileContext } from "../../engine/contract/kind.ts";
import type { Database } from "../../platform/areas/databases.ts";
import type { Platform } from "../../platform/index.ts";
import {
  NOTHING_SEEN as NOTHING_OF_SERVICE,
  type ServiceAction,
  type ServiceInputs,
  type ServiceNames,
  type ServiceSeen,
} from "../service/model.ts";
import type { Setting } from "../service/settings.ts";
import type { DatabaseMemory, DatabaseSpec } from "./crd.ts";

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

/** Each setting, once. The platform has them under the same names. Type and mode are none: they cannot change. */
export const SETTINGS: readonly Setting<DatabaseSpec, Database>[] = [
  { path: "spec.name", of: ({ name }) => name },
  { path: "spec.version", of: ({ version }) => version },
  { path: "spec.cpu", of: ({ cpu }) => cpu },
  { path: "spec.memory", of: ({ memory }) => memory },
  { path: "spec.storage", of: ({ storage }) => storage },
];

export interface Seen extends ServiceSeen<Database> {
  /** The managed types that the platform lists, where they were read. */
  readonly types: readonly string[] | undefined;
  /** A request to deploy or to stop was sent in this reconcile. */
  readonly ordered: boolean;
}

/** The types of the kind. */
export interface DatabaseTypes {
  readonly spec: DatabaseSpec;
  readonly inputs: ServiceInputs;
  readonly observed: Seen;
  readonly memory: DatabaseMemory;
  readonly action: ServiceAction;
  readonly api: Platform;
}

export type DatabaseContext = ReconcileContext<DatabaseTypes>;

export const NOTHING_SEEN: Seen = { ...NOTHING_OF_SERVICE, types: undefined, ordered: false };
