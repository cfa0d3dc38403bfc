/** Applications and databases. */
import { COMMIT, NEXT_COMMIT } from "../../../support/kube/manifests.ts";
import { IMPOSSIBLE_WINDOWS, lifecycle, lifecycleLeaves, scheduleLeaves } from "../common.ts";
import { always, createdThenReported, local, sent, reported, type Entry, type KindCases } from "../outcomes.ts";
import {
  childConnectionLeaves,
  environments,
  imported,
  importedSecret,
  lockedReference,
  adopted,
  unresolved,
  VARIABLES,
  variableLeaves,
} from "./references.ts";
import { setting } from "./tree.ts";

const ofApplication = setting("createApplication", "updateApplication");
/** Why a revert leaves variables in an application, unlike in a PlatformVariableSet. */
const STAYS: Readonly<Record<string, string>> = {
  variables: "variables that the spec does not name are not removed",
  "variables[].name": "variables that the spec does not name are not removed",
  "variables[].secret": "an update changes the value of a secret, but does not make it plain",
};
const variables = Object.entries(
  variableLeaves({ plain: imported, secret: importedSecret, hidden: importedSecret }),
).map(([path, entry]): [string, Entry] => {
  const stays = STAYS[path];
  return [path, stays === undefined ? entry : { ...entry, stays }];
});

const NO_STOP = "the documented surface has no stop of applications";

export const application: KindCases = {
  kind: "PlatformApplication",
  dependencies: environments,
  seed: ({ name: lane }, name) => ({
    connectionRef: { name: lane },
    environmentRef: { name: lane },
    name,
    gitRepository: { url: "https://github.com/acme/web.git", branch: "main", provider: "GITHUB", rootPath: "/" },
    buildMode: "DOCKER",
    dockerfilePath: "Dockerfile",
    cpu: 500,
    memory: 512,
    minRunningInstances: 1,
    maxRunningInstances: 10_000,
    ports: [{ internalPort: 8080, externalPort: 443, protocol: "HTTP", publiclyAccessible: true }],
    variables: VARIABLES,
    logs: { onFailure: 1 },
    writeConnectionSecretToRef: { name: `${name}-connection` },
    deploy: { gitCommitId: COMMIT, policy: "Automatic" },
    runState: "Running",
    lifecycle: lifecycle([]),
  }),
  leaves: (fixture, name) => ({
    ...childConnectionLeaves(fixture),
    ...lockedReference(
      "environmentRef",
      ["PlatformEnvironment", `${fixture.name}-other`],
      "createApplication",
      fixture,
    ),
    name: ofApplication(`${name} renamed`),
    "gitRepository.url": ofApplication("https://github.com/acme/api.git"),
    "gitRepository.branch": ofApplication("release"),
    "gitRepository.provider": ofApplication("GITLAB"),
    "gitRepository.rootPath": ofApplication("/services"),
    buildMode: {
      ...ofApplication("BUILDPACKS"),
      full: sent("updateApplication", "BUILDPACKS", "InvalidSpec"),
      created: sent("createApplication", "BUILDPACKS", "InvalidSpec"),
    },
    dockerfilePath: ofApplication("build/Dockerfile"),
    cpu: ofApplication(1250),
    memory: ofApplication(1536),
    minRunningInstances: ofApplication(2, { min_running_instances: 2 }),
    maxRunningInstances: ofApplication(7),
    ports: {
      ...ofApplication({ internal_port: 9091 }),
      to: [
        { internalPort: 8080, externalPort: 443, protocol: "HTTP", publiclyAccessible: true },
        { internalPort: 9091 },
      ],
    },
    "ports[].internalPort": ofApplication(8181),
    "ports[].externalPort": ofApplication(8443),
    "ports[].protocol": ofApplication("TCP"),
    "ports[].publiclyAccessible": ofApplication(false, { internal_port: 8080, publicly_accessible: false }),
    ...Object.fromEntries(variables),
    "deploy.gitCommitId": always(NEXT_COMMIT, sent("deployApplication", NEXT_COMMIT)),
    "deploy.policy": always("Manual", local("it selects when to deploy")),
    "logs.onFailure": always(7, local("the number of lines that are kept of a failure")),
    runState: {
      to: "Stopped",
      full: sent("stopApplication", {}),
      documented: reported("NotSupportedByApi", NO_STOP),
      created: local("nothing is deployed and has to be stopped"),
    },
    "writeConnectionSecretToRef.name": always(`${name}-moved`, local("it names a Secret of the cluster")),
    externalId: adopted(fixture.id("PlatformApplication", name)),
    ...scheduleLeaves(
      reported("NotSupportedByApi", NO_STOP),
      createdThenReported("NotSupportedByApi", `${NO_STOP}, and the application is to run`),
    ),
    ...lifecycleLeaves([]),
  }),
  misuses: () => [
    ...unresolved("variables[].valueFrom.secretKeyRef"),
    ...unresolved("variables[].valueFrom.configMapKeyRef"),
    ...IMPOSSIBLE_WINDOWS,
  ],
};

const ofDatabase = setting("createDatabase", "updateDatabase");

export const database: KindCases = {
  kind: "PlatformDatabase",
  dependencies: environments,
  seed: ({ name: lane }, name) => ({
    connectionRef: { name: lane },
    environmentRef: { name: lane },
    name,
    type: "POSTGRESQL",
    version: "16",
    mode: "CONTAINER",
    cpu: 500,
    memory: 512,
    storage: 10,
    writeConnectionSecretToRef: { name: `${name}-connection` },
    runState: "Running",
    lifecycle: lifecycle([]),
  }),
  leaves: (fixture, name) => ({
    ...childConnectionLeaves(fixture),
    ...lockedReference("environmentRef", ["PlatformEnvironment", `${fixture.name}-other`], "createDatabase", fixture),
    name: ofDatabase(`${name} renamed`),
    type: fixed("type", "REDIS"),
    version: ofDatabase("17"),
    mode: fixed("mode", "MANAGED"),
    cpu: ofDatabase(1250),
    memory: ofDatabase(1536),
    storage: { ...ofDatabase(21), oneWay: true },
    runState: {
      ...always("Stopped", sent("stopDatabase", {})),
      created: local("nothing is deployed and has to be stopped"),
    },
    "writeConnectionSecretToRef.name": always(`${name}-moved`, local("it names a Secret of the cluster")),
    externalId: adopted(fixture.id("PlatformDatabase", name)),
    ...scheduleLeaves(),
    ...lifecycleLeaves([]),
  }),
  misuses: () => [
    ...IMPOSSIBLE_WINDOWS,
    { path: "runSchedule[].schedule", to: "99 99 * * *", reason: "InvalidSpec" },
    { path: "runSchedule[].timeZone", to: "Mars/Olympus", reason: "InvalidSpec" },
  ],
};

function fixed(field: string, to: string): Entry {
  const outcome = {
    is: "locked",
    says: `spec.${field} cannot be changed once`,
    because: "a database keeps its type and mode",
  } as const;
  return { ...always(to, outcome), created: sent("createDatabase", to) };
}
