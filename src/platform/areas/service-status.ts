import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { write } from "../client/endpoints.ts";
import { ignoredBody, json } from "../codec/decode.ts";
import { encodeWith } from "../codec/encode.ts";
import { optional, pathId, record, wellShaped } from "../codec/schema.ts";

/** One step of a deployment; the spec shows its duration alone. */
const deploymentStep = record({ step_name: optional.text, status: optional.text, duration_sec: optional.number });

/**
 * The state of one service. The spec shows an application's status with id, state, service_deployment_status and
 * last_deployment_date only, so nothing else may be required; the last two say nothing before the first deployment.
 */
export const serviceStatus = record({
  id: pathId,
  state: z.string(),
  service_deployment_status: optional.text,
  last_deployment_date: optional.date,
  is_part_last_deployment: optional.flag,
  status_details: optional.of(record({ action: optional.text, status: optional.text, sub_action: optional.text })),
  deployment_request_id: optional.of(pathId),
  deployment_requests_count: optional.number,
  execution_id: optional.text,
  steps: optional.of(
    record({
      total_duration_sec: optional.number,
      total_computing_duration_sec: optional.number,
      details: optional.of(wellShaped(deploymentStep)),
    }),
  ),
});

export type ServiceStatus = z.output<typeof serviceStatus>;

/** The whole API does not promise a status. */
const deployment = record({
  deployment_request_id: optional.text,
  environment_id: optional.text,
  status: optional.text,
});

const statusQuery = z.object({ deploymentRequestId: pathId });

/** How far one deployment request is; `status` is a deployment state. */
export type Deployment = z.output<typeof deployment> & { readonly status: string };

/** @returns the operations on one deployment request; each function throws ApiError */
export function deployments(caller: Caller) {
  return {
    /**
     * Returns the status of one request, independent of later requests for the same service; undefined where the answer
     * has none.
     */
    status: async (deploymentRequestId: string): Promise<Deployment | undefined> => {
      const { status, ...answer } = await caller.fetch("getDeploymentStatus", [], {
        query: encodeWith(statusQuery, { deploymentRequestId }),
        answer: json(deployment),
      });
      return status === undefined ? undefined : { ...answer, status };
    },
    /** Cancels one request with everything that it deploys; a 409 where it has ended or is being canceled. */
    cancel: write(caller, "cancelDeployment", ignoredBody),
  };
}
