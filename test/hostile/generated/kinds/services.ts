import type { JsonObject } from "../../../../src/kube/api/types.ts";
import { COMMIT, NEXT_COMMIT } from "../../../support/kube/manifests.ts";
import {
  always,
  everywhere,
  createdThenReported,
  local,
  reported,
  sent,
  type Draft,
  type KindCases,
} from "../outcomes.ts";
import { environments, replacedSecret, scheduleLeaves, unresolved, VARIABLES, variableLeaves } from "./references.ts";

const NO_STOP = "the documented surface has no stop of applications";
const SECRET_OF_CLUSTER = local("it names a Secret of the cluster");
const NOTHING_RUNS = local("nothing is deployed and has to be stopped");

/** Variables are imported; an update replaces the value of a secret where the surface has one. */
function applicationVariables(): Readonly<Record<string, Draft>> {
  const imported = (as: JsonObject) => everywhere(sent("importEnvironmentVariable", as));
  const leaves = variableLeaves(imported, (name) => ({
    ...imported({ name, is_secret: true }),
    ...replacedSecret(name),
  }));
  return { ...leaves, "variables[].secret": { ...leaves["variables[].secret"], oneWay: true } };
}

const TOKEN = "00000000-0000-4000-8000-00000000001a";
const PORT = {
  ...{ internalPort: 8080, name: "http", externalPort: 443, protocol: "HTTP" },
  ...{ publiclyAccessible: true, publicPath: "/api" },
};
const READINESS = { type: { http: { port: 8080, path: "/ready", scheme: "HTTP" } }, period_seconds: 10 };

export const application: KindCases = {
  dependencies: environments,
  seed: ({ name: lane }, name) => ({
    environmentRef: { name: lane },
    name,
    gitRepository: {
      url: "https://github.com/acme/web.git",
      branch: "main",
      provider: "GITHUB",
      rootPath: "/",
      gitTokenId: TOKEN,
    },
    buildMode: "DOCKER",
    dockerfilePath: "Dockerfile",
    cpu: 500,
    memory: 512,
    minRunningInstances: 1,
    maxRunningInstances: 10_000,
    ports: [PORT],
    storage: [{ mountPoint: "/data", size: 10, type: "FAST_SSD" }],
    entrypoint: "/app",
    arguments: ["--verbose"],
    healthchecks: { readiness_probe: READINESS },
    autoPreview: false,
    variables: VARIABLES,
    logs: { onFailure: 1 },
    deploy: { gitCommitId: COMMIT, policy: "Automatic" },
    runState: "Running",
  }),
  leaves: () => ({
    "gitRepository.url": { to: "https://github.com/acme/api.git" },
    "gitRepository.branch": { to: "release" },
    "gitRepository.provider": { to: "GITLAB" },
    "gitRepository.rootPath": { to: "/services" },
    buildMode: {
      to: "BUILDPACKS",
      full: sent("updateApplication", "BUILDPACKS", "InvalidSpec"),
      created: sent("createApplication", "BUILDPACKS", "InvalidSpec"),
    },
    "gitRepository.gitTokenId": { to: "00000000-0000-4000-8000-00000000001b" },
    dockerfilePath: { to: "build/Dockerfile" },
    cpu: { to: 1250 },
    memory: { to: 1536 },
    minRunningInstances: { to: 2, as: { min_running_instances: 2 } },
    maxRunningInstances: { to: 7 },
    ports: {
      to: [PORT, { internalPort: 9091 }],
      as: { internal_port: 9091 },
    },
    "ports[].internalPort": { to: 8181 },
    "ports[].externalPort": { to: 8443 },
    "ports[].protocol": { to: "TCP" },
    "ports[].publiclyAccessible": {
      to: false,
      as: { internal_port: 8080, publicly_accessible: false },
      notAdded: "a port without it is not publicly accessible",
    },
    "ports[].name": { to: "web" },
    "ports[].publicPath": { to: "/web" },
    storage: {
      to: [
        { mountPoint: "/data", size: 10, type: "FAST_SSD" },
        { mountPoint: "/cache", size: 5 },
      ],
      as: { mount_point: "/cache", size: 5 },
    },
    "storage[].mountPoint": { to: "/other", stays: "a disk is known by its mount point: another one is a new disk" },
    "storage[].size": { to: 20 },
    "storage[].type": {
      to: "SLOW_HDD",
      full: sent("updateApplication", "SLOW_HDD", "InvalidSpec"),
      created: sent("createApplication", "SLOW_HDD", "InvalidSpec"),
    },
    entrypoint: { to: "/other" },
    arguments: { to: ["--quiet"] },
    "arguments[]": { to: "--brief" },
    healthchecks: { to: { liveness_probe: READINESS }, as: { liveness_probe: READINESS } },
    ...applicationVariables(),
    "deploy.gitCommitId": always(NEXT_COMMIT, sent("deployApplication", NEXT_COMMIT)),
    "deploy.policy": always("Manual", local("it selects when to deploy")),
    "deploy.onNewCommit": always("Cancel", local("it selects what happens to a deployment under way")),
    // The seed deploys a commit, beside which it may not be true.
    autoDeploy: {
      ...always(false, local("an application without it does not follow its branch either")),
      bounds: "none",
    },
    autoPreview: {
      to: true,
      as: { auto_preview: true },
      createdDocumented: local("the specification has no previews"),
    },
    "logs.onFailure": always(7, local("the number of lines that are kept of a failure")),
    runState: {
      to: "Stopped",
      full: sent("stopApplication", {}),
      documented: reported("NotSupportedByPlatform", NO_STOP),
      created: NOTHING_RUNS,
    },
    ...scheduleLeaves(
      reported("NotSupportedByPlatform", NO_STOP),
      createdThenReported("NotSupportedByPlatform", `${NO_STOP}, and the application is to run`),
    ),
  }),
  misuses: () => [
    ...unresolved("variables[].valueFrom.secretKeyRef"),
    ...unresolved("variables[].valueFrom.configMapKeyRef"),
  ],
};

