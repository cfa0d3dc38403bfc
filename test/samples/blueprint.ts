import { blueprint as leaves } from "../hostile/generated/kinds/sets.ts";
import { blueprint } from "../support/kube/manifests.ts";
import type { Sample } from "./sample.ts";

const ENGINE = /allowedEngineVersions needs spec.engine/;

export const blueprintSample: Sample = {
  smallest: {
    environmentRef: { name: "staging" },
    name: "cache",
    tag: "redis/3.0.0",
    icon: "https://example.com/redis.svg",
  },
  accepted: [
    ["overrides that are null", { specOverrides: null }],
    ["overrides of any shape", { specOverrides: { engine_version: "1.9.8", nested: { list: [1, null] } } }],
    ["versions of its engine", { engine: "OpenTofu", allowedEngineVersions: ["1.8.3"] }],
    ["variables of any shape", { variableObjects: [{ key: "a", nested: { list: [1, null] } }, {}] }],
    ["deletion policy Delete", { lifecycle: { deletionPolicy: "Delete" } }],
    ["a variable with dots", { variables: [{ name: "a.b-c", value: "" }] }],
  ],
  refused: [
    ["no icon", { icon: undefined }, /icon: Required/],
    ["an icon that is a path", { icon: "/redis.svg" }, /icon.*should match/],
    ["overrides that are a list", { specOverrides: ["cpu"] }, /specOverrides.*must be of type/],
    ["versions of Helm", { engine: "Helm", allowedEngineVersions: ["3"] }, ENGINE],
    ["versions of no engine", { allowedEngineVersions: ["3"] }, ENGINE],
    ["a variable without value", { variables: [{ name: "A" }] }, /exactly one of value and valueFrom must be set/],
    ["a variable as a text", { variableObjects: ["A=1"] }, /variableObjects.*must be of type/],
  ],
  rules: 20,
  good: ({ name, tree, spec }) => blueprint(name, tree, spec),
  hostile: ({ name, tree }) => blueprint(name, tree, { tag: "constructor/9.9.9" }),
  writes: ["createBlueprint"],
  changes: ["updateBlueprint", "deployBlueprint"],
  change: () => ({ specOverrides: { cpu: "1" } }),
  leaves,
};
