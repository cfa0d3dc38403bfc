/** Objects that the seeds refer to, and leaves that several kinds have in common. */
import type { Json, JsonObject } from "../../../../src/kube/api/types.ts";
import type { Manifest } from "../../../support/env/cluster.ts";
import { application as applicationOf, project as projectOf, resource } from "../../../support/kube/manifests.ts";
import { certificate } from "../../../support/kube/tls.ts";
import { always, local, sent, type Draft, type Fixture, type Misuse, type Outcome } from "../outcomes.ts";

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

/** @param more the end of the name */
export const project = ({ name }: Fixture, more = ""): Manifest =>
  projectOf(`${name}${more}`, { connectionRef: { name } });

export const cluster = ({ name: lane, clusterOf }: Fixture, name: string, of = name): Manifest =>
  resource("PlatformCluster", name, { connectionRef: { name: lane }, externalId: clusterOf(of) });

export const environment = ({ name: lane, clusterOf }: Fixture, name: string): Manifest =>
  resource("PlatformEnvironment", name, {
    name,
    projectRef: { name: lane },
    clusterRef: { externalId: clusterOf(lane) },
  });

export const environments = (fixture: Fixture): readonly Manifest[] => [
  project(fixture),
  environment(fixture, fixture.name),
  environment(fixture, `${fixture.name}-other`),
];

/** An application that is not deployed. */
export const application = (name: string, inside: string): Manifest => {
  const gitRepository = { url: "https://github.com/acme/web.git" };
  return applicationOf(name, inside, { gitRepository, deploy: undefined });
};

/** A schedule that stops nothing, except in one minute of a year. */
const RUN_SCHEDULE: Json = [{ kind: "Stop", schedule: "0 3 29 2 *", duration: "1m", timeZone: "UTC" }];

/**
 * The leaves of `runSchedule`.
 * @param documented the outcome on the documented surface; the same by default
 * @param createdDocumented the same for an object that is created with it
 */
export function scheduleLeaves(
  documented?: Outcome,
  createdDocumented: Outcome | undefined = documented,
): Readonly<Record<string, Draft>> {
  const draft = (to: Json): Draft => ({
    ...always(to, local("a schedule for stops; no window is open")),
    in: { runSchedule: RUN_SCHEDULE },
    ...(documented !== undefined && { documented, oneWay: true }),
    ...(createdDocumented !== undefined && { createdDocumented }),
  });
  return {
    runSchedule: draft([{ kind: "Stop", schedule: "0 4 29 2 *", duration: "2m" }]),
    "runSchedule[].kind": { ...draft("Stop"), bounds: "none" },
    "runSchedule[].schedule": draft("30 3 29 2 *"),
    "runSchedule[].duration": draft("2m"),
    "runSchedule[].timeZone": draft("Europe/Berlin"),
  };
}

/** Variables with each source of values: a literal, a Secret and a ConfigMap. */
export const VARIABLES: readonly JsonObject[] = [
  { name: "PLAIN", value: "plain-0", secret: false },
  { name: "FROM_SECRET", valueFrom: { secretKeyRef: { name: "values", key: "first" } } },
  { name: "FROM_CONFIG", valueFrom: { configMapKeyRef: { name: "values", key: "first" } } },
];

/** The outcome on the documented surface, which has imports only: they do not replace a secret, or make it plain. */
export const pending = (as: JsonObject): Outcome => sent("importEnvironmentVariable", as, "VariablesPending");

/** The outcomes of another value of a secret. An update by id replaces it. */
export const replacedSecret = (name: string): Draft => ({
  as: { name, is_secret: true },
  full: sent("updateApplicationSecret", { key: name }),
  documented: pending({ name, is_secret: true }),
});

/**
 * The leaves of `variables`.
 * @param plain returns the outcomes of a variable that calls carry as it is in `as`
 * @param replaced returns those of another value of a secret variable, of which calls show the name only
 */
export function variableLeaves(
  plain: (as: JsonObject) => Partial<Draft> = (as) => ({ as }),
  replaced: (name: string) => Partial<Draft> = (name) => plain({ name, is_secret: true }),
): Readonly<Record<string, Draft>> {
  const { values, others } = VALUES;
  const added = { name: "ADDED", value: "added-1" };
  return {
    variables: { to: [...VARIABLES, added], ...plain(added) },
    "variables[].name": { to: "RENAMED", ...plain({ name: "RENAMED", value: "plain-0" }) },
    "variables[].value": { to: "plain-1", ...plain({ name: "PLAIN", value: "plain-1" }) },
    "variables[].valueFrom.secretKeyRef.name": { to: "others", ...replaced("FROM_SECRET") },
    "variables[].valueFrom.secretKeyRef.key": { to: "second", ...replaced("FROM_SECRET") },
    "variables[].valueFrom.configMapKeyRef.name": {
      to: "others",
      ...plain({ name: "FROM_CONFIG", value: others.first }),
    },
    "variables[].valueFrom.configMapKeyRef.key": {
      to: "second",
      ...plain({ name: "FROM_CONFIG", value: values.second }),
    },
    "variables[].secret": { to: true, ...plain({ name: "PLAIN", is_secret: true }) },
  };
}

/** @returns a source of values that does not exist, by its name and by its key */
export const unresolved = (at: string): readonly Misuse[] => [
  { path: `${at}.name`, to: "nowhere", reason: "DependencyNotReady" },
  { path: `${at}.key`, to: "nowhere", reason: "DependencyNotReady" },
];
