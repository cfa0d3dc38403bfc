import { variableSet as leaves } from "../hostile/generated/kinds/sets.ts";
import { resource } from "../support/kube/manifests.ts";
import { type Fields, ID, NOWHERE, type Sample } from "./sample.ts";

const KIND = "PlatformVariableSet";
const SOURCE = /exactly one of secretRef and configMapRef must be set/;
const secretKeyRef = { name: "s", key: "k" };
const byName = { applicationRef: { name: "api" } };
const secretRef = { name: "a" };
const configMapRef = { name: "b" };
const variable = (fields: Fields): Fields => ({ variables: [{ name: "A", ...fields }] });

export const variableSetSample: Sample = {
  smallest: { targets: [byName] },
  accepted: [
    ["targets by name and id", { targets: [byName, { applicationRef: { externalId: ID } }] }],
    [
      "a scope, and another one of a variable",
      { scope: "ENVIRONMENT", ...variable({ value: "1", scope: "APPLICATION" }) },
    ],
    [
      "a whole Secret and a whole ConfigMap",
      {
        variablesFrom: [
          { secretRef, prefix: "A_" },
          { configMapRef, secret: true },
        ],
      },
    ],
  ],
  refused: [
    ["no target", { targets: [] }, /targets.*at least 1/],
    ["a target that is nowhere", { targets: [{ applicationRef: {} }] }, /exactly one of name/],
    ["a whole nothing", { variablesFrom: [{}] }, SOURCE],
    ["a whole Secret and ConfigMap", { variablesFrom: [{ secretRef, configMapRef }] }, SOURCE],
    ["a prefix that begins no name", { variablesFrom: [{ secretRef, prefix: "1" }] }, /prefix.*should match/],
    ["a variable with both", variable({ value: "1", valueFrom: { secretKeyRef } }), /exactly one of value/],
  ],
  rules: 18,
  good: ({ name, tree, spec }) =>
    resource(KIND, name, {
      targets: [{ applicationRef: { name: tree } }],
      variables: [{ name: name.toUpperCase(), value: "1" }],
      ...spec,
    }),
  hostile: ({ name }) =>
    resource(KIND, name, {
      targets: [{ applicationRef: { externalId: NOWHERE } }, { applicationRef: { name: "constructor" } }],
      variables: [{ name: "__proto__", value: "\u202E\u0007" }],
    }),
  // The operator deploys the application with its variables.
  writes: ["importEnvironmentVariable", "deployApplication"],
  change: ({ name }) => ({ variables: [{ name: name.toUpperCase(), value: "2" }] }),
  changes: ["importEnvironmentVariable", "deployApplication"],
  leaves,
};
