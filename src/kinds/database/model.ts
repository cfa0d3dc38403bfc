/** What the parts of the database kind exchange. */
import type { ReconcileContext, Presence, Why } from "../../engine/contract/kind.ts";
import type { Database } from "../../platform/areas/databases.ts";
import type { Platform } from "../../platform/index.ts";
import type { Place, ServiceInputs, Sight } from "../service/model.ts";
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

export type DatabasePass = ReconcileContext<DatabaseTypes>;

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
export function recordOf(context: DatabasePass, seen: Seen): Database | undefined {
  return seen.siblings?.find(({ id }) => id === context.id);
}
