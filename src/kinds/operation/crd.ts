import { z } from "zod";

import { commitField, connectionRef, integer, jsonLength, objectName, reference } from "../../api/fields.ts";
import { lifecycleOf } from "../../api/lifecycle.ts";
import { isReason } from "../../api/reasons.ts";
import { type CelRule, column, columnsOf, defineResource, wide } from "../../api/resource.ts";
import { actingStatus, count, id, text, time } from "../../api/status.ts";
import { deploymentFields } from "../service/crd-status.ts";

const TYPES = [
  "DeployApplication",
  "DeployDatabase",
  "StopDatabase",
  "StopCluster",
  "UpgradeCluster",
  "RenderHelmDefaultValues",
  "SendInvoices",
] as const;

export type OperationType = (typeof TYPES)[number];

/** The types of each field: they require it, and no other type may have it. */
const FIELDS = [
  ["applicationRef", ["DeployApplication"]],
  ["gitCommitId", ["DeployApplication"]],
  ["databaseRef", ["DeployDatabase", "StopDatabase"]],
  ["clusterRef", ["StopCluster", "UpgradeCluster"]],
  ["environmentRef", ["RenderHelmDefaultValues"]],
  ["source", ["RenderHelmDefaultValues"]],
  ["outputConfigMap", ["RenderHelmDefaultValues"]],
] as const satisfies readonly (readonly [field: string, types: readonly OperationType[]])[];

function needed(field: string, types: readonly OperationType[]): string {
  return `spec.${field} must be set for the type ${types.join(" or ")}, and for no other`;
}

/** The API server's check of the fields of each type. */
export const FIELDS_OF_TYPES: readonly CelRule[] = FIELDS.map(([field, types]) => ({
  rule: `has(self.spec.${field}) == (self.spec.type in [${types.map((type) => `'${type}'`).join(", ")}])`,
  message: needed(field, types),
  fieldPath: `.spec.${field}`,
}));

/** The largest int32, which is the type of a Job's ttlSecondsAfterFinished. */
const MAX_SECONDS = 2_147_483_647;

/** How long an accepted request is followed by default, in seconds: three hours. */
const FOLLOWED_SECONDS = 10_800;

/**
 * Passes a value through unchanged. The rule that compares the whole spec does not detect that a member which the
 * schema does not name was renamed; this does no harm.
 */
const OPEN = { "x-kubernetes-preserve-unknown-fields": true };

const SOURCE_LENGTH = 32_768;

/** The specification shows no shape for either variant; deployed services know these two. */
const source = z
  .looseObject({
    git_repository: z
      .looseObject({})
      .optional()
      .meta({ description: "A chart in git, e.g. url, branch, root_path and git_token_id.", ...OPEN }),
    helm_repository: z
      .looseObject({})
      .optional()
      .meta({ description: "A chart of a repository, e.g. repository, chart_name and chart_version.", ...OPEN }),
  })
  .refine((given) => jsonLength(given) <= SOURCE_LENGTH, `must be at most ${SOURCE_LENGTH} characters of JSON`)
  .meta({
    description:
      "Source of the chart, for RenderHelmDefaultValues, passed to the platform unchanged, in the platform's own spelling. It is not protected here: do not put passwords into URLs.",
    ...OPEN,
  });

