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
  seed: (ground, name) => ({
    connectionRef: { name: ground.name },
    name,
    description: "the seed",
    lifecycle: lifecycle(NOT_DEPLOYED),
  }),
  leaves: (ground, name) => ({
    ...rootConnectionLeaves(ground),
    name: ofProject(`${name} renamed`),
    description: ofProject("another one"),
    externalId: takenOver(ground.id("PlatformProject", name)),
    ...lifecycleLeaves(NOT_DEPLOYED),
    "lifecycle.deletionPolicy": { ...lifecycleLeaves([])["lifecycle.deletionPolicy"]!, to: "Delete" },
  }),
};

const ofEnvironment = setting("createEnvironment", "updateEnvironment");

export const environment: KindCases = {
  kind: "PlatformEnvironment",
  stands: (ground) => [
    parent(ground),
    parent(ground, "-other"),
    cluster(ground.name, ground.clusterOf(`${ground.name}-other`)),
  ],
  misuses: () => IMPOSSIBLE_WINDOWS,
  seed: (ground, name) => ({
    connectionRef: { name: ground.name },
    projectRef: { name: ground.name },
    name,
    mode: "STAGING",
    clusterRef: { externalId: ground.clusterOf(ground.name) },
    lifecycle: lifecycle(NOT_DEPLOYED),
  }),
  leaves: (ground, name) => ({
    ...childConnectionLeaves(ground),
    ...lockedReference("projectRef", ["PlatformProject", `${ground.name}-other`], "createEnvironment", ground),
    ...lockedReference("clusterRef", ["PlatformCluster", ground.name], "createEnvironment", ground),
    name: ofEnvironment(`${name} renamed`),
    mode: ofEnvironment("PRODUCTION"),
    externalId: takenOver(ground.id("PlatformEnvironment", name)),
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
  seed: (ground, name) => ({
    connectionRef: { name: ground.name },
    targetUrl: `http://127.0.0.1:9/${name}`,
    events: ["DEPLOYMENT_STARTED", "DEPLOYMENT_FAILED"],
    enabled: true,
    lifecycle: lifecycle(["adoptionPolicy", "onMissing", ...NOT_DEPLOYED]),
  }),
  leaves: (ground, name) => ({
    ...rootConnectionLeaves(ground),
    targetUrl: ofWebhook(`http://127.0.0.1:9/${name}/elsewhere`),
    events: ofWebhook(["DEPLOYMENT_STARTED", "DEPLOYMENT_FAILED", "DEPLOYMENT_SUCCESSFUL"]),
    "events[]": { ...ofWebhook(["DEPLOYMENT_CANCELLED", "DEPLOYMENT_FAILED"]), to: "DEPLOYMENT_CANCELLED" },
    enabled: ofWebhook(false),
    externalId: takenOver(ground.id("PlatformWebhook", name)),
    ...lifecycleLeaves(["adoptionPolicy", "onMissing", ...NOT_DEPLOYED]),
    "lifecycle.deletionPolicy": { ...lifecycleLeaves([])["lifecycle.deletionPolicy"]!, to: "Delete" },
  }),
};
