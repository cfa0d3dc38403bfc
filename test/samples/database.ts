import { database as leaves } from "../hostile/generated/kinds/services.ts";
import { database } from "../support/kube/manifests.ts";
import { ALWAYS_STOPPED, NIGHTS, type Sample } from "./sample.ts";

export const databaseSample: Sample = {
  smallest: {
    environmentRef: { name: "staging" },
    name: "main",
    type: "POSTGRESQL",
    mode: "MANAGED",
    version: "16",
  },
  accepted: [
    ["a schedule", { runSchedule: NIGHTS }],
    ["a type of the future", { type: "NEO_GRAPH_9", mode: "SERVERLESS" }],
    ["a version with a suffix", { version: "7.0.5-alpine", storage: 10 }],
    ["deletion policy Stop and retries", { lifecycle: { deletionPolicy: "Stop", retry: { limit: 2 } } }],
  ],
  refused: [
    [
      "a label of its Secret that is none",
      { writeConnectionSecretToRef: { name: "main", metadata: { labels: { team: "a b" } } } },
      /labels.*should match/,
    ],
    ["a schedule of what is always stopped", { runState: "Stopped", runSchedule: NIGHTS }, ALWAYS_STOPPED],
    ["no version", { version: undefined }, /version: Required/],
    ["a type in lower case", { type: "postgresql" }, /type.*should match/],
  ],
  rules: 24,
  good: ({ name, tree, spec }) => database(name, tree, spec),
  hostile: ({ name, tree }) => database(name, tree, { type: "CONSTRUCTOR", version: "0.0.0" }),
  writes: ["createDatabase", "deployDatabase"],
  change: () => ({ runState: "Stopped" }),
  changes: ["stopDatabase"],
  leaves,
};
