/** Projects, environments and webhooks. */
import type { Json, JsonObject } from "../../../../src/kube/api/types.ts";
import { IMPOSSIBLE_WINDOWS, lifecycle, lifecycleLeaves } from "../common.ts";
import { sent, reported, type Entry, type KindCases } from "../outcomes.ts";
import {
  childConnectionLeaves,
  rootConnectionLeaves,
  lockedReference,
  project as parent,
  adopted,
} from "./references.ts";

/** Members of a lifecycle that only deployments have. */
const NOT_DEPLOYED = ["retry", "progressDeadline"];

const NO_UPDATE = reported("UpdateNotSupported", "the documented surface has no update of it");

/**
 * @returns a function of a setting's value, and of what calls carry of it, that returns its entry
 * @param documented the outcome on the documented surface
 */
export const setting =
  (create: string, update: string, documented = NO_UPDATE) =>
  (to: Json, as: Json = to): Entry => ({ to, full: sent(update, as), documented, created: sent(create, as) });

/**
 * @returns the cases of a kind whose objects belong to the organization directly
 * @param seed returns the settings of the seed
 * @param leaves returns the entries of the settings
 * @param without the members of a lifecycle that the kind does not have
 */
export function rootCases(
  kind: string,
  seed: (name: string) => JsonObject,
  leaves: (name: string) => Readonly<Record<string, Entry>>,
  without = NOT_DEPLOYED,
): KindCases {
  return {
    kind,
    dependencies: () => [],
    misuses: () => IMPOSSIBLE_WINDOWS,
    seed: (fixture, name) => ({
      connectionRef: { name: fixture.name },
      ...seed(name),
      lifecycle: lifecycle(without),
    }),
    leaves: (fixture, name) => ({
      ...rootConnectionLeaves(fixture),
      ...leaves(name),
      externalId: adopted(fixture.id(kind, name)),
      ...lifecycleLeaves(without),
      "lifecycle.deletionPolicy": { ...lifecycleLeaves([])["lifecycle.deletionPolicy"]!, to: "Delete" },
    }),
  };
}

const ofProject = setting("createProject", "updateProject");

export const project = rootCases(
  "PlatformProject",
  (name) => ({ name, description: "the seed" }),
  (name) => ({ name: ofProject(`${name} renamed`), description: ofProject("another one") }),
);

const ofEnvironment = setting("createEnvironment", "updateEnvironment");

export const environment: KindCases = {
  kind: "PlatformEnvironment",
  dependencies: (fixture) => [
    parent(fixture),
    parent(fixture, "-other"),
    cluster(fixture.name, fixture.clusterOf(`${fixture.name}-other`)),
  ],
  misuses: () => IMPOSSIBLE_WINDOWS,
  seed: (fixture, name) => ({
    connectionRef: { name: fixture.name },
    projectRef: { name: fixture.name },
    name,
    mode: "STAGING",
    clusterRef: { externalId: fixture.clusterOf(fixture.name) },
    lifecycle: lifecycle(NOT_DEPLOYED),
  }),
  leaves: (fixture, name) => ({
    ...childConnectionLeaves(fixture),
    ...lockedReference("projectRef", ["PlatformProject", `${fixture.name}-other`], "createEnvironment", fixture),
    ...lockedReference("clusterRef", ["PlatformCluster", fixture.name], "createEnvironment", fixture),
    name: ofEnvironment(`${name} renamed`),
    mode: ofEnvironment("PRODUCTION"),
    externalId: adopted(fixture.id("PlatformEnvironment", name)),
    ...lifecycleLeaves(NOT_DEPLOYED),
    "lifecycle.deletionPolicy": { ...lifecycleLeaves([])["lifecycle.deletionPolicy"]!, to: "Delete" },
  }),
};

function cluster(name: string, externalId: string) {
  return { kind: "PlatformCluster", name, spec: { connectionRef: { name }, externalId } };
}

const ofWebhook = setting("createWebhook", "updateWebhook");

export const webhook = rootCases(
  "PlatformWebhook",
  (name) => ({
    targetUrl: `http://127.0.0.1:9/${name}`,
    events: ["DEPLOYMENT_STARTED", "DEPLOYMENT_FAILED"],
    enabled: true,
  }),
  (name) => ({
    targetUrl: ofWebhook(`http://127.0.0.1:9/${name}/elsewhere`),
    events: ofWebhook(["DEPLOYMENT_STARTED", "DEPLOYMENT_FAILED", "DEPLOYMENT_SUCCESSFUL"]),
    "events[]": { ...ofWebhook(["DEPLOYMENT_CANCELLED", "DEPLOYMENT_FAILED"]), to: "DEPLOYMENT_CANCELLED" },
    enabled: ofWebhook(false),
  }),
  ["adoptionPolicy", "onMissing", ...NOT_DEPLOYED],
);
