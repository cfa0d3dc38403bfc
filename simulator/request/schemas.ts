/** Schemas of requests and answers that several areas use. Bodies may have unknown members. */
import { z } from "zod";

import { clusterStates, serviceStates } from "../model/states.ts";

export const Id = z.guid();
export const DateTime = z.iso.datetime();
export const Name = z.string().trim().min(1).max(255);
export const Positive = z.int().positive();
export const Text = z.string().nullish();

/** @returns the schema of a list in an answer */
export function listOf(item: z.ZodType): z.ZodType {
  return z.object({ results: z.array(item) });
}

export const DeploymentState = z.enum(serviceStates);

export const ServiceStatus = z.object({
  id: Id,
  state: DeploymentState,
  service_deployment_status: z.enum(["NEVER_DEPLOYED", "OUT_OF_DATE", "UP_TO_DATE"]),
  is_part_last_deployment: z.boolean(),
  status_details: z.object({ action: z.string().optional(), status: z.string().optional(), sub_action: z.string() }),
  deployment_request_id: Id.nullable(),
  deployment_requests_count: z.int(),
  last_deployment_date: DateTime.nullish(),
  steps: z
    .object({
      total_duration_sec: z.int(),
      total_computing_duration_sec: z.int(),
      details: z.array(z.object({ duration_sec: z.int() })),
    })
    .optional(),
  execution_id: z.string().optional(),
});

export const ClusterStatus = z.object({
  cluster_id: Id,
  status: z.enum(clusterStates),
  is_deployed: z.boolean(),
  reason: z.enum(["UNSPECIFIED", "MAINTENANCE"]),
  next_k8s_available_version: z.string().nullish(),
  last_execution_id: z.string().nullish(),
  cluster_lock: z
    .object({
      reason: z.string(),
      cluster_id: Id,
      locked_at: DateTime,
      owner_name: z.string(),
      ttl_in_days: z.int().optional(),
    })
    .nullish(),
  last_deployment_date: DateTime.nullish(),
});

export const Project = z.object({
  id: Id,
  name: z.string(),
  description: z.string().nullable(),
  created_at: DateTime,
  updated_at: DateTime,
});

export const Environment = z.object({
  id: Id,
  name: z.string(),
  mode: z.string(),
  cluster_id: Id,
  created_at: DateTime,
  updated_at: DateTime.optional(),
});

export const Service = z.looseObject({ id: Id, name: z.string(), created_at: DateTime, updated_at: DateTime });

export const Variable = z.object({
  id: Id,
  key: z.string(),
  value: z.string().nullable(),
  scope: z.string().optional(),
  variable_type: z.string().optional(),
  created_at: DateTime,
  updated_at: DateTime,
});

export const Secret = z.looseObject({
  id: Id,
  key: z.string(),
  created_at: DateTime,
  updated_at: DateTime,
  service_id: Id.optional(),
  service_name: z.string().optional(),
  owned_by: z.string().optional(),
  description: z.string().nullish(),
  enable_interpolation_in_file: z.boolean().optional(),
});

export const Webhook = z.looseObject({
  id: Id,
  target_url: z.string(),
  events: z.array(z.string()),
  enabled: z.boolean(),
  created_at: DateTime,
  updated_at: DateTime,
});

/** No body at all. */
export const Nothing = z.undefined();
