import { z } from "zod";

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
