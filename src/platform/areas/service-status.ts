import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { write } from "../client/endpoints.ts";
import { json, nothing } from "../codec/decode.ts";
import { sent } from "../codec/encode.ts";
import { optional, optionalDate, optionalFlag, optionalNumber, optionalText, pathId, record } from "../codec/schema.ts";

/**
 * The state of one service. The spec shows an application's status with id, state, service_deployment_status and
 * last_deployment_date only, so nothing else may be required; the last two say nothing before the first deployment.
 */
export const serviceStatus = record({
  id: pathId,
  state: z.string(),
  service_deployment_status: optionalText,
  last_deployment_date: optionalDate,
  is_part_last_deployment: optionalFlag,
  status_details: optional(record({ action: optionalText, status: optionalText, sub_action: optionalText })),
  deployment_request_id: optional(pathId),
  deployment_requests_count: optionalNumber,
  execution_id: optionalText,
  steps: optional(record({ total_duration_sec: optionalNumber, total_computing_duration_sec: optionalNumber })),
});

export type ServiceStatus = z.output<typeof serviceStatus>;

const deployment = record({ deployment_request_id: optionalText, environment_id: optionalText, status: z.string() });

const statusQuery = z.object({ deploymentRequestId: pathId });

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
