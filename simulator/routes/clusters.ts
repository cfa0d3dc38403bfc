import { z } from "zod";

import { Problem } from "../base/problems.ts";
import { refusalOfAction, startCluster, type ClusterAction } from "../lifecycle/clusters.ts";
import type { Cluster, Fields } from "../model/world.ts";
import { checkOrganization, findCluster, findClusterOf } from "../request/lookups.ts";
import { showClusterStatus } from "../request/render.ts";
import { route, type Call } from "../request/route.ts";
import { ClusterStatus, DateTime, Id, listOf } from "../request/schemas.ts";

const OrganizationPath = z.object({ organizationId: Id });
const ClusterOfPath = z.object({ organizationId: Id, clusterId: Id });
/** The token's path has a plain string, so the name of a cluster is accepted too. */
const PlainPath = z.object({ clusterId: z.string().min(1) });
const Flag = z.enum(["true", "false"]).default("false");
const texts = z.string().optional();

export const clusterRoutes = [
  route({
    operation: "stopCluster",
    input: { params: ClusterOfPath },
    answer: ClusterStatus,
    handle: ({ params }, call) => act(call, findClusterOf(call, params.organizationId, params.clusterId), "stop"),
  }),
  route({
    operation: "deployCluster",
    input: { params: ClusterOfPath },
    answer: ClusterStatus,
    handle: ({ params }, call) => act(call, findClusterOf(call, params.organizationId, params.clusterId), "deploy"),
  }),
  route({
    operation: "upgradeCluster",
    input: { params: z.object({ clusterId: Id }) },
    answer: ClusterStatus,
    handle: ({ params }, call) => act(call, findCluster(call, params.clusterId), "upgrade"),
  }),
  route({
    operation: "getClusterStatus",
    input: { params: ClusterOfPath },
    answer: ClusterStatus,
    handle: ({ params }, call) => ({
      body: showClusterStatus(findClusterOf(call, params.organizationId, params.clusterId), call.sim.time.wall()),
    }),
  }),
  route({
    operation: "listClusters",
    input: { params: OrganizationPath },
    answer: listOf(z.looseObject({ id: Id, name: z.string(), region: z.string(), cloud_provider: z.string() })),
    handle({ params }, call) {
      checkOrganization(call, params.organizationId);
      const clusters = [...call.sim.world.clusters.values()];
      const own = clusters.filter((cluster) => cluster.organizationId === params.organizationId);
      return { body: { results: own.map(showCluster) } };
    },
  }),
  route({
    operation: "getClusterToken",
    input: { params: PlainPath, query: z.object({ read_only: Flag }) },
    answer: z.object({
      apiVersion: z.string(),
      kind: z.string(),
      spec: z.looseObject({}),
      status: z.object({ token: z.string(), expirationTimestamp: DateTime }),
    }),
    handle({ params, query }, call) {
      const cluster = findByIdOrName(call, params.clusterId);
      // The token is created in the cluster, so the cluster must be deployed.
      if (!cluster.deployed) throw new Problem(400, "The cluster is not deployed");
      const expires = new Date(call.sim.time.wall().getTime() + call.sim.settings.tokenLifeSeconds * 1000);
      const account = query.read_only === "true" ? "read-only" : "admin";
      return {
        body: {
          apiVersion: "client.authentication.k8s.io/v1",
          kind: "ExecCredential",
          spec: { interactive: false },
          status: {
            token: `simulated-${account}-${cluster.name}-${call.sim.ids.hex(16)}`,
            expirationTimestamp: expires.toISOString(),
          },
        },
      };
    },
  }),
  route({
    operation: "getClusterMetrics",
    input: {
      params: z.object({ clusterId: Id }),
      query: z.object({
        endpoint: z.string().min(1),
        query: z.string().min(1),
        start: texts,
        end: texts,
        step: texts,
        time: texts,
        timeout: texts,
        dedup: texts,
        range: texts,
        partial_response: texts,
        max_source_resolution: texts,
        engine: texts,
        analyze: texts,
        board_short_name: texts,
        metric_short_name: texts,
        trace_id: texts,
      }),
    },
    answer: z.object({ metrics: z.string() }),
    handle({ params, query }, call) {
      findCluster(call, params.clusterId);
      const at = call.sim.time.wall().getTime() / 1000;
      const result = [{ metric: { query: query.query }, value: [at, "1"] }];
      return { body: { metrics: JSON.stringify({ status: "success", data: { resultType: "vector", result } }) } };
    },
  }),
];

function act(call: Call, cluster: Cluster, action: ClusterAction): { body: Fields } {
  const refusal = refusalOfAction(cluster, action, call.sim.time.wall());
  if (refusal !== undefined) throw new Problem(refusal.status, refusal.message);
  startCluster(call.sim, cluster, action);
  call.effect(effectOf(cluster, action));
  return { body: showClusterStatus(cluster, call.sim.time.wall()) };
}

function effectOf(cluster: Cluster, action: ClusterAction): Parameters<Call["effect"]>[0] {
  if (action === "stop") return { stopped: cluster.id, request: null };
  if (action === "upgrade") return { upgraded: cluster.id };
  return { deployed: cluster.id, commit: null, request: null };
}

function findByIdOrName(call: Call, text: string): Cluster {
  const { organizationId } = call.principal;
  const named = [...call.sim.world.clusters.values()].find(
    (cluster) => cluster.organizationId === organizationId && cluster.name === text,
  );
  return named ?? findCluster(call, text);
}

function showCluster(cluster: Cluster): Fields {
  return {
    id: cluster.id,
    name: cluster.name,
    region: cluster.region,
    cloud_provider: cluster.cloudProvider,
    // The spelling of deployed services for who manages the cluster.
    kubernetes: cluster.mode === "PLATFORM_MANAGED" ? "MANAGED" : "SELF_MANAGED",
    version: cluster.version,
    status: cluster.state,
    deployment_status: cluster.deploymentStatus,
    created_at: cluster.createdAt,
    updated_at: cluster.updatedAt,
  };
}
