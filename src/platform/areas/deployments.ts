import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { json, nothing } from "../codec/decode.ts";
import { sent } from "../codec/encode.ts";
import { record, text, uuid } from "../codec/schema.ts";

const deployment = record({ deployment_request_id: text, environment_id: text, status: z.string() });

const statusQuery = z.object({ deploymentRequestId: uuid });

/** How far one deployment request is; `status` is a deployment state. */
export type Deployment = z.output<typeof deployment>;

export interface Deployments {
  /** Follows one request whatever else happens to its service. */
  status(deploymentRequestId: string): Promise<Deployment>;
  /** Full surface: cancels one request that is queued or runs. */
  cancel(deploymentRequestId: string): Promise<void>;
}

export function deployments(caller: Caller): Deployments {
  return {
    status: (deploymentRequestId) =>
      caller.fetch(
        "getDeploymentStatus",
        {},
        { query: sent(statusQuery, { deploymentRequestId }), answer: json(deployment) },
      ),
    cancel: (deploymentRequestId) => caller.write("cancelDeployment", { deploymentRequestId }, { answer: nothing }),
  };
}
