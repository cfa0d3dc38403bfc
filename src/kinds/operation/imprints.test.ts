import { describe, expect, it } from "vitest";

import { operationContext, TARGET } from "../../../test/support/kinds/operation-contexts.ts";
import type { OperationMemory } from "./crd.ts";
import { externalWrites } from "./index.ts";

const at = "2026-11-21T10:00:00.000Z";
const COMMIT = "1a2b3c4d5e6f708192a3b4c5d6e7f80910a1b2c3";
const STOP = { type: "StopDatabase", databaseRef: { externalId: TARGET } };
const DEPLOY = { type: "DeployApplication", applicationRef: { externalId: TARGET }, gitCommitId: COMMIT };
const sent: OperationMemory = { targetId: TARGET, request: { startedAt: at, requestId: "r-1", state: "QUEUED" } };
const ended = (
  result: "Complete" | "Failed" | "Unknown",
  reason: NonNullable<OperationMemory["outcome"]>["reason"],
): OperationMemory => ({ ...sent, outcome: { result, reason, message: "", at } });

const of = (spec: object, memory: OperationMemory) => externalWrites(memory, operationContext(spec).spec);

describe("the external writes of an operation", () => {
  const lastFailure = { reason: "OperationRejected", message: "no" } as const;

  it.each<[string, object, OperationMemory]>([
    ["was not sent", STOP, { targetId: TARGET }],
    ["was refused", STOP, { targetId: TARGET, failedRequests: 1, lastFailure }],
    ["acts upon no object", { type: "SendInvoices" }, { request: { startedAt: at } }],
  ])("is nothing where it %s", (_name, spec, memory) => {
    expect(of(spec, memory)).toEqual([]);
  });

  it("is nothing where its spec is not valid", () => {
    expect(externalWrites(sent, undefined)).toEqual([]);
  });

  it.each<[string, OperationMemory, string | undefined]>([
    ["is not known", sent, undefined],
    ["was seen", ended("Complete", "Completed"), "Completed"],
    ["is not observed", ended("Complete", "Accepted"), "Accepted"],
    ["is a failure", ended("Failed", "DeploymentFailed"), "Failed"],
    ["never came", ended("Unknown", "DeadlineExceeded"), "Unknown"],
  ])("is the request that the platform accepted, whose end %s", (_name, memory, result) => {
    const request = { requestId: "r-1", state: "QUEUED", result };
    expect(of(STOP, memory)).toEqual([{ id: TARGET, at, action: { op: "stopDatabase", ...request } }]);
    expect(of(DEPLOY, memory)).toMatchObject([{ action: { op: "deployApplication", commit: COMMIT, ...request } }]);
  });
});
