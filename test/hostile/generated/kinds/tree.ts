/** Projects, environments and webhooks. */
import type { Json } from "../../../../src/kube/api/types.ts";
import { IMPOSSIBLE_WINDOWS, lifecycle, lifecycleLeaves } from "../common.ts";
import { sent, told, type Entry, type KindCases } from "../outcomes.ts";
import {
  childConnectionLeaves,
  rootConnectionLeaves,
  lockedReference,
  project as parent,
  takenOver,
} from "./references.ts";

/** Members of a lifecycle that only deployments have. */
const NOT_DEPLOYED = ["retry", "progressDeadline"];

const NO_UPDATE = told("UpdateNotSupported", "the documented surface has no update of it");

const setting =
  (create: string, update: string) =>
  (to: Json): Entry => ({
    to,
    full: sent(update, to),
    documented: NO_UPDATE,
    created: sent(create, to),
  });

const ofProject = setting("createProject", "updateProject");

export const project: KindCases = {
  kind: "PlatformProject",
  stands: () => [],
  misuses: () => IMPOSSIBLE_WINDOWS,
  seed: (fixture, name) => ({
    connectionRef: { name: fixture.name },
    name,
    description: "the seed",
    lifecycle: lifecycle(NOT_DEPLOYED),
  }),
  leaves: (fixture, name) => ({
    ...rootConnectionLeaves(fixture),
    name: ofProject(`${name} renamed`),
    description: ofProject("another one"),
    externalId: takenOver(fixture.id("PlatformProject", name)),
    ...lifecycleLeaves(NOT_DEPLOYED),
    "lifecycle.deletionPolicy": { ...lifecycleLeaves([])["lifecycle.deletionPolicy"]!, to: "Delete" },
  }),
};

const ofEnvironment = setting("createEnvironment", "updateEnvironment");

export const environment: KindCases = {
  kind: "PlatformEnvironment",
  stands: (fixture) => [
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
    externalId: takenOver(fixture.id("PlatformEnvironment", name)),
    ...lifecycleLeaves(NOT_DEPLOYED),
    "lifecycle.deletionPolicy": { ...lifecycleLeaves([])["lifecycle.deletionPolicy"]!, to: "Delete" },
  }),
};

function cluster(name: string, externalId: string) {
  return { kind: "PlatformCluster", name, spec: { connectionRef: { name }, externalId } };
}

const ofWebhook = setting("createWebhook", "updateWebhook");

export const webhook: KindCases = {
  kind: "PlatformWebhook",
  stands: () => [],
  misuses: () => IMPOSSIBLE_WINDOWS,
  seed: (fixture, name) => ({
    connectionRef: { name: fixture.name },
    targetUrl: `http://127.0.0.1:9/${name}`,
    events: ["DEPLOYMENT_STARTED", "DEPLOYMENT_FAILED"],
    enabled: true,
    lifecycle: lifecycle(["adoptionPolicy", "onMissing", ...NOT_DEPLOYED]),
  }),
  leaves: (fixture, name) => ({
    ...rootConnectionLeaves(fixture),
    targetUrl: ofWebhook(`http://127.0.0.1:9/${name}/elsewhere`),
    events: ofWebhook(["DEPLOYMENT_STARTED", "DEPLOYMENT_FAILED", "DEPLOYMENT_SUCCESSFUL"]),
    "events[]": { ...ofWebhook(["DEPLOYMENT_CANCELLED", "DEPLOYMENT_FAILED"]), to: "DEPLOYMENT_CANCELLED" },
    enabled: ofWebhook(false),
    externalId: takenOver(fixture.id("PlatformWebhook", name)),
    ...lifecycleLeaves(["adoptionPolicy", "onMissing", ...NOT_DEPLOYED]),
    "lifecycle.deletionPolicy": { ...lifecycleLeaves([])["lifecycle.deletionPolicy"]!, to: "Delete" },
  }),
};
