import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform } from "fastify-type-provider-zod";

import { operations } from "../base/operations.ts";
import { isServed, versionPrefix } from "../request/matching.ts";
import type { Simulation } from "../request/simulation.ts";

/** The version in the platform's interface description. */
const interfaceVersion = "1.0.4";

/** Publishes the OpenAPI document of the current surface, without authentication, under both prefixes. */
export async function registerOpenApi(app: FastifyInstance, sim: Simulation): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Cloud Deployment Platform API (simulated)", version: interfaceVersion },
      components: {
        securitySchemes: {
          bearerAuth: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
          apiToken: { type: "apiKey", in: "header", name: "Authorization", description: "Token <API_TOKEN>" },
        },
      },
      security: [{ bearerAuth: [] }, { apiToken: [] }],
    },
    transform: jsonSchemaTransform,
  });
  for (const prefix of ["", versionPrefix]) {
    app.get(`${prefix}/openapi.json`, { schema: { hide: true } }, (_request, reply) => {
      const document = app.swagger();
      return reply.type("application/json; charset=utf-8").send(JSON.stringify(onlyServed(document, sim)));
    });
  }
}

function onlyServed<T extends { paths?: object }>(document: T, sim: Simulation): T {
  const served = new Set<string>(
    operations.filter((each) => isServed(each.surface, sim.settings.surface)).map((each) => each.id),
  );
  const paths: Record<string, object> = {};
  for (const [path, item] of Object.entries<object>({ ...document.paths })) {
    const methods = Object.entries<{ operationId?: string }>({ ...item });
    const shown = methods.filter(([, { operationId }]) => served.has(operationId ?? ""));
    if (shown.length > 0) paths[path] = Object.fromEntries(shown);
  }
  return { ...document, paths };
}
