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
    ["a variable with dots", { variables: [{ name: "a.b-c", value: "" }] }],
  ],
  refused: [
    ["no icon", { icon: undefined }, /icon: Required/],
    ["an icon that is a path", { icon: "/redis.svg" }, /icon.*should match/],
    ["overrides that are a list", { specOverrides: ["cpu"] }, /specOverrides.*must be of type/],
    ["versions of Helm", { engine: "Helm", allowedEngineVersions: ["3"] }, ENGINE],
    ["versions of no engine", { allowedEngineVersions: ["3"] }, ENGINE],
    ["a variable without value", { variables: [{ name: "A" }] }, /exactly one of value and valueFrom must be set/],
    ["deletion policy Delete", { lifecycle: { deletionPolicy: "Delete" } }, /deletionPolicy: Unsupported value/],
  ],
  rules: 19,
  good: ({ name, tree, spec }) => blueprint(name, tree, spec),
  hostile: ({ name, tree }) => blueprint(name, tree, { tag: "constructor/9.9.9" }),
  writes: ["createBlueprint"],
  change: () => ({ specOverrides: { cpu: "1" } }),
  leaves,
};
