/** The expected outcomes of valid changes of leaves. */
import type { Surface } from "../../../simulator/base/operations.ts";
import type { Reason } from "../../../src/api/reasons.ts";
import type { Json, JsonObject } from "../../../src/kube/api/types.ts";
import { ID, OTHER_ID } from "../../samples/sample.ts";
import type { Manifest } from "../../support/env/cluster.ts";
import type { KindSchema } from "./schema.ts";

export type Outcome =
  /**
   * Exactly one call carries it, in its path or anywhere in its body, as a value with all members of `as`; an empty
   * `as` means the call itself. `refused` is the reason of Ready when the platform has no second valid value.
   */
  | { readonly is: "sent"; readonly by: string; readonly as: Json; readonly refused?: Reason }
  /** An exception: no call of the platform's API changes anything because of it. */
  | { readonly is: "local"; readonly because: string }
  /** The API server refuses it for an existing object, and names this field. */
  | { readonly is: "locked"; readonly at: string }
  /** An exception: the object stays Ready, SettingsSynced reports UpdateNotSupported, and no call changes anything. */
  | { readonly is: "unchangeable"; readonly because: string }
  /** An exception: Ready has the reason, and no call changes anything. */
  | { readonly is: "reported"; readonly reason: Reason; readonly because: string; readonly isCreated?: true };

export interface Entry {
  /** A valid value other than the seed's. */
  readonly to: Json;
  /** Changes of the seed, when the leaf has no meaning in the seed. */
  readonly in?: JsonObject;
  /** Why a revert does not restore the platform's state on the full surface. */
  readonly stays?: string;
  /** Why it is not tried to add it to an object that was created without it. */
  readonly notAdded?: string;
  /** The change cannot be reverted: it is tried on a separate object. */
  readonly oneWay?: true;
  /** Each value of the enumeration needs another spec. */
  readonly bounds?: "none";
  /** For an existing object, by surface. */
  readonly full: Outcome;
  readonly documented: Outcome;
  /** For an object that is created with it; also on the documented surface by default. */
  readonly created: Outcome;
  readonly createdDocumented?: Outcome;
}

/** What a kind says of a leaf. What is absent follows from the schema and from the platform's operations (derive.ts). */
export interface Draft extends Partial<Entry> {
  /** What calls carry of it; `to` by default. */
  readonly as?: Json;
}

/** The environment of one lane's seeds. Every lane has its own name, connection, token and clusters. */
export interface Fixture {
  readonly name: string;
  readonly baseUrl: string;
  readonly proxyUrl: string;
  readonly organizationId: string;
  readonly clusterOf: (name: string) => string;
  readonly credentialsId: string;
  readonly id: (kind: string, name: string) => string;
}

/** A value that the API server accepts, and the operator or the platform refuses. */
export interface Misuse {
  readonly path: string;
  readonly to: Json;
  readonly reason: Reason;
  /** The surface where it is refused; both by default. */
  readonly only?: Surface;
  /** The platform refuses it, so that a call carries it; by default the operator refuses it. */
  readonly isSent?: boolean;
}

/** A kind according to its CRD, and its cases. */
export interface TestedKind extends KindSchema {
  readonly cases: KindCases;
}

export interface KindCases {
  /** Custom resources that all objects of a lane need, in their order. */
  readonly dependencies?: (fixture: Fixture) => readonly Manifest[];
  /** Custom resources that one object does not share. */
  readonly ownDependencies?: (fixture: Fixture, name: string) => readonly Manifest[];
  /** The maximum of clusters that its objects need; 4 by default. */
  readonly clusters?: number;
  /** The documented surface can revert no change: every change has a separate object there. */
  readonly lasting?: true;
  /** The operation that carries the settings; create… and update… of the kind by default. */
  readonly by?: string;
  /** @returns a spec in which every leaf has a value, or could have one. @param name the object's name */
  seed(fixture: Fixture, name: string): JsonObject;
  /** @returns what does not follow from the schema, by the paths of leaves. @param name the name of the seed's object */
  leaves(fixture: Fixture, name: string): Readonly<Record<string, Draft>>;
  /** Values that the schema accepts and that must be refused later. */
  readonly misuses?: (fixture: Fixture, name: string) => readonly Misuse[];
}

export const sent = (by: string, as: Json, refused?: Reason): Outcome => ({
  is: "sent",
  by,
  as,
  ...(refused !== undefined && { refused }),
});
export const local = (because: string): Outcome => ({ is: "local", because });
export const reported = (reason: Reason, because: string): Outcome => ({ is: "reported", reason, because });
export const unchangeable = (because: string): Outcome => ({ is: "unchangeable", because });
/** The object is created on the platform, and then reports the reason. */
export const createdThenReported = (reason: Reason, because: string): Outcome => ({
  is: "reported",
  reason,
  because,
  isCreated: true,
});

/** The same outcome on both surfaces, whether the object exists or not. */
export const everywhere = (outcome: Outcome) => ({ full: outcome, documented: outcome, created: outcome });
export const always = (to: Json, outcome: Outcome): Entry => ({ to, ...everywhere(outcome) });

/** A fixture without a platform, for tests that use specs only. */
export const SOMEWHERE: Fixture = {
  name: "shop",
  baseUrl: "https://platform.example.com",
  proxyUrl: "http://proxy.example.com:3128",
  organizationId: ID,
  credentialsId: OTHER_ID,
  clusterOf: () => ID,
  id: () => OTHER_ID,
};
