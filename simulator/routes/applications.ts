import { z } from "zod";

import { Problem } from "../base/problems.ts";
import { createdNow, newService } from "../model/creation.ts";
import { markEdited } from "../model/state-changes.ts";
import { addBuiltIns } from "../model/variables.ts";
import { servicesOf, type Fields, type Service } from "../model/world.ts";
import { checkNameFree, findEnvironment, findService, listed } from "../request/lookups.ts";
import { safe } from "../request/masks.ts";
import { showService, showStatus } from "../request/render.ts";
import { route, type Call } from "../request/route.ts";
import {
  Id,
  listOf,
  Name,
  Nothing,
  Positive,
  Service as ServiceBody,
  ServiceStatus,
  Text,
} from "../request/schemas.ts";
import { requestAction, requestServiceDeletion } from "../request/service-actions.ts";

const EnvironmentPath = z.object({ environmentId: Id });
const ApplicationPath = z.object({ applicationId: Id });

const PortNumber = z.int().min(1).max(65_535);
const Port = z.looseObject({
  id: Id.optional(),
  internal_port: PortNumber,
  external_port: PortNumber.nullish(),
  protocol: z.enum(["HTTP", "GRPC", "TCP", "UDP"]).default("HTTP"),
  publicly_accessible: z.boolean().default(false),
});
const Disk = z.looseObject({
  id: Id.optional(),
  mount_point: z.string(),
  size: Positive,
  type: z.literal("FAST_SSD").optional(),
});
/** The body of a create or update; absent members get the platform's defaults in both. */
const Body = z
  .looseObject({
    name: Name,
    description: Text,
    git_repository: z.looseObject({ url: z.string().min(1), provider: z.string().optional(), branch: Text }).optional(),
    build_mode: z.literal("DOCKER").default("DOCKER"),
    dockerfile_path: Text,
    cpu: Positive.default(500),
    memory: Positive.default(512),
    min_running_instances: z.int().min(0).default(1),
    /** -1 is no limit. */
    max_running_instances: z.int().min(-1).default(1),
    ports: z.array(Port).default([]),
    storage: z.array(Disk).optional(),
    healthchecks: z.looseObject({}).optional(),
  })
  .refine((body) => body.max_running_instances === -1 || body.min_running_instances <= body.max_running_instances, {
    error: "min_running_instances is greater than max_running_instances",
  });

const KEEPS = safe(
  ...["name", "description", "git_repository", "build_mode", "dockerfile_path", "healthchecks", "ports"],
  ...["storage", "entrypoint", "arguments", "auto_deploy", "auto_preview"],
  ...["cpu", "memory", "min_running_instances", "max_running_instances"],
);

