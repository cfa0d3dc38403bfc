import { describe, expect, it } from "vitest";

import {
  deployment,
  OLD_REQUEST,
  OTHER_COMMIT,
  passWith,
  REQUEST,
} from "../../../test/support/services/applications.ts";
import { deployedCommit, sameCommit } from "./deployment.ts";
import { NOTHING_OBSERVED } from "./model.ts";

describe("commits", () => {
  it.each([
    ["1a2b3c4d", "1a2b3c4d", true],
    ["1a2b3c4d", "1a2b3c4", true],
    ["1a2b3c4", "1a2b3c4d", true],
    ["1a2b3c4d", "1a2b3c5", false],
  ])("%s and %s: %s", (left, right, same) => {
    expect(sameCommit(left, right)).toBe(same);
  });
});

describe("the commit that an operation deployed", () => {
  const operation = {
    name: "shop/op",
    operation: "deployApplication",
    startedAt: "2026-11-21T09:30:00.000Z",
    requestId: REQUEST,
    gitCommitId: OTHER_COMMIT,
    result: "Completed",
  } as const;
  const running = { state: "DEPLOYED", deploymentRequestId: REQUEST };

  it.each<[string, object, object, string | undefined]>([
    ["is known", {}, {}, OTHER_COMMIT],
    ["is known where its end was not waited for", { result: "Accepted" }, {}, OTHER_COMMIT],
    ["is known without request ids", { requestId: undefined }, {}, OTHER_COMMIT],
    ["is not known without them before its end", { requestId: undefined, result: undefined }, {}, undefined],
    ["is not running yet", {}, { state: "DEPLOYING" }, undefined],
    ["is not running where another request is", {}, { deploymentRequestId: OLD_REQUEST }, undefined],
    ["is of before our own deployment", { startedAt: "2026-11-21T08:30:00.000Z" }, {}, undefined],
    ["is none", { gitCommitId: undefined }, {}, undefined],
  ])("%s", (_name, change, shown, expected) => {
    const context = passWith({ memory: { lastDeployment: deployment(), lastOperation: { ...operation, ...change } } });
    const status = { id: context.id ?? "", ...running, ...shown };
    expect(deployedCommit(context, { ...NOTHING_OBSERVED, status })).toBe(expected);
  });
});