export const spec = z
  .object({
    connectionRef: connectionRef.optional(),
    type: z
      .enum(TYPES)
      .describe(
        "What to do. DeployApplication deploys one commit of an application, DeployDatabase deploys or starts a " +
          "database, StopDatabase stops it, StopCluster stops a cluster, UpgradeCluster upgrades it to the next version " +
          "of Kubernetes that the platform offers, RenderHelmDefaultValues writes the default values of a chart to a ConfigMap, SendInvoices requests the invoices of the organization by e-mail to the account holder.",
      ),
    applicationRef: reference("PlatformApplication", "Application, for DeployApplication.").optional(),
    databaseRef: reference("PlatformDatabase", "Database, for DeployDatabase and StopDatabase.").optional(),
    clusterRef: reference("PlatformCluster", "Cluster, for StopCluster and UpgradeCluster.").optional(),
    environmentRef: reference(
      "PlatformEnvironment",
      "Environment that the chart is for, for RenderHelmDefaultValues.",
    ).optional(),
    gitCommitId: commitField
      .optional()
      .describe("Commit to deploy, for DeployApplication: 7 to 64 hex digits in lower case, in quotes."),
    source: source.optional(),
    outputConfigMap: objectName
      .optional()
      .describe(
        "Name of the ConfigMap in the same namespace that the default values are put into, under the key values.yaml, " +
          "for RenderHelmDefaultValues. It is created, and deleted with this object; a ConfigMap of others is not overwritten.",
      ),
    completion: z
      .enum(["Observed", "Accepted"])
      .optional()
      .describe(
        "When the operation counts as complete. Observed: when the platform shows its end; if it is known that the platform cannot show it, nothing is sent; if a request to a database gets no request id and the platform shows no states, the result is Unknown at the deadline. Accepted: when the platform has accepted the request. Defaults to Observed if the platform shows the end, otherwise to Accepted. The condition Complete has the reason Completed or Accepted accordingly.",
      ),
    backoffLimit: integer(0, 100)
      .default(6)
      .describe(
        "Number of retries of a request that the platform certainly did not execute. Requests that it refuses because other work is in progress (409, or 400 with a text that says so) do not count: they are sent again until the deadline. A request with an unknown outcome is never sent again. Defaults to 6.",
      ),
    activeDeadlineSeconds: integer(1, MAX_SECONDS)
      .default(FOLLOWED_SECONDS)
      .describe(
        "Maximum duration from its creation, in seconds. Time during which it is paused, waits for approval, or is delayed by the platform's rate limit does not count. Afterwards it has failed if its request was not sent; if it was sent, its result is unknown. " +
          `Defaults to ${FOLLOWED_SECONDS}, three hours.`,
      ),
    ttlSecondsAfterFinished: integer(0, MAX_SECONDS)
      .optional()
      .describe("Deletes this object, with its ConfigMap, this many seconds after its end. Kept when absent."),
    lifecycle: lifecycleOf(["applyPolicy"]),
  })
  .superRefine((operation, context) => {
    for (const [field, types] of FIELDS) {
      const isSet = operation[field] !== undefined;
      if (isSet === types.some((type) => type === operation.type)) continue;
      context.addIssue({ code: "custom", path: [field], message: needed(field, types) });
    }
  });

export type OperationSpec = z.output<typeof spec>;

const { requestId, state, startedAt, finishedAt, duration, baseline } = deploymentFields;

const failure = {
  reason: text.describe("Why, in one word."),
  message: text.describe("Why, and what to do."),
};

const record = {
  startedAt: time.describe("Time when the operator started it."),
  deadline: time.describe("Deadline by spec.activeDeadlineSeconds. It is extended by the time that does not count."),
  remainingSeconds: count.describe(
    "Rest of spec.activeDeadlineSeconds while time does not count because the operation is paused or waits for approval.",
  ),
  targetId: id.describe("Id of the target on the platform."),
  request: z
    .object({ requestId, state, startedAt, finishedAt, duration, baseline })
    .describe("The request as accepted by the platform."),
  failedRequests: count.describe(
    "Number of requests that the platform certainly did not execute, except those that it refused because of other work in progress.",
  ),
  lastFailure: z.object(failure).describe("Reason why the last request was not executed."),
  outcome: z
    .object({
      result: z
        .enum(["Complete", "Failed", "Unknown"])
        .describe("Result. Unknown: its request was or may have been sent, and its result is not known."),
      ...failure,
      at: time.describe("Time when the operator observed its end."),
    })
    .describe("Result of the operation. It is final."),
  expiresAt: time.describe("Time when this object is deleted."),
  digest: text.describe("SHA-256 of the default values that are in the ConfigMap."),
};

/**
 * Any stored outcome counts as the end: one that a later version wrote must not cause a repetition of the operation.
 */
const stored = z.object({
  result: record.outcome.shape.result.catch("Failed"),
  reason: z
    .string()
    .catch("")
    .transform((value) => (isReason(value) ? value : "OperationResultUnknown")),
  message: record.outcome.shape.message.catch(""),
  at: record.outcome.shape.at.catch(""),
});

const { deadline: _deadline, remainingSeconds: _remainingSeconds, digest: _digest, ...kept } = record;

export type OperationMemory = z.output<typeof platformOperation.memory>;
export type OperationOutcome = NonNullable<OperationMemory["outcome"]>;

export const platformOperation = defineResource({
  kind: "PlatformOperation",
  shortNames: ["pop"],
  description: "One action on the platform that is executed once, like a Job, and ends Complete, Failed or Unknown.",
  spec,
  memory: { ...kept, outcome: stored },
  status: actingStatus(record),
  rules: [
    {
      rule: "self.spec == oldSelf.spec",
      message: "spec cannot be changed: it is one action. Create another PlatformOperation",
    },
    ...FIELDS_OF_TYPES,
  ],
  columns: columnsOf(
    [
      column("Type", ".spec.type", "What is done."),
      column("Result", ".status.outcome.result", "How it ended."),
      column("Ended", ".status.outcome.at", "Time since its end.", "date"),
    ],
    [
      wide("State", ".status.request.state", "State on the platform, verbatim."),
      wide("Target-ID", ".status.targetId", "Id of the target on the platform."),
    ],
  ),
  selectableFields: [".spec.connectionRef.name", ".spec.type"],
});
