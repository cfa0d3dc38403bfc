import type { Reason } from "../../../../src/api/reasons.ts";
import type { JsonObject } from "../../../../src/kube/api/types.ts";
/** Leaves that are references, and the world that they lead to. */
import { certificate } from "../../../support/kube/tls.ts";
import {
  always,
  local,
  locked,
  sent,
  told,
  type Entry,
  type Fixture,
  type Misuse,
  type Outcome,
  type Standing,
} from "../outcomes.ts";

/** Secrets and ConfigMaps of the namespace that values come from: keys and their values. */
export const VALUES = {
  values: { first: "value-one-1", second: "value-two-2" },
  others: { first: "value-three-3", second: "value-four-4" },
} as const;

/** ConfigMaps with values that the catalogue's templates allow. */
export const CONFIGURATION = {
  classes: { first: "standard", second: "fast" },
  "others-classes": { first: "fast" },
  authorities: { first: certificate, second: "none" },
  sizes: { first: "6", second: "7" },
  "others-sizes": { first: "8" },
} as const;

export const project = ({ name }: Fixture, more = ""): Standing => ({
  kind: "PlatformProject",
  name: `${name}${more}`,
  spec: { connectionRef: { name }, name: `${name}${more}` },
});

export const environment = ({ name, clusterOf }: Fixture, more = ""): Standing => ({
  kind: "PlatformEnvironment",
  name: `${name}${more}`,
  spec: { name: `${name}${more}`, projectRef: { name }, clusterRef: { externalId: clusterOf(name) } },
});

/** Parents of a service, and others that it could be in. */
export const environments = (fixture: Fixture): readonly Standing[] => [
  project(fixture),
  environment(fixture),
  environment(fixture, "-other"),
];

const CHOICE = "it says which connection is used; no call carries its name";

/**
 * @param kind what an object says that is on a connection of another kind, which does not exist
 * @param other what becomes of one on another connection to the same place
 */
function connectionLeaves({ name }: Fixture, kind: Reason, other: Outcome): Readonly<Record<string, Entry>> {
  return {
    "connectionRef.kind": always("ClusterPlatformConnection", told(kind, CHOICE)),
    "connectionRef.name": always(`${name}-twin`, other),
  };
}

/**
 * Both members of a reference that cannot be changed once the object exists.
 * @param by the create, which carries the id that it leads to
 */
export function lockedReference(
  field: string,
  [kind, otherName]: readonly [kind: string, otherName: string],
  by: string,
  fixture: Fixture,
): Readonly<Record<string, Entry>> {
  const fixed = locked(`spec.${field} cannot be changed once`, "what an object is in is fixed once it exists");
  const entry = (to: string, as: string): Entry => ({ to, full: fixed, documented: fixed, created: sent(by, as) });
  return {
    [`${field}.name`]: entry(otherName, fixture.id(kind, otherName)),
    [`${field}.externalId`]: entry(fixture.id(kind, otherName), fixture.id(kind, otherName)),
  };
}

/** The id of an object that exists: it is taken over, nothing is sent. */
export const takenOver = (id: string): Entry => ({
  ...always(id, local("an existing object is taken over by its id, which reads alone carry")),
  created: told("AlreadyManaged", "an object of the platform belongs to one resource"),
  oneWay: true,
});

/** Sources of values: one of a Secret, one of a ConfigMap, and one that is written down. */
export const VARIABLES: readonly JsonObject[] = [
  { name: "PLAIN", value: "plain-0", secret: false },
  { name: "FROM_SECRET", valueFrom: { secretKeyRef: { name: "values", key: "first" } } },
  { name: "FROM_CONFIG", valueFrom: { configMapKeyRef: { name: "values", key: "first" } } },
];

/** What becomes of one variable, as the platform knows it, and of the secret one by its name alone. */
export interface VariableOutcomes {
  readonly plain: (wire: JsonObject) => Omit<Entry, "to">;
  readonly secret: (name: string) => Omit<Entry, "to">;
  /** Of a plain one that is to be a secret. */
  readonly hidden: (name: string) => Omit<Entry, "to">;
}

/** The leaves of `variables` as far as they are the same for all kinds. */
export function variableLeaves({ plain, secret, hidden }: VariableOutcomes): Readonly<Record<string, Entry>> {
  const { values, others } = VALUES;
  return {
    variables: {
      to: [...VARIABLES, { name: "ADDED", value: "added-1" }],
      ...plain({ name: "ADDED", value: "added-1" }),
    },
    "variables[].name": { to: "RENAMED", ...plain({ name: "RENAMED", value: "plain-0" }) },
    "variables[].value": { to: "plain-1", ...plain({ name: "PLAIN", value: "plain-1" }) },
    "variables[].valueFrom.secretKeyRef.name": { to: "others", ...secret("FROM_SECRET") },
    "variables[].valueFrom.secretKeyRef.key": { to: "second", ...secret("FROM_SECRET") },
    "variables[].valueFrom.configMapKeyRef.name": {
      to: "others",
      ...plain({ name: "FROM_CONFIG", value: others.first }),
    },
    "variables[].valueFrom.configMapKeyRef.key": {
      to: "second",
      ...plain({ name: "FROM_CONFIG", value: values.second }),
    },
    "variables[].secret": { to: true, ...hidden("PLAIN") },
  };
}

/** Of what has a parent. */
export const childConnectionLeaves = (fixture: Fixture): Readonly<Record<string, Entry>> =>
  connectionLeaves(fixture, "InvalidSpec", told("InvalidSpec", "a child is on the connection of its parent"));

/** Of what has none. */
export const rootConnectionLeaves = (fixture: Fixture): Readonly<Record<string, Entry>> =>
  connectionLeaves(fixture, "ConnectionNotReady", local("another connection to the same organization will do"));

/** A source of values that is not there, by its name and by its key. */
export const unresolved = (at: string): readonly Misuse[] => [
  { path: `${at}.name`, to: "nowhere", reason: "DependencyNotReady" },
  { path: `${at}.key`, to: "nowhere", reason: "DependencyNotReady" },
];
