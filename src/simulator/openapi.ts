import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform } from "fastify-type-provider-zod";

import { isServed, versionPrefix } from "./matching.ts";
import { operations } from "./operations.ts";
import type { Simulation } from "./simulation.ts";

/** The version that the platform's interface description carries. */
const interfaceVersion = "1.0.4";

/** Publishes the OpenAPI document of the surface that is switched on, without authentication, under both prefixes. */
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
  const paths = Object.entries(document.paths ?? {}).flatMap(([path, item]: [string, object]) => {
    const methods = Object.entries(item).filter(([, operation]: [string, { operationId?: string }]) =>
      served.has(operation.operationId ?? ""),
    );
    return methods.length > 0 ? [[path, Object.fromEntries(methods)]] : [];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}