export const database: KindCases = {
  dependencies: environments,
  seed: ({ name: lane }, name) => ({
    environmentRef: { name: lane },
    name,
    type: "POSTGRESQL",
    version: "16",
    mode: "CONTAINER",
    cpu: 500,
    memory: 512,
    storage: 10,
    instanceType: "db.t3.micro",
    accessibility: "PRIVATE",
    diskType: "gp2",
    writeConnectionSecretToRef: {
      name: `${name}-connection`,
      metadata: { labels: { team: "shop" }, annotations: { note: "one" } },
    },
    runState: "Running",
  }),
  leaves: (_fixture, name) => ({
    type: { to: "REDIS" },
    version: { to: "17" },
    mode: { to: "MANAGED" },
    cpu: { to: 1250 },
    memory: { to: 1536 },
    storage: { to: 21, oneWay: true },
    instanceType: { to: "db.t3.large" },
    accessibility: { to: "PUBLIC" },
    diskType: { to: "gp3" },
    runState: { ...always("Stopped", sent("stopDatabase", {})), created: NOTHING_RUNS },
    "writeConnectionSecretToRef.name": always(`${name}-moved`, SECRET_OF_CLUSTER),
    "writeConnectionSecretToRef.metadata.labels": always({ team: "shop", tier: "web" }, SECRET_OF_CLUSTER),
    "writeConnectionSecretToRef.metadata.labels{}": always("pay", SECRET_OF_CLUSTER),
    "writeConnectionSecretToRef.metadata.annotations": always({ note: "one", reason: "two" }, SECRET_OF_CLUSTER),
    "writeConnectionSecretToRef.metadata.annotations{}": always("three", SECRET_OF_CLUSTER),
    ...scheduleLeaves(),
  }),
  misuses: () => [
    { path: "runSchedule[].schedule", to: "99 99 * * *", reason: "InvalidSpec" },
    { path: "runSchedule[].timeZone", to: "Mars/Olympus", reason: "InvalidSpec" },
  ],
};
