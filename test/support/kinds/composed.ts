import { isDeepStrictEqual } from "node:util";

import type { Resource } from "../../../src/api/resource.ts";
import type { ReconcileContext, Report } from "../../../src/engine/contract/kind.ts";
import type { PolicyStatus } from "../../../src/engine/policies/policy-status.ts";
import { buildStatus } from "../../../src/engine/status/build.ts";
import type { ReconcileResult } from "../../../src/engine/status/outcome.ts";
import type { JsonObject, KubeObject } from "../../../src/kube/api/types.ts";

/** Returns the status as the API server would return it. */
export function composed(outcome: {
  readonly object: KubeObject;
  readonly result: ReconcileResult;
  readonly report: Report | undefined;
  readonly memory: JsonObject;
  readonly resource?: Pick<Resource, "lifecycle" | "recorded">;
  readonly context: Pick<ReconcileContext, "id" | "identitySource" | "now">;
  readonly policyStatus?: PolicyStatus | undefined;
}): JsonObject {
  const { context, ...rest } = outcome;
  const id = context.identitySource === "recorded" ? context.id : undefined;
  const status = buildStatus({
    policyStatus: undefined,
    resource: { lifecycle: "Managed", recorded: [] },
    ...rest,
    id,
    recordedIdentity: undefined,
    isListed: false,
    intent: undefined,
    handled: undefined,
    now: context.now,
  });
  const stored = JSON.parse(JSON.stringify(status)) as JsonObject;
  // The engine compares with the stored status: an undefined member would always differ from it.
  if (!isDeepStrictEqual(status, stored)) throw new Error("the status is not the same once it is stored");
  return stored;
}
