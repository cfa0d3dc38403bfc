import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { write } from "../client/endpoints.ts";
import { json, nothing } from "../codec/decode.ts";
import { sent } from "../codec/encode.ts";
import { count, date, flag, optional, record, text, uuid } from "../codec/schema.ts";

/**
 * The state of one service. The spec shows an application's status with id, state, service_deployment_status and
 * last_deployment_date only, so nothing else may be required; the last two say nothing before the first deployment.
 */
export const serviceStatus = record({
  id: uuid,
  state: z.string(),
  service_deployment_status: text,
  last_deployment_date: date,
  is_part_last_deployment: flag,
  status_details: optional(record({ action: text, status: text, sub_action: text })),
  deployment_request_id: optional(uuid),
  deployment_requests_count: count,
  execution_id: text,
  steps: optional(record({ total_duration_sec: count, total_computing_duration_sec: count })),
});

export type ServiceStatus = z.output<typeof serviceStatus>;

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
