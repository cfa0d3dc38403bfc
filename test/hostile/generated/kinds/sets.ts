/** Variable sets and blueprints. */
import type { Json } from "../../../../src/kube/api/types.ts";
import { IMPOSSIBLE_WINDOWS, lifecycle, lifecycleLeaves } from "../common.ts";
import { always, local, sent, reported, type Entry, type KindCases } from "../outcomes.ts";
import {
  childConnectionLeaves,
  environments,
  imported,
  importedSecret,
  lockedReference,
  project,
  adopted,
  unresolved,
  VALUES,
  VARIABLES,
  variableLeaves,
} from "./references.ts";

/** An update by id replaces a secret. The documented surface has imports only, which do not replace it. */
const replaced = (to: Json, name: string): Entry => ({
  ...importedSecret(to, name),
  full: sent("updateApplicationSecret", { key: name }),
  documented: sent("importEnvironmentVariable", { name, is_secret: true }, "VariablesPending"),
});

const OUT_OF_REACH = "only variables in an application's own scope can be removed through the application";
const NOT_IN_SETS = ["adoptionPolicy", "onMissing", "retry", "progressDeadline"];

export const variableSet: KindCases = {
  kind: "PlatformVariableSet",
  lasting: true,
  dependencies: (fixture) => [project(fixture)],
  // In a separate environment, as all applications in it have the variables of that scope.
  ownDependencies: ({ name: lane, clusterOf }, name) => [
    {
      kind: "PlatformEnvironment",
      name,
      spec: { name, projectRef: { name: lane }, clusterRef: { externalId: clusterOf(lane) } },
    },
    ...[name, `${name}-other`].map((each) => ({
      kind: "PlatformApplication",
      name: each,
      spec: {
        environmentRef: { name },
        name: each,
        gitRepository: { url: "https://github.com/acme/web.git" },
        buildMode: "DOCKER",
      },
    })),
  ],
  seed: ({ name: lane }, name) => ({
    connectionRef: { name: lane },
    targets: [{ applicationRef: { name } }],
    overwrite: true,
    scope: "APPLICATION",
    variables: VARIABLES.map((variable, index) => (index === 0 ? { ...variable, scope: "APPLICATION" } : variable)),
    variablesFrom: [
      { secretRef: { name: "values" }, prefix: "S_", secret: true, scope: "APPLICATION" },
      { configMapRef: { name: "values" }, prefix: "C_", secret: false, scope: "APPLICATION" },
    ],
    lifecycle: lifecycle(NOT_IN_SETS),
  }),
  leaves: (fixture, name) => ({
    ...childConnectionLeaves(fixture),
    targets: imported(
      [{ applicationRef: { name: name } }, { applicationRef: { name: `${name}-other` } }],
      fixture.id("PlatformApplication", `${name}-other`),
    ),
    "targets[].applicationRef.name": imported(`${name}-other`, fixture.id("PlatformApplication", `${name}-other`)),
    "targets[].applicationRef.externalId": imported(
      fixture.id("PlatformApplication", `${name}-other`),
      fixture.id("PlatformApplication", `${name}-other`),
    ),
    overwrite: {
      ...always(false, local("the next import carries it, and nothing has to be imported")),
      created: sent("importEnvironmentVariable", { overwrite: false }),
    },
    scope: { ...imported("ENVIRONMENT", "ENVIRONMENT"), stays: OUT_OF_REACH },
    ...variableLeaves({ plain: imported, secret: replaced, hidden: importedSecret }),
    "variables[].scope": { ...imported("ENVIRONMENT", "ENVIRONMENT"), stays: OUT_OF_REACH },
    variablesFrom: imported([{ configMapRef: { name: "others" }, prefix: "O_" }], {
      name: "O_first",
      value: VALUES.others.first,
    }),
    "variablesFrom[].secretRef.name": replaced("others", "S_first"),
    "variablesFrom[].configMapRef.name": imported("others", { name: "C_first", value: VALUES.others.first }),
    "variablesFrom[].prefix": imported("P_", { name: "P_first" }),
    "variablesFrom[].secret": {
      ...imported(false, { name: "S_first", value: VALUES.values.first }),
      documented: sent("importEnvironmentVariable", { name: "S_first", is_secret: false }, "VariablesPending"),
    },
    "variablesFrom[].scope": { ...imported("ENVIRONMENT", "ENVIRONMENT"), stays: OUT_OF_REACH },
    ...lifecycleLeaves(NOT_IN_SETS),
    "lifecycle.managementPolicy": {
      ...always("ObserveOnly", local("a policy of the operator: which operations it may do, and when")),
      created: reported("Available", "nothing is written under it; VariablesSynced reports missing variables"),
    },
    "lifecycle.deletionPolicy": always(
      "Delete",
      local("a policy of the operator: which operations it may do, and when"),
    ),
  }),
  misuses: (_fixture, name) => [
    ...unresolved("variables[].valueFrom.secretKeyRef"),
    ...unresolved("variables[].valueFrom.configMapKeyRef"),
    ...IMPOSSIBLE_WINDOWS,
    { path: "variablesFrom[].secretRef.name", to: "nowhere", reason: "DependencyNotReady" },
    { path: "variablesFrom[].configMapRef.name", to: "nowhere", reason: "DependencyNotReady" },
    { path: "targets", to: [name, name].map((each) => ({ applicationRef: { name: each } })), reason: "InvalidSpec" },
  ],
};

