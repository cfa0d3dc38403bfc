import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";

import { registerJson, writeJson } from "../base/json.ts";
import { operationOf } from "../base/operations.ts";
import { Problem, refusalBody } from "../base/problems.ts";
import { checkedAs } from "../base/settings.ts";
import { requireScope } from "../request/auth.ts";
import type { CallEntry } from "../request/journal.ts";
import { versionPrefix } from "../request/matching.ts";
import type { Result, Route } from "../request/route.ts";
import type { Simulation } from "../request/simulation.ts";
import { routes } from "../routes/index.ts";
import { checkDocumentedBody, checkFullBody } from "./bodies.ts";
import { registerOpenApi } from "./openapi.ts";

/** A request as it came over the wire. */
export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A whole answer, before it goes over the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The platform's logic behind HTTP: authentication, rate limit, scopes, operations. */
export interface App {
  exchange(request: WireRequest, entry: CallEntry): Promise<WireAnswer>;
  close(): Promise<void>;
}

/** Names the journal entry of a request to the app; it replaces such a header of an external request. */
const entryHeader = "x-simulator-entry";

/** @returns the app with every operation under both prefixes, and the OpenAPI document at /openapi.json. */
export async function createApp(sim: Simulation): Promise<App> {
  const app = fastify({ bodyLimit: 8 * 1024 * 1024, exposeHeadRoutes: false });
  const entries = new Map<string, CallEntry>();
  registerJson(app);
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (body) => JSON.stringify(body));
  app.setErrorHandler((error, _request, reply) => sendProblem(sim, reply, asProblem(error)));
  await registerOpenApi(app, sim);
  for (const prefix of ["", versionPrefix]) {
    for (const route of routes) register(app, sim, prefix, route, entries);
  }
  await app.ready();

  return {
    async exchange(request, entry) {
      const key = String(entry.seq);
      entries.set(key, entry);
      const answer = await app.inject({
        method: methodOf(request.method),
        url: request.url,
        headers: { ...request.headers, [entryHeader]: key },
        ...(request.body.length > 0 ? { payload: request.body } : {}),
      });
      entries.delete(key);
      entry.status = answer.statusCode;
      return { status: answer.statusCode, headers: texts(answer.headers), body: answer.rawPayload };
    },
    close: () => app.close(),
  };
}

function register(
  app: FastifyInstance,
  sim: Simulation,
  prefix: string,
  route: Route,
  entries: ReadonlyMap<string, CallEntry>,
): void {
  const id = route.operation;
  const { method, path, needs, publicStatus } = operationOf(id);
  const entryOf = (request: FastifyRequest): CallEntry | undefined => entries.get(String(request.headers[entryHeader]));

  app.route({
    method,
    url: prefix + path.replaceAll(/\{(\w+)\}/g, ":$1"),
    schema: {
      operationId: id,
      hide: prefix !== "",
      ...(route.input.params && { params: route.input.params }),
      ...(route.input.query && { querystring: route.input.query }),
      ...(route.input.body && { body: route.input.body }),
      response: { 200: route.answer },
    },
    onRequest: async (request, reply) => {
      const principal = sim.auth.identify(request.headers.authorization, id);
      const entry = entryOf(request);
      if (entry !== undefined) entry.principal = principal.name;
      if (sim.settings.rate !== null) {
        const { allowed, headers } = sim.rate.take(principal.name, sim.settings.rate);
        reply.headers(headers);
        if (!allowed) throw new Problem(429, "Rate limit exceeded");
      }
      requireScope(principal, needs);
    },
    handler: (request, reply) => {
      const principal = sim.auth.identify(request.headers.authorization, id);
      const surface = checkedAs(sim.settings);
      if (surface === "documented") checkDocumentedBody(id, request.body);
      if (surface === "full") checkFullBody(id, request.body);
      const result = route.handle(
        { params: request.params, query: request.query, body: request.body ?? undefined },
        { sim, principal, effect: (effect) => entryOf(request)?.effects.push(effect) },
      );
      const byProfile = sim.settings.profile.statusCodes === "public" || publicStatus === 204;
      return send(reply, byProfile ? (result.publicStatus ?? publicStatus) : 200, result);
    },
  });
}

function send(reply: FastifyReply, status: number, { body, text }: Result): FastifyReply {
  reply.code(status);
  if (body === undefined) return reply.send();
  if (text === true) return reply.type("text/plain; charset=utf-8").send(body);
  return reply.type("application/json; charset=utf-8").send(writeJson(body));
}

function sendProblem(sim: Simulation, reply: FastifyReply, problem: Problem): FastifyReply {
  const { errorText, rejections } = sim.settings.profile;
  const body = refusalBody(problem, errorText, rejections);
  return reply.code(problem.status).type("application/json; charset=utf-8").send(JSON.stringify(body));
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const status =
    error instanceof Error && "statusCode" in error && typeof error.statusCode === "number" ? error.statusCode : 500;
  return new Problem(status, error instanceof Error ? error.message : "Unexpected failure");
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

function methodOf(method: string): (typeof METHODS)[number] {
  const known = METHODS.find((one) => one === method);
  if (known !== undefined) return known;
  throw new Error(`no operation takes ${method}`);
}

/** Headers that belong to a connection, not to an answer. */
const hopByHop: ReadonlySet<string> = new Set(["connection", "transfer-encoding", "keep-alive"]);

function texts(headers: Readonly<Record<string, string | string[] | number | undefined>>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !hopByHop.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
