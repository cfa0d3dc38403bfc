import { z } from "zod";

import { Problem } from "../base/problems.ts";
import { createdNow, newService } from "../model/creation.ts";
import { markEdited } from "../model/state-changes.ts";
import { servicesOf, type Service } from "../model/world.ts";
import { checkNameFree, findEnvironment, findService, listed } from "../request/lookups.ts";
import { safe } from "../request/masks.ts";
import { showService } from "../request/render.ts";
import { route, type Call } from "../request/route.ts";
import { Id, listOf, Name, Nothing, Positive, Service as ServiceBody, ServiceStatus } from "../request/schemas.ts";
import { requestAction, requestServiceDeletion } from "../request/service-actions.ts";

const EnvironmentPath = z.object({ environmentId: Id });
const DatabasePath = z.object({ databaseId: Id });

const sizes = {
  version: z.string().min(1),
  accessibility: z.enum(["PRIVATE", "PUBLIC"]).default("PRIVATE"),
  cpu: Positive.default(250),
  memory: Positive.default(256),
  storage: Positive.default(10),
  instance_type: z.string().optional(),
  disk_type: z.enum(["gp2", "gp3"]).optional(),
};
const Creation = z.looseObject({
  name: Name,
  type: z.enum(["MONGODB", "MYSQL", "POSTGRESQL", "REDIS"]),
  mode: z.enum(["CONTAINER", "MANAGED"]),
  ...sizes,
});
/** The body of an update: type and mode cannot change. */
const Update = z.looseObject({ ...sizes, name: Name.optional(), version: sizes.version.optional() });

const PORTS: Readonly<Record<string, number>> = { MONGODB: 27_017, MYSQL: 3306, POSTGRESQL: 5432, REDIS: 6379 };

const KEEPS = safe(
  "name",
  "type",
  "mode",
  "version",
  "accessibility",
  "cpu",
  "memory",
  "storage",
  "instance_type",
  "disk_type",
);

export const databaseRoutes = [
  route({
    operation: "createDatabase",
    keeps: KEEPS,
    input: { params: EnvironmentPath, body: Creation },
    answer: ServiceBody,
    handle({ params, body }, call) {
      const environment = findEnvironment(call, params.environmentId);
      const { name, ...settings } = body;
      checkNameFree(call, "database", name, databasesOf(call, environment.id));
      const service = newService(call.sim, environment, "database", name, settings);
      call.effect({ created: service.id });
      return { body: showService(call.sim, service) };
    },
  }),
  route({
    operation: "listDatabases",
    input: { params: EnvironmentPath },
    answer: listOf(ServiceBody),
    handle({ params }, call) {
      const environment = findEnvironment(call, params.environmentId);
      const databases = listed(call, databasesOf(call, environment.id));
      return { body: { results: databases.map((service) => showService(call.sim, service)) } };
    },
  }),
  route({
    operation: "getDatabase",
    input: { params: DatabasePath },
    answer: ServiceBody,
    handle: ({ params }, call) => ({ body: showService(call.sim, find(call, params.databaseId)) }),
  }),
  route({
    operation: "getDatabaseCredentials",
    input: { params: DatabasePath },
    answer: z.object({ host: z.string(), port: z.number(), login: z.string(), password: z.string() }),
    handle({ params }, call) {
      const { id, settings } = find(call, params.databaseId);
      const host = `${String(settings["type"]).toLowerCase()}-${id.slice(0, 8)}.internal.example.com`;
      return {
        body: {
          host,
          port: PORTS[String(settings["type"])] ?? 5432,
          login: `login-${id.slice(0, 8)}`,
          password: `p4ss-of-${id}`,
        },
      };
    },
  }),
  route({
    operation: "updateDatabase",
    keeps: KEEPS,
    input: { params: DatabasePath, body: Update },
    answer: ServiceBody,
    handle({ params, body }, call) {
      const service = find(call, params.databaseId);
      const { name = service.name, version = service.settings["version"], type: _t, mode: _m, ...settings } = body;
      checkNameFree(call, "database", name, databasesOf(call, service.environmentId), service.id);
      if (settings.storage < Number(service.settings["storage"])) throw new Problem(400, "storage cannot shrink");
      const { type, mode } = service.settings;
      service.name = name;
      service.settings = { ...settings, version, type, mode };
      service.updatedAt = createdNow(call.sim).updatedAt;
      markEdited(service);
      call.effect({ updated: service.id });
      return { body: showService(call.sim, service) };
    },
  }),
  route({
    operation: "deleteDatabase",
    input: { params: DatabasePath },
    answer: Nothing,
    handle({ params }, call) {
      requestServiceDeletion(call, find(call, params.databaseId));
      return {};
    },
  }),
  route({
    operation: "deployDatabase",
    input: { params: DatabasePath },
    answer: ServiceStatus,
    handle: ({ params }, call) => ({ body: requestAction(call, find(call, params.databaseId), "deploy", null) }),
  }),
  route({
    operation: "stopDatabase",
    input: { params: DatabasePath },
    answer: ServiceStatus,
    handle({ params }, call) {
      const service = find(call, params.databaseId);
      checkStoppable(call, service);
      return { body: requestAction(call, service, "stop", null) };
    },
  }),
];

function find(call: Call, id: string): Service {
  return findService(call, id, "database");
}

function databasesOf(call: Call, environmentId: string): Service[] {
  return servicesOf(call.sim.world, environmentId).filter((service) => service.kind === "database");
}

/** Refuses to stop managed databases outside of AWS, and managed Redis. */
function checkStoppable(call: Call, { environmentId, settings }: Service): void {
  if (settings["mode"] !== "MANAGED") return;
  const cluster = call.sim.world.clusters.get(findEnvironment(call, environmentId).clusterId);
  if (cluster?.cloudProvider === "AWS" && settings["type"] !== "REDIS") return;
  throw new Problem(400, "This managed database cannot be stopped");
}
