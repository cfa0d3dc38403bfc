/** Leaves that are references, and the objects that they refer to. */
import type { Reason } from "../../../../src/api/reasons.ts";
import type { Json, JsonObject } from "../../../../src/kube/api/types.ts";
import { certificate } from "../../../support/kube/tls.ts";
import {
  always,
  local,
  locked,
  sent,
  reported,
  type Entry,
  type Fixture,
  type Misuse,
  type Outcome,
  type Dependency,
} from "../outcomes.ts";

/** Secrets and ConfigMaps that are sources of values: their keys and values. */
export const VALUES = {
  values: { first: "value-one-1", second: "value-two-2" },
  others: { first: "value-three-3", second: "value-four-4" },
} as const;

/** ConfigMaps with values that the catalog's templates accept. */
export const CONFIGURATION = {
  classes: { first: "standard", second: "fast" },
  "others-classes": { first: "fast" },
  authorities: { first: certificate, second: "none" },
  sizes: { first: "6", second: "7" },
  "others-sizes": { first: "8" },
} as const;

export const project = ({ name }: Fixture, more = ""): Dependency => ({
  kind: "PlatformProject",
  name: `${name}${more}`,
  spec: { connectionRef: { name }, name: `${name}${more}` },
});

export const environment = ({ name, clusterOf }: Fixture, more = ""): Dependency => ({
  kind: "PlatformEnvironment",
  name: `${name}${more}`,
  spec: { name: `${name}${more}`, projectRef: { name }, clusterRef: { externalId: clusterOf(name) } },
});

/** Parents of a service, and another environment. */
export const environments = (fixture: Fixture): readonly Dependency[] => [
  project(fixture),
  environment(fixture),
  environment(fixture, "-other"),
];

const CHOICE = "it selects the connection; no call carries its name";

/**
 * @param kind the reason of an object whose connection is of another kind, which does not exist
 * @param other the outcome for another connection to the same organization
 */
function connectionLeaves({ name }: Fixture, kind: Reason, other: Outcome): Readonly<Record<string, Entry>> {
  return {
    "connectionRef.kind": always("ClusterPlatformConnection", reported(kind, CHOICE)),
    "connectionRef.name": always(`${name}-twin`, other),
  };
}

/**
 * @returns the entries of both members of a reference that cannot be changed once the object exists
 * @param by the operation that creates the object, which carries the referenced id
 */
export function lockedReference(
  field: string,
  [kind, otherName]: readonly [kind: string, otherName: string],
  by: string,
  fixture: Fixture,
): Readonly<Record<string, Entry>> {
  const fixed = locked(`spec.${field} cannot be changed once`, "an object cannot move to another parent");
  const id = fixture.id(kind, otherName);
  const entry = (to: string): Entry => ({ ...always(to, fixed), created: sent(by, id) });
  return { [`${field}.name`]: entry(otherName), [`${field}.externalId`]: entry(id) };
}

/** The entry of `externalId`, the id of an existing object: it is adopted, nothing is sent. */
export const adopted = (id: string): Entry => ({
  ...always(id, local("an existing object is adopted by its id, which only reads carry")),
  created: reported("AlreadyManaged", "an object of the platform belongs to one resource"),
  oneWay: true,
});

/** Variables with each source of values: a literal, a Secret and a ConfigMap. */
export const VARIABLES: readonly JsonObject[] = [
  { name: "PLAIN", value: "plain-0", secret: false },
  { name: "FROM_SECRET", valueFrom: { secretKeyRef: { name: "values", key: "first" } } },
  { name: "FROM_CONFIG", valueFrom: { configMapKeyRef: { name: "values", key: "first" } } },
];

/** The entry of a variable that an import carries as it is in `as`. */
export const imported = (to: Json, as: Json): Entry => always(to, sent("importEnvironmentVariable", as));
/** The entry of a secret variable: an import carries it, of which only the name is shown. */
export const importedSecret = (to: Json, name: string): Entry => imported(to, { name, is_secret: true });

/** The entries of a change of one variable: a plain one as it is sent, a secret one by its name only. */
export interface VariableEntries {
  readonly plain: (to: Json, wire: JsonObject) => Entry;
  readonly secret: (to: Json, name: string) => Entry;
  /** For a plain one that becomes a secret. */
  readonly hidden: (to: Json, name: string) => Entry;
}

/** @returns the leaves of `variables` that are the same for all kinds */
export function variableLeaves({ plain, secret, hidden }: VariableEntries): Readonly<Record<string, Entry>> {
  const { values, others } = VALUES;
  const added = { name: "ADDED", value: "added-1" };
  return {
    variables: plain([...VARIABLES, added], added),
    "variables[].name": plain("RENAMED", { name: "RENAMED", value: "plain-0" }),
    "variables[].value": plain("plain-1", { name: "PLAIN", value: "plain-1" }),
    "variables[].valueFrom.secretKeyRef.name": secret("others", "FROM_SECRET"),
    "variables[].valueFrom.secretKeyRef.key": secret("second", "FROM_SECRET"),
    "variables[].valueFrom.configMapKeyRef.name": plain("others", { name: "FROM_CONFIG", value: others.first }),
    "variables[].valueFrom.configMapKeyRef.key": plain("second", { name: "FROM_CONFIG", value: values.second }),
    "variables[].secret": hidden(true, "PLAIN"),
  };
}

/** The leaves of `connectionRef` of a kind with a parent. */
export const childConnectionLeaves = (fixture: Fixture): Readonly<Record<string, Entry>> =>
  connectionLeaves(fixture, "InvalidSpec", reported("InvalidSpec", "a child uses the connection of its parent"));

/** The leaves of `connectionRef` of a kind without a parent. */
export const rootConnectionLeaves = (fixture: Fixture): Readonly<Record<string, Entry>> =>
  connectionLeaves(fixture, "ConnectionNotReady", local("another connection to the same organization works as well"));

/** @returns a source of values that does not exist, by its name and by its key */
export const unresolved = (at: string): readonly Misuse[] => [
  { path: `${at}.name`, to: "nowhere", reason: "DependencyNotReady" },
  { path: `${at}.key`, to: "nowhere", reason: "DependencyNotReady" },
];
