import { fastify, type FastifyInstance } from "fastify";
import { z } from "zod";

import { registerJson, writeJson } from "../base/json.ts";
import { surfaces } from "../base/operations.ts";
import { Problem } from "../base/problems.ts";
import { changeSettings, SettingsChange } from "../base/settings.ts";
import { SwitchedOff } from "../base/switched-off.ts";
import { advance } from "../lifecycle/transitions.ts";
import { Fault } from "../request/faults.ts";
import type { CallEntry } from "../request/journal.ts";
import { Scope } from "../request/jwt.ts";
import type { Simulation } from "../request/simulation.ts";
import { putManifest, putTemplate } from "./catalog-inputs.ts";
import {
  addCluster,
  addForeignVariable,
  addService,
  ClusterInput,
  foreignCancel,
  foreignDeploy,
  scheduledStop,
  ServiceInput,
  VariableInput,
} from "./control.ts";
import { dumpWorld, editRecord, findRecord, removeRecord } from "./records.ts";

const IdPath = z.object({ id: z.string() });
const NamePath = z.object({ name: z.string() });
const TimeChange = z.object({
  speed: z.union([z.literal("instant"), z.number().positive()]).optional(),
  wallShiftSeconds: z.number().optional(),
});
const TokenInput = z.strictObject({
  name: z.string().min(1),
  scopes: z.array(Scope).min(1),
  organizationId: z.guid().optional(),
  value: z.string().min(1).optional(),
});
const TokenChange = z.strictObject({ scopes: z.array(Scope).optional(), expiresAt: z.coerce.date().nullish() });
const JwtInput = z.strictObject({
  subject: z.string().default("person"),
  scopes: z.array(Scope).default(["Admin"]),
  organizationId: z.guid().optional(),
  expiresInSeconds: z.number(),
});
const JournalQuery = z.object({
  since: z.coerce.number().int().default(0),
  is: z.enum(["call", "transition"]).optional(),
  operation: z.string().optional(),
});

/** A surface, and the operations of it that are switched off. */
const SurfaceChange = z.strictObject({
  surface: z.enum(surfaces).optional(),
  operations: SwitchedOff.default({}),
});

/** Handles one request and returns the body of the answer; undefined answers 204. */
type Handler = (input: { params: unknown; query: unknown; body: unknown }) => unknown;

/**
 * @param organizationId the default organization of new tokens and JWTs
 * @returns the control endpoint, not listening yet. It is for tests and the demo, and needs no token
 */
export function createControlServer(sim: Simulation, organizationId: string): FastifyInstance {
  const app = fastify();
  registerJson(app);
  app.setErrorHandler((error, _request, reply) => {
    const status = error instanceof Problem ? error.status : error instanceof z.ZodError ? 400 : 500;
    return reply.code(status).send({ message: error instanceof Error ? error.message : "unexpected failure" });
  });
  const handlers = { ...journalHandlers(sim), ...worldHandlers(sim), ...tokenHandlers(sim, organizationId) };
  for (const [route, handle] of Object.entries<Handler>(handlers)) {
    const [method = "GET", url = "/"] = route.split(" ");
    app.route({
      method,
      url,
      handler: (request, reply) => {
        advance(sim);
        const body = handle({ params: request.params, query: request.query, body: request.body });
        if (body === undefined) return reply.code(204).send();
        return reply.type("application/json; charset=utf-8").send(writeJson(body));
      },
    });
  }
  return app;
}

