import type { JsonObject } from "../../../../src/kube/api/types.ts";
import { always, local, reported, sent, type Draft, type KindCases } from "../outcomes.ts";
import {
  application,
  environment,
  environments,
  pending,
  project,
  replacedSecret,
  unresolved,
  VALUES,
  VARIABLES,
  variableLeaves,
} from "./references.ts";

const SCOPE: Draft = {
  to: "ENVIRONMENT",
  stays: "only variables in an application's own scope can be removed through the application",
};

export const variableSet: KindCases = {
  by: "importEnvironmentVariable",
  lasting: true,
  dependencies: (fixture) => [project(fixture)],
  // In a separate environment, as all applications in it have the variables of that scope.
  ownDependencies: (fixture, name) => [
    environment(fixture, name),
    application(name, name),
    application(`${name}-other`, name),
  ],
  seed: (_fixture, name) => ({
    targets: [{ applicationRef: { name } }],
    overwrite: true,
    scope: "APPLICATION",
    variables: VARIABLES.map((variable, index) => (index === 0 ? { ...variable, scope: "APPLICATION" } : variable)),
    variablesFrom: [
      { secretRef: { name: "values" }, prefix: "S_", secret: true, scope: "APPLICATION" },
      { configMapRef: { name: "values" }, prefix: "C_", secret: false, scope: "APPLICATION" },
    ],
  }),
  leaves: (fixture, name) => {
    const { values, others } = VALUES;
    const other = `${name}-other`;
    const otherId = fixture.id("PlatformApplication", other);
    return {
      targets: { to: [{ applicationRef: { name } }, { applicationRef: { name: other } }], as: otherId },
      "targets[].applicationRef.name": { to: other, as: otherId },
      "targets[].applicationRef.externalId": { to: otherId },
      overwrite: {
        ...always(false, local("the next import carries it, and nothing has to be imported")),
        created: sent("importEnvironmentVariable", { overwrite: false }),
      },
      scope: SCOPE,
      ...variableLeaves(undefined, replacedSecret),
      "variables[].scope": SCOPE,
      variablesFrom: {
        to: [{ configMapRef: { name: "others" }, prefix: "O_" }],
        as: { name: "O_first", value: others.first },
      },
      "variablesFrom[].secretRef.name": { to: "others", ...replacedSecret("S_first") },
      "variablesFrom[].configMapRef.name": { to: "others", as: { name: "C_first", value: others.first } },
      "variablesFrom[].prefix": { to: "P_", as: { name: "P_first" } },
      "variablesFrom[].secret": {
        to: false,
        as: { name: "S_first", value: values.first },
        documented: pending({ name: "S_first", is_secret: false }),
      },
      "variablesFrom[].scope": SCOPE,
      "lifecycle.managementPolicy": {
        created: reported("Available", "nothing is written under it; VariablesSynced reports missing variables"),
      },
    };
  },
  misuses: (_fixture, name) => [
    ...unresolved("variables[].valueFrom.secretKeyRef"),
    ...unresolved("variables[].valueFrom.configMapKeyRef"),
    { path: "variablesFrom[].secretRef.name", to: "nowhere", reason: "DependencyNotReady" },
    { path: "variablesFrom[].configMapRef.name", to: "nowhere", reason: "DependencyNotReady" },
    { path: "targets", to: [name, name].map((each) => ({ applicationRef: { name: each } })), reason: "InvalidSpec" },
  ],
};

const FINAL = reported("UpdateNotSupported", "the variables are those that the service was created with");
/** An update has variables by name. */
const blueprintVariable = ({ name: _name, ...as }: JsonObject): Partial<Draft> => ({
  full: sent("updateBlueprint", as),
  documented: FINAL,
});
const CHECKED = "the operator checks the overrides by it before it sends them";

export const blueprint: KindCases = {
  dependencies: environments,
  seed: ({ name: lane }, name) => ({
    environmentRef: { name: lane },
    name,
    tag: "bucket/2.1.0",
    icon: "https://icons.example.com/bucket.svg",
    variables: VARIABLES,
    variableObjects: [{ name: "TIER", value: "a" }],
    specOverrides: { engine_version: "1.8.3", cpu: 100 },
    engine: "OpenTofu",
    allowedEngineVersions: ["1.8.3"],
    deployOnCreate: true,
  }),
  leaves: () => ({
    tag: { to: "redis/3.0.0", in: { engine: null, allowedEngineVersions: null } },
    icon: { to: "https://icons.example.com/other.svg" },
    ...variableLeaves((as) => ({ ...blueprintVariable(as), created: sent("createBlueprint", as) })),
    variableObjects: {
      to: [{ name: "TIER", value: "b", since: [1] }],
      ...blueprintVariable({ value: "b", since: [1] }),
      created: sent("createBlueprint", { name: "TIER", value: "b", since: [1] }),
    },
    "variableObjects[]": {
      to: { name: "LEVEL", value: "c" },
      ...blueprintVariable({ value: "c" }),
      created: sent("createBlueprint", { name: "LEVEL", value: "c" }),
    },
    specOverrides: {
      to: { engine_version: "1.8.3", cpu: 250 },
      as: 250,
      notAdded: "the allowed versions of the seed require a version",
    },
    engine: {
      ...always("Terraform", local(`${CHECKED}; the platform uses the manifest's engine`)),
      in: { allowedEngineVersions: null },
    },
    allowedEngineVersions: always(["1.8.3", "1.9.0"], local(CHECKED)),
    "allowedEngineVersions[]": { ...always("1.9.0", local(CHECKED)), created: reported("InvalidSpec", CHECKED) },
    deployOnCreate: {
      ...always(false, local("it says what follows the creation")),
      created: sent("createBlueprint", {}),
    },
  }),
};
