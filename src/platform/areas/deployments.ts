import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { write } from "../client/endpoints.ts";
import { json, nothing } from "../codec/decode.ts";
import { sent } from "../codec/encode.ts";
import { record, text, uuid } from "../codec/schema.ts";

const deployment = record({ deployment_request_id: text, environment_id: text, status: z.string() });

const statusQuery = z.object({ deploymentRequestId: uuid });

/** How far one deployment request is; `status` is a deployment state. */
export type Deployment = z.output<typeof deployment>;

export function deployments(caller: Caller) {
  return {
    /** Follows one request whatever else happens to its service. */
    status: (deploymentRequestId: string) =>
      caller.fetch("getDeploymentStatus", [], {
        query: sent(statusQuery, { deploymentRequestId }),
        answer: json(deployment),
      }),
    /** Cancels one request that is queued or runs. */
    cancel: write(caller, "cancelDeployment", nothing),
  };
}
