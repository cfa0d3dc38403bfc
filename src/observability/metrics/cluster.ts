/** rest_client_* and leader_election_*, with the names and labels of controller-runtime (pkg/metrics). */
import { Counter, Gauge, type Registry } from "prom-client";

import type { EndedRequest } from "../../kube/api/client.ts";

export interface ClusterMetrics {
  /** A request to the API server. */
  readonly requested: (request: EndedRequest) => void;
  /** Counts a failed attempt to get or renew the lease. */
  readonly leaseFailed: () => void;
}

/** @param lease its name @param leading is called at each scrape */
export function clusterMetrics(registry: Registry, lease: string, leading: () => boolean): ClusterMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: "rest_client_requests_total",
    help: "Number of HTTP requests, partitioned by status code, method, and host.",
    labelNames: ["code", "method", "host"],
    registers,
  });
  const status = new Gauge({
    name: "leader_election_master_status",
    help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.",
    labelNames: ["name"],
    registers,
    collect: () => {
      status.set({ name: lease }, leading() ? 1 : 0);
    },
  });
  const slow = new Counter({
    name: "leader_election_slowpath_total",
    help: "Total number of slow path exercised in renewing leader leases. 'name' is the string used to identify the lease. Please make sure to group by name.",
    labelNames: ["name"],
    registers,
  });
  slow.inc({ name: lease }, 0);
  return {
    requested: ({ code, method, host }) => {
      requests.inc({ code, method, host });
    },
    leaseFailed: () => {
      slow.inc({ name: lease });
    },
  };
}
