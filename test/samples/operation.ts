import { operation as leaves } from "../hostile/generated/kinds/others.ts";
import { operation } from "../support/kube/manifests.ts";
import { type Fields, ID, NOWHERE, type Sample } from "./sample.ts";

const COMMIT = "1a2b3c4";

/** The smallest valid spec of each type. */
const TYPES: readonly Fields[] = [
  { type: "DeployApplication", applicationRef: { name: "api" }, gitCommitId: COMMIT },
  { type: "DeployDatabase", databaseRef: { externalId: ID } },
  { type: "StopDatabase", databaseRef: { name: "orders" } },
  { type: "StopCluster", clusterRef: { externalId: ID } },
  { type: "UpgradeCluster", clusterRef: { name: "main" } },
  {
    type: "RenderHelmDefaultValues",
    environmentRef: { name: "staging" },
    source: { helm_repository: { chart_name: "redis" } },
    outputConfigMap: "redis",
  },
  { type: "SendInvoices" },
];

export const operationSample: Sample = {
  smallest: { type: "SendInvoices" },
  accepted: TYPES.map((spec) => [String(spec["type"]), spec]),
  refused: [
    ["an unknown type", { type: "Restart" }, /type: Unsupported value/],
    [
      "no commit",
      { type: "DeployApplication", applicationRef: { name: "api" } },
      /spec.gitCommitId must be set for the type DeployApplication, and for no other/,
    ],
    [
      "a commit for a database",
      { type: "StopDatabase", databaseRef: { name: "orders" }, gitCommitId: COMMIT },
      /spec.gitCommitId must be set for the type DeployApplication, and for no other/,
    ],
    ["no target", { type: "StopCluster" }, /spec.clusterRef must be set for the type StopCluster or UpgradeCluster/],
    [
      "a target of another kind",
      { type: "StopDatabase", databaseRef: { name: "orders" }, applicationRef: { name: "api" } },
      /spec.applicationRef must be set for the type DeployApplication/,
    ],
    [
      "a target for the organization",
      { type: "SendInvoices", environmentRef: { name: "staging" } },
      /spec.environmentRef must be set for the type RenderHelmDefaultValues/,
    ],
    [
      "both references",
      { type: "StopCluster", clusterRef: { name: "main", externalId: ID } },
      /exactly one of name and externalId must be set/,
    ],
    [
      "no output",
      { type: "RenderHelmDefaultValues", environmentRef: { name: "staging" }, source: {} },
      /spec.outputConfigMap must be set/,
    ],
    [
      "a source that is a text",
      { type: "RenderHelmDefaultValues", environmentRef: { name: "a" }, source: "x", outputConfigMap: "x" },
      /spec.source.*must be of type object/,
    ],
    ["a negative limit", { type: "SendInvoices", backoffLimit: -1 }, /backoffLimit.*greater than or equal to 0/],
    ["no deadline at all", { type: "SendInvoices", activeDeadlineSeconds: 0 }, /activeDeadlineSeconds.*greater than/],
  ],
  rules: 27,
  good: ({ name, spec }) => operation(name, { type: "SendInvoices", ...spec }),
  hostile: ({ name }) => operation(name, { type: "StopDatabase", databaseRef: { externalId: NOWHERE } }),
  writes: ["downloadInvoices"],
  leaves,
};
