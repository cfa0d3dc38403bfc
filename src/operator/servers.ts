/** Starts the servers, each on its own address: /metrics, the probes, the webhook receiver, the status page. */
import type { Registry } from "prom-client";

import type { Config } from "../config/config.ts";
import { startStatusPage, type StatusPageOptions } from "../console/page/server.ts";
import { serve, type BindAddress, type HttpServer, type Routes } from "../http/server.ts";
import type { Logger } from "../observability/logger.ts";
import { startReceiver, type ReceiverOptions } from "../webhooks/server.ts";

export interface ServersOptions {
  readonly config: Pick<
    Config,
    "metricsBindAddress" | "healthProbeBindAddress" | "webhookBindAddress" | "statusPageBindAddress"
  >;
  readonly registry: Registry;
  /** Why the operator is not ready, as text; undefined when it is. */
  readonly waitingFor: () => string | undefined;
  readonly receiver: ReceiverOptions;
  readonly statusPage: StatusPageOptions;
  readonly log: Logger;
}

/** Few: each may hold a whole answer, which has megabytes where metrics are per object. */
const METRICS_CONNECTIONS = 32;
/** As many as the kernel queues for one turn of the event loop: a probe among them is not ended before it is read. */
const HEALTH_CONNECTIONS = 512;

/** Starts the servers that have an address, and logs where they listen. @throws Error as `serve` */
export async function startServers(options: ServersOptions): Promise<readonly HttpServer[]> {
  const { config, registry, waitingFor, receiver, statusPage, log } = options;
  const wanted: readonly [
    name: string,
    at: BindAddress | undefined,
    begin: (at: BindAddress) => Promise<HttpServer>,
  ][] = [
    ["metrics", config.metricsBindAddress, (at) => serve(at, METRICS_CONNECTIONS, metricsRoutes(registry))],
    ["health", config.healthProbeBindAddress, (at) => serve(at, HEALTH_CONNECTIONS, healthRoutes(waitingFor))],
    ["webhook", config.webhookBindAddress, (at) => startReceiver(at, receiver)],
    ["status-page", config.statusPageBindAddress, (at) => startStatusPage(at, statusPage)],
  ];
  const started: HttpServer[] = [];
  try {
    for (const [name, at, begin] of wanted) {
      if (at === undefined) continue;
      const server = await begin(at);
      started.push(server);
      log.info("listening", { server: name, address: server.url });
    }
    return started;
  } catch (error) {
    await Promise.all(started.map((server) => server.stop()));
    throw error;
  }
}

function metricsRoutes(registry: Registry): Routes {
  return {
    "/metrics": async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
  };
}

/** /healthz answers 200 while the process runs, /readyz once the caches are filled, also without the lease. */
function healthRoutes(waitingFor: () => string | undefined): Routes {
  return {
    "/healthz": () => ({ status: 200, body: "ok\n" }),
    "/readyz": () => {
      const why = waitingFor();
      return why === undefined ? { status: 200, body: "ok\n" } : { status: 503, body: `not ready: ${why}\n` };
    },
  };
}
