import { z } from "zod";

import { isReason } from "../../api/reasons.ts";
import { actingStatus, count, id, kept, text, time } from "../../api/status.ts";
import { deploymentFields } from "../service/crd-status.ts";

const { requestId, state, startedAt, finishedAt, baseline } = deploymentFields;

const failure = {
  reason: text.describe("Why, in one word."),
  message: text.describe("Why, and what to do."),
};

const record = {
  startedAt: time.describe("When the operator took it up."),
  deadline: time.describe(
    "When it is given up, by spec.activeDeadlineSeconds. It moves with the time that is not counted.",
  ),
  remainingSeconds: count.describe(
    "What is left of spec.activeDeadlineSeconds while its time stands still: it is paused, or waits for approval or a " +
      "change window.",
  ),
  targetId: id.describe("Id on the platform of what is acted upon."),
  request: z
    .object({ requestId, state, startedAt, finishedAt, baseline })
    .describe("The request that the platform accepted."),
  failedRequests: count.describe("How many requests the platform certainly did not carry out."),
  lastFailure: z.object(failure).describe("Why the last of them was not carried out."),
  outcome: z
    .object({
      result: z
        .enum(["Complete", "Failed", "Unknown"])
        .describe(
          "How it ended. Unknown: its request was, or may have been, sent, and nobody can tell what became of it.",
        ),
      ...failure,
      at: time.describe("When the operator saw it end."),
    })
    .describe("The end. Nothing is done any more once it is set."),
  expiresAt: time.describe("When this object is deleted."),
  digest: text.describe("SHA-256 of the default values that are in the ConfigMap."),
};

/** Whatever stands there, it is over: an outcome that a later version wrote must not have it carried out again. */
const stored = z.object({
  result: record.outcome.shape.result.catch("Failed"),
  reason: z
    .string()
    .catch("")
    .transform((value) => (isReason(value) ? value : "OperationResultUnknown")),
  message: record.outcome.shape.message.catch(""),
  at: record.outcome.shape.at.catch(""),
});

export const memory = z
  .object({
    startedAt: kept(record.startedAt),
    targetId: kept(record.targetId),
    request: kept(record.request),
    failedRequests: kept(record.failedRequests),
    lastFailure: kept(record.lastFailure),
    outcome: kept(stored),
    expiresAt: kept(record.expiresAt),
  })
  .catch({});

export type OperationMemory = z.output<typeof memory>;
export type Outcome = NonNullable<OperationMemory["outcome"]>;

export const status = actingStatus(z.object(record).partial().shape);
