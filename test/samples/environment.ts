import { environment as leaves } from "../hostile/generated/kinds/tree.ts";
import { environment } from "../support/kube/manifests.ts";
import { ID, OTHER_ID, type Sample } from "./sample.ts";

const REFERENCE = /exactly one of name and externalId must be set/;

export const environmentSample: Sample = {
  smallest: { projectRef: { name: "shop" }, name: "staging", clusterRef: { externalId: ID } },
  accepted: [
    ["a parent by id", { projectRef: { externalId: OTHER_ID } }],
    ["a mode of the future", { mode: "BLUE_GREEN_2" }],
    ["a cluster by name", { clusterRef: { name: "edge" } }],
  ],
  refused: [
    ["both references", { projectRef: { name: "a", externalId: ID } }, REFERENCE],
    ["no reference", { projectRef: {} }, REFERENCE],
    ["a mode in lower case", { mode: "staging" }, /in the platform's spelling, in capitals/],
    ["two clusters", { clusterRef: { name: "edge", externalId: ID } }, REFERENCE],
  ],
  rules: 13,
  good: ({ env, name, tree, spec }) => environment(env, name, tree, spec),
  hostile: ({ env, name }) => environment(env, name, "constructor"),
  writes: ["createEnvironment"],
  change: () => ({ mode: "PRODUCTION" }),
  changes: ["updateEnvironment"],
  leaves,
};
