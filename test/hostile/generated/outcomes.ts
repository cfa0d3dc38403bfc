/** What becomes of a valid change of a leaf. */
import type { Surface } from "../../../simulator/base/operations.ts";
import type { Reason } from "../../../src/api/reasons.ts";
import type { Json, JsonObject } from "../../../src/kube/api/types.ts";

export type Outcome =
  /**
   * Exactly one call carries it: in its path, or anywhere in its body, as a value that has all that `as` has; for an
   * `as` that is empty it is the call itself. `refused` is what Ready says where the platform has no second valid
   * value.
   */
  | { readonly is: "sent"; readonly by: string; readonly as: Json; readonly refused?: Reason }
  /** An exception: no call of the platform's API asks for a change because of it. */
  | { readonly is: "local"; readonly because: string }
  /** An exception: the API server refuses it on an object that exists, in these words. */
  | { readonly is: "locked"; readonly says: string; readonly because: string }
  /** An exception: the object says so (Ready carries the reason), and no call asks for a change. */
  | { readonly is: "told"; readonly reason: Reason; readonly because: string; readonly isCreated?: true };

export interface Entry {
  /** A valid value, other than the seed's. */
  readonly to: Json;
  /** A spec to change instead of the seed, where the leaf means nothing in that. */
  readonly in?: JsonObject;
  /** Why going back leaves something on the platform, on the full surface. */
  readonly stays?: string;
  /** There is no way back: it is tried on an object of its own. */
  readonly oneWay?: true;
  /** Each value of the enumeration wants another spec. */
  readonly bounds?: "none";
  /** On an object that exists, by surface. */
  readonly full: Outcome;
  readonly documented: Outcome;
  /** On an object that is created with it; on the documented surface as well unless that is told. */
  readonly created: Outcome;
  readonly createdDocumented?: Outcome;
}

/** What the seeds of one lane stand on. Every lane has a name, a connection, a token and a cluster of its own. */
export interface Fixture {
  /** Of the lane, its connection among others. */
  readonly name: string;
  readonly baseUrl: string;
  /** A proxy that leads there. */
  readonly proxyUrl: string;
  readonly organizationId: string;
  /** The id of a cluster of that name on the platform. */
  readonly clusterOf: (name: string) => string;
  readonly credentialsId: string;
  /** The id on the platform of what a custom resource stands for. */
  readonly id: (kind: string, name: string) => string;
}

/** A value that the API server takes, and the operator or the platform refuses. */
export interface Misuse {
  readonly path: string;
  readonly to: Json;
  readonly in?: JsonObject;
  /** What Ready says then. */
  readonly reason: Reason;
  /** The surface where it is a misuse; both by default. */
  readonly only?: Surface;
}

export interface Standing {
  readonly kind: string;
  readonly name: string;
  readonly spec: JsonObject;
}

export interface KindCases {
  readonly kind: string;
  /** Custom resources that all objects of a lane need. */
  stands(fixture: Fixture): readonly Standing[];
  /** Custom resources that one object needs for itself. */
  readonly own?: (fixture: Fixture, name: string) => readonly Standing[];
  /** How many clusters its objects need at most; a handful unless told. */
  readonly clusters?: number;
  /** On the documented surface nothing takes back what was written: every change has an object of its own there. */
  readonly lasting?: true;
  /** A spec in which every leaf has a value, or could have one; `name` is the object's. */
  seed(fixture: Fixture, name: string): JsonObject;
  /** One entry for each leaf, by its path. `name` is the seed's object. */
  leaves(fixture: Fixture, name: string): Readonly<Record<string, Entry>>;
  /** What the schema lets pass and must not be done. */
  readonly misuses?: (fixture: Fixture, name: string) => readonly Misuse[];
}

export const sent = (by: string, as: Json, refused?: Reason): Outcome => ({
  is: "sent",
  by,
  as,
  ...(refused !== undefined && { refused }),
});
export const local = (because: string): Outcome => ({ is: "local", because });
export const locked = (says: string, because: string): Outcome => ({ is: "locked", says, because });
export const told = (reason: Reason, because: string): Outcome => ({ is: "told", reason, because });
/** The object is created on the platform, and then reports the reason. */
export const createdThenTold = (reason: Reason, because: string): Outcome => ({
  is: "told",
  reason,
  because,
  isCreated: true,
});

/** The same outcome whatever the surface, and whether the object exists or not. */
export const always = (to: Json, outcome: Outcome): Entry => ({
  to,
  full: outcome,
  documented: outcome,
  created: outcome,
});