function journalHandlers(sim: Simulation): Record<string, Handler> {
  return {
    "GET /journal": ({ query }) => {
      const { since, is, operation } = JournalQuery.parse(query);
      return sim.journal.entries.filter(
        (entry) =>
          entry.seq > since &&
          (is === undefined || entry.is === is) &&
          (operation === undefined || (entry.is === "call" && isOperation(entry, operation))),
      );
    },
    "DELETE /journal": () => sim.journal.clear(),
    "GET /deliveries": () => sim.deliveries.list(),
    "DELETE /deliveries": () => sim.deliveries.clear(),
    "GET /faults": () => sim.faults.list(),
    "POST /faults": ({ body }) => sim.faults.add(Fault.parse(body)),
    "DELETE /faults": ({ query }) => sim.faults.clear(z.object({ name: z.string().optional() }).parse(query).name),
    "GET /settings": () => ({ ...sim.settings, speed: sim.time.speed() }),
    "PATCH /settings": ({ body }) => {
      const { speed, wallShiftSeconds, ...rest } = z.looseObject(TimeChange.shape).parse(body);
      changeSettings(sim.settings, SettingsChange.parse(rest));
      if (speed !== undefined) sim.time.setSpeed(speed);
      if (wallShiftSeconds !== undefined) sim.time.shiftWall(wallShiftSeconds);
      return { ...sim.settings, speed: sim.time.speed() };
    },
    "POST /surface": ({ body }) => {
      const { surface, operations } = SurfaceChange.parse(body);
      changeSettings(sim.settings, { ...(surface !== undefined && { surface }), switchedOff: operations });
      return { surface: sim.settings.surface, operations: sim.settings.switchedOff };
    },
    "POST /time/advance": ({ body }) => {
      sim.time.advance(z.object({ seconds: z.number().min(0) }).parse(body).seconds);
      advance(sim);
      return { virtualMs: sim.time.virtual() };
    },
  };
}

function isOperation(entry: CallEntry, operation: string): boolean {
  return entry.operation === operation;
}

function worldHandlers(sim: Simulation): Record<string, Handler> {
  return {
    "GET /world": () => dumpWorld(sim.world),
    "GET /records/:id": ({ params }) => findRecord(sim.world, IdPath.parse(params).id),
    "PATCH /records/:id": ({ params, body }) =>
      editRecord(sim, IdPath.parse(params).id, z.record(z.string(), z.unknown()).parse(body)),
    "DELETE /records/:id": ({ params }) => removeRecord(sim, IdPath.parse(params).id),
    "POST /services": ({ body }) => addService(sim, ServiceInput.parse(body)),
    "POST /services/:id/deploy": ({ params, body }) => ({
      requestId: foreignDeploy(sim, IdPath.parse(params).id, z.object({ commit: z.string() }).parse(body).commit),
    }),
    "POST /environments/:id/stop": ({ params }) => ({ stopped: scheduledStop(sim, IdPath.parse(params).id) }),
    "POST /requests/:id/cancel": ({ params }) => foreignCancel(sim, IdPath.parse(params).id),
    "POST /variables": ({ body }) => ({ id: addForeignVariable(sim, VariableInput.parse(body)).id }),
    "POST /clusters": ({ body }) => addCluster(sim, ClusterInput.parse(body)),
    "PUT /templates": ({ body }) => putTemplate(sim.world, body),
    "PUT /manifests": ({ body }) => putManifest(sim.world, body),
  };
}

function tokenHandlers(sim: Simulation, own: string): Record<string, Handler> {
  return {
    "GET /tokens": () =>
      sim.auth
        .tokens()
        .map(({ name, organizationId, scopes, expiresAt }) => ({ name, organizationId, scopes, expiresAt })),
    "POST /tokens": ({ body }) => {
      const { name, scopes, organizationId = own, value } = TokenInput.parse(body);
      return sim.auth.createToken({ name, scopes, organizationId, ...(value !== undefined && { value }) });
    },
    "PATCH /tokens/:name": ({ params, body }) => {
      const token = sim.auth.token(NamePath.parse(params).name);
      if (token === undefined) throw new Problem(404, "no such token");
      const { scopes, expiresAt } = TokenChange.parse(body);
      token.scopes = scopes ?? token.scopes;
      if (expiresAt !== undefined) token.expiresAt = expiresAt;
      return { name: token.name, scopes: token.scopes, expiresAt: token.expiresAt };
    },
    "DELETE /tokens/:name": ({ params }) => {
      if (!sim.auth.revoke(NamePath.parse(params).name)) throw new Problem(404, "no such token");
    },
    "POST /jwts": ({ body }) => {
      const { subject, scopes, organizationId = own, expiresInSeconds } = JwtInput.parse(body);
      return { token: sim.auth.issueJwt({ subject, scopes, organizationId }, expiresInSeconds) };
    },
  };
}
