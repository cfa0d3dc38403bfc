import { operation as leaves } from "../hostile/generated/kinds/others.ts";
import { operation } from "../support/kube/manifests.ts";
import { type Fields, ID, NOWHERE, type Sample } from "./sample.ts";

const applicationRef = { name: "api" };
const databaseRef = { name: "orders" };
const environmentRef = { name: "staging" };
const gitCommitId = "1a2b3c4";
const source = { helm_repository: { chart_name: "redis" } };
const NEEDS_COMMIT = /spec.gitCommitId must be set for the type DeployApplication, and for no other/;
const RENDERS = /spec.environmentRef must be set for the type RenderHelmDefaultValues/;

/** The smallest valid spec of each type. */
const TYPES: readonly Fields[] = [
  { type: "DeployApplication", applicationRef, gitCommitId },
  { type: "DeployDatabase", databaseRef: { externalId: ID } },
  { type: "StopDatabase", databaseRef },
  { type: "StopCluster", clusterRef: { externalId: ID } },
  { type: "UpgradeCluster", clusterRef: { name: "main" } },
  { type: "RenderHelmDefaultValues", environmentRef, source, outputConfigMap: "redis" },
  { type: "SendInvoices" },
];

export const operationSample: Sample = {
  smallest: { type: "SendInvoices" },
  accepted: TYPES.map((spec) => [String(spec["type"]), spec]),
  refused: [
    ["an unknown type", { type: "Restart" }, /type: Unsupported value/],
    ["no commit", { type: "DeployApplication", applicationRef }, NEEDS_COMMIT],
    ["a commit for a database", { type: "StopDatabase", databaseRef, gitCommitId }, NEEDS_COMMIT],
    ["no target", { type: "StopCluster" }, /spec.clusterRef must be set for the type StopCluster or UpgradeCluster/],
    [
      "a target of another kind",
      { type: "StopDatabase", databaseRef, applicationRef },
      /spec.applicationRef must be set for the type DeployApplication/,
    ],
    ["a target for the organization", { type: "SendInvoices", environmentRef }, RENDERS],
    [
      "both references",
      { type: "StopCluster", clusterRef: { name: "main", externalId: ID } },
      /exactly one of name and externalId must be set/,
    ],
    ["no output", { type: "RenderHelmDefaultValues", environmentRef, source }, /spec.outputConfigMap must be set/],
  ],
  rules: 24,
  good: ({ name, spec }) => operation(name, { type: "SendInvoices", ...spec }),
  hostile: ({ name }) => operation(name, { type: "StopDatabase", databaseRef: { externalId: NOWHERE } }),
  writes: ["downloadInvoices"],
  leaves,
};