const NO_UPDATE = reported("UpdateNotSupported", "no surface has an update of blueprints");
const NOT_IN_BLUEPRINTS = ["driftPolicy", "retry"];

const ofBlueprint = (to: Json, as: Json = to): Entry => ({
  ...always(to, NO_UPDATE),
  created: sent("createBlueprint", as),
});
const secretOf = (to: Json, name: string): Entry => ofBlueprint(to, { name, is_secret: true });

export const blueprint: KindCases = {
  kind: "PlatformBlueprint",
  dependencies: environments,
  seed: ({ name: lane }, name) => ({
    connectionRef: { name: lane },
    environmentRef: { name: lane },
    name,
    tag: "bucket/2.1.0",
    icon: "https://icons.example.com/bucket.svg",
    variables: VARIABLES,
    specOverrides: { engine_version: "1.8.3", cpu: 100 },
    engine: "OpenTofu",
    allowedEngineVersions: ["1.8.3"],
    deployOnCreate: true,
    lifecycle: lifecycle(NOT_IN_BLUEPRINTS),
  }),
  leaves: (fixture, name) => ({
    ...childConnectionLeaves(fixture),
    ...lockedReference("environmentRef", ["PlatformEnvironment", `${fixture.name}-other`], "createBlueprint", fixture),
    name: ofBlueprint(`${name} renamed`),
    tag: { ...ofBlueprint("redis/3.0.0"), in: { engine: null, allowedEngineVersions: null } },
    icon: ofBlueprint("https://icons.example.com/other.svg"),
    ...variableLeaves({ plain: ofBlueprint, secret: secretOf, hidden: secretOf }),
    specOverrides: ofBlueprint({ engine_version: "1.8.3", cpu: 250 }, 250),
    engine: {
      ...always("Terraform", local("the operator checks the overrides by it; the platform uses the manifest's engine")),
      in: { allowedEngineVersions: null },
    },
    allowedEngineVersions: always(["1.8.3", "1.9.0"], local("the operator checks the overrides by it")),
    "allowedEngineVersions[]": {
      ...always("1.9.0", local("the operator checks the overrides by it before it sends them")),
      created: reported("InvalidSpec", "the operator checks the overrides by it before it sends them"),
    },
    deployOnCreate: {
      ...always(false, local("a service can only be deployed when it is created")),
      created: sent("createBlueprint", {}),
    },
    externalId: adopted(fixture.id("PlatformBlueprint", name)),
    ...lifecycleLeaves(NOT_IN_BLUEPRINTS),
    "lifecycle.deletionPolicy": always("Retain", local("there is no other value")),
  }),
};
