import { application as leaves } from "../hostile/generated/kinds/services.ts";
import { application, NEXT_COMMIT } from "../support/kube/manifests.ts";
import { ALWAYS_STOPPED, type Fields, ID, NIGHTS, type Sample } from "./sample.ts";

const REFERENCE = /exactly one of name and externalId must be set/;
const VALUE = /exactly one of value and valueFrom must be set/;
const secretKeyRef = { name: "s", key: "k" };
const deploy = { gitCommitId: "1a2b3c4" };
const A = { name: "A", value: "1" };
const variable = (fields: Fields): Fields => ({ variables: [{ name: "A", ...fields }] });

export const applicationSample: Sample = {
  smallest: {
    environmentRef: { name: "staging" },
    name: "api",
    gitRepository: { url: "https://git.example.com/shop/api.git" },
  },
  accepted: [
    ["a schedule", { deploy, runSchedule: NIGHTS }],
    ["equal bounds of instances", { minRunningInstances: 3, maxRunningInstances: 3 }],
    ["an empty value", variable({ value: "" })],
    ["a SHA-256 commit", { deploy: { gitCommitId: "a".repeat(64), policy: "Manual" } }],
    ["an scp-like repository", { gitRepository: { url: "git@git.example.com:shop/api.git" } }],
    ["health checks of any form", { healthchecks: { readiness_probe: { type: { tcp: { port: 80 } } } } }],
    ["deletion policy Stop", { lifecycle: { deletionPolicy: "Stop" } }],
  ],
  refused: [
    ["a schedule of what is not deployed", { runSchedule: NIGHTS }, /spec.runSchedule needs spec.deploy/],
    ["a schedule of what is always stopped", { deploy, runState: "Stopped", runSchedule: NIGHTS }, ALWAYS_STOPPED],
    ["both references", { environmentRef: { name: "a", externalId: ID } }, REFERENCE],
    [
      "crossed bounds of instances",
      { minRunningInstances: 3, maxRunningInstances: 2 },
      /minRunningInstances must not exceed spec.maxRunningInstances/,
    ],
    ["a value twice", variable({ value: "a", valueFrom: { secretKeyRef } }), VALUE],
    ["a variable without value", variable({}), VALUE],
    [
      "a value of two sources",
      variable({ valueFrom: { secretKeyRef, configMapKeyRef: secretKeyRef } }),
      /exactly one of secretKeyRef and configMapKeyRef must be set/,
    ],
    ["a variable with a blank", { variables: [{ name: "A B", value: "" }] }, /name.*should match/],
    ["a commit too short", { deploy: { gitCommitId: "1a2b3c" } }, /gitCommitId.*should match/],
    ["a commit of digits without quotes", { deploy: { gitCommitId: 3_333_333 } }, /gitCommitId.*3333333: .*quote it/],
    ["no commit", { deploy: { policy: "Manual" } }, /gitCommitId: Required/],
  ],
  duplicates: [
    ["a variable twice", { variables: [A, { ...A, value: "2" }] }, /variables\[1\]: Duplicate value/],
    [
      "a disk twice",
      {
        storage: [
          { mountPoint: "/a", size: 1 },
          { mountPoint: "/a", size: 2 },
        ],
      },
      /storage\[1\]: Duplicate value/,
    ],
    ["a port twice", { ports: [{ internalPort: 80 }, { internalPort: 80 }] }, /ports\[1\]: Duplicate value/],
  ],
  rules: 35,
  good: ({ name, tree, spec }) => application(name, tree, spec),
  hostile: ({ name, tree }) =>
    application(name, tree, { variables: [{ name: "__proto__", value: "x".repeat(32_000) }] }),
  writes: ["createApplication", "deployApplication"],
  change: () => ({ deploy: { gitCommitId: NEXT_COMMIT } }),
  changes: ["deployApplication"],
  leaves,
};
