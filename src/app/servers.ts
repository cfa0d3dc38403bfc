/** What is served: /metrics on one address, the probes on another. */
import type { Registry } from "prom-client";

import type { Config } from "./config.ts";
import { serve, type HttpServer, type Routes } from "./http.ts";
import type { Logger } from "./logger.ts";

export interface ServersOptions {
  readonly config: Pick<Config, "metricsAddress" | "healthAddress">;
  readonly registry: Registry;
  /** What keeps the operator from being ready, in words; undefined when it is. */
  readonly waitingFor: () => string | undefined;
  readonly log: Logger;
}

/** Starts the servers that have an address; each says in the log where it listens. @throws Error as `serve` */
export async function startServers({
  config,
  registry,
  waitingFor,
  log,
}: ServersOptions): Promise<readonly HttpServer[]> {
  const wanted = [
    { name: "metrics", address: config.metricsAddress, routes: metricsRoutes(registry) },
    { name: "health", address: config.healthAddress, routes: healthRoutes(waitingFor) },
  ];
  const started: HttpServer[] = [];
  try {
    for (const { name, address, routes } of wanted) {
      if (address === undefined) continue;
      const server = await serve(address, routes);
      started.push(server);
      log.info("listening", { server: name, address: server.url });
    }
    return started;
  } catch (error) {
    await Promise.all(started.map((server) => server.stop()));
    throw error;
  }
}

/** /metrics in the text format of Prometheus. */
export function metricsRoutes(registry: Registry): Routes {
  return {
    "/metrics": async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
  };
}

/** /healthz: the process answers. /readyz: the caches are filled, whether it leads or not. */
export function healthRoutes(waitingFor: () => string | undefined): Routes {
  return {
    "/healthz": () => ({ status: 200, body: "ok\n" }),
    "/readyz": () => {
      const why = waitingFor();
      return why === undefined ? { status: 200, body: "ok\n" } : { status: 503, body: `not ready: ${why}\n` };
    },
  };
}