export const applicationRoutes = [
  route({
    operation: "createApplication",
    keeps: KEEPS,
    input: { params: EnvironmentPath, body: Body },
    answer: ServiceBody,
    handle({ params, body }, call) {
      const environment = findEnvironment(call, params.environmentId);
      checkNameFree(call, "application", body.name, applicationsOf(call, environment.id));
      const service = newService(call.sim, environment, "application", body.name, settingsOf(call, body));
      addBuiltIns(call.sim, service);
      call.effect({ created: service.id });
      return { body: showService(call.sim, service) };
    },
  }),
  route({
    operation: "listApplications",
    input: { params: EnvironmentPath },
    answer: listOf(ServiceBody),
    handle({ params }, call) {
      const environment = findEnvironment(call, params.environmentId);
      const applications = listed(call, applicationsOf(call, environment.id));
      return { body: { results: applications.map((service) => showService(call.sim, service)) } };
    },
  }),
  route({
    operation: "getApplication",
    input: { params: ApplicationPath },
    answer: ServiceBody,
    handle: ({ params }, call) => ({ body: showService(call.sim, find(call, params.applicationId)) }),
  }),
  route({
    operation: "updateApplication",
    keeps: KEEPS,
    input: { params: ApplicationPath, body: Body },
    answer: ServiceBody,
    handle({ params, body }, call) {
      const service = find(call, params.applicationId);
      checkNameFree(call, "application", body.name, applicationsOf(call, service.environmentId), service.id);
      service.name = body.name;
      service.settings = settingsOf(call, body);
      service.updatedAt = createdNow(call.sim).updatedAt;
      markEdited(service);
      call.effect({ updated: service.id });
      return { body: showService(call.sim, service) };
    },
  }),
  route({
    operation: "deleteApplication",
    input: { params: ApplicationPath },
    answer: Nothing,
    handle({ params }, call) {
      requestServiceDeletion(call, find(call, params.applicationId));
      return {};
    },
  }),
  route({
    operation: "deployApplication",
    keeps: safe("git_commit_id"),
    input: {
      params: ApplicationPath,
      body: z.object({ git_commit_id: z.string().regex(/^[0-9a-f]{7,64}$/i, "is no commit id") }),
    },
    answer: ServiceStatus,
    handle: ({ params, body }, call) => ({
      body: requestAction(call, find(call, params.applicationId), "deploy", body.git_commit_id),
    }),
  }),
  route({
    operation: "stopApplication",
    input: { params: ApplicationPath },
    answer: ServiceStatus,
    handle: ({ params }, call) => ({ body: requestAction(call, find(call, params.applicationId), "stop", null) }),
  }),
  route({
    operation: "restartApplication",
    input: { params: ApplicationPath },
    answer: ServiceStatus,
    handle: ({ params }, call) => ({ body: requestAction(call, find(call, params.applicationId), "restart", null) }),
  }),
  route({
    operation: "getApplicationStatus",
    input: { params: ApplicationPath },
    answer: ServiceStatus,
    handle({ params }, call) {
      const status = showStatus(call.sim, find(call, params.applicationId));
      if (call.sim.settings.profile.applicationStatus === "whole") {
        return { body: { ...status, last_deployment_date: status["last_deployment_date"] ?? null } };
      }
      const { id, state, service_deployment_status, last_deployment_date } = status;
      return { body: { id, state, service_deployment_status, last_deployment_date: last_deployment_date ?? null } };
    },
  }),
  route({
    operation: "listApplicationLog",
    input: { params: ApplicationPath, query: z.object({ tail: z.coerce.number().int().min(0).default(1000) }) },
    answer: listOf(z.object({ id: Id, created_at: z.string(), message: z.string() })),
    handle({ params, query }, call) {
      const { log } = find(call, params.applicationId);
      const lines = query.tail === 0 ? [] : log.slice(-Math.min(query.tail, 1000));
      return { body: { results: lines.map(({ id, createdAt, message }) => ({ id, created_at: createdAt, message })) } };
    },
  }),
];

function find(call: Call, id: string): Service {
  return findService(call, id, "application");
}

function applicationsOf(call: Call, environmentId: string): Service[] {
  return servicesOf(call.sim.world, environmentId).filter((service) => service.kind === "application");
}

/** Returns a body's settings. Deployed services require undocumented members, give ports ids, and reorder ports. */
function settingsOf(call: Call, creation: z.output<typeof Body>): Fields {
  const { name: _, ...body } = creation;
  if (call.sim.settings.profile.records === "seed") return body;
  if (body.healthchecks === undefined) throw new Problem(400, "healthchecks is required, {} will do");
  if (body.git_repository === undefined) throw new Problem(400, "git_repository is required");
  if (body.git_repository.provider === undefined) throw new Problem(400, "git_repository.provider is required");
  const ports = body.ports.map((port) => ({ ...port, id: port.id ?? call.sim.ids.uuid() }));
  const storage = body.storage?.map((disk) => ({ ...disk, id: disk.id ?? call.sim.ids.uuid() }));
  return {
    ...body,
    ...(storage !== undefined && { storage }),
    description: body.description ?? "",
    ports: ports.toSorted((a, b) => b.internal_port - a.internal_port),
  };
}
