/** The environment for tests of installations: a cluster, helm, a simulated platform, operators as processes. */
import { randomUUID } from "node:crypto";

import { afterAll, inject } from "vitest";

import type { Effect } from "../../simulator/request/journal.ts";
import { startSimulator } from "../../simulator/simulator.ts";
import { RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { WINDOWS_VARIABLE } from "../../src/config/config.ts";
import { OPERATOR } from "../../src/config/names.ts";
import type { ConnectedClient } from "../../src/kube/api/client.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import { kubectl } from "../control-plane/access.ts";
import { type AuditEvent, readAudit, serviceAccountUser } from "../control-plane/audit.ts";
import { type Cluster, cluster as clusterAt, clientAt } from "../support/env/cluster.ts";
import { quickstartIn } from "../support/env/manifests.ts";
import { type LogLine, type RunningOperator, startExactly } from "../support/env/operator.ts";
import { FAST } from "../support/env/stage.ts";
import { startCluster } from "./cluster.ts";
import { openHelm } from "./helm.ts";
import { commandOf, type Pod } from "./pod.ts";

/** The chart's values for tests: a platform on loopback, and short waits. */
export const FOR_TESTS = {
  operator: { allowInsecurePlatform: true, allowedPlatformHosts: ["127.0.0.1"] },
  extraEnv: [{ name: WINDOWS_VARIABLE, value: JSON.stringify(FAST) }],
};

/** Opens an environment until the tests of the file end. @throws Error when a part does not start */
export async function openEnv() {
  const cluster = await startCluster();
  const platform = await startSimulator({ surface: "full", speed: 100 });
  const client: ConnectedClient = clientAt(cluster.kubeconfigPath, "e2e");
  const operators: RunningOperator[] = [];
  const at = (namespace: string): Cluster => clusterAt(() => client, namespace);
  afterAll(async () => {
    await Promise.all(operators.map((operator) => operator.kill()));
    await client.close();
    await platform.close();
    await cluster.stop();
  });
  return {
    cluster,
    helm: await openHelm(cluster),
    platform,
    /** Runs kubectl as the cluster's admin. @param input for `-f -`. @returns its standard output */
    admin: (args: readonly string[], input?: string): Promise<string> =>
      kubectl(cluster, args, input === undefined ? {} : { input }),
    /** @returns a namespace, with the admin's rights */
    at,
    /** Runs the operator of a Pod; it is killed after the tests. */
    run: async (pod: Pod): Promise<RunningOperator> => {
      const operator = await startExactly(await commandOf(cluster, pod, inject("program")));
      operators.push(operator);
      return operator;
    },
    /** Applies examples/quickstart and waits until all of it is Ready. */
    quickstart: async (namespace: string): Promise<void> => {
      await at(namespace).ready(...quickstartIn(namespace, platform, false));
    },
    /** Waits until all of the quickstart is reconciled once more. */
    reconciledAgain: async (namespace: string): Promise<void> => {
      const token = randomUUID();
      for (const { kind, metadata } of quickstartIn(namespace, platform, false)) {
        if (kind === "Secret") continue;
        await at(namespace).annotate(kind, metadata.name, { [RECONCILE_REQUESTED_AT]: token });
        const echoed = ({ status }: KubeObject): boolean => JSON.stringify(status).includes(token);
        await at(namespace).waitFor(kind, metadata.name, echoed, 60_000);
      }
    },
    /** @returns all changes of the platform so far */
    effects: (): readonly Effect[] => platform.journal().flatMap((entry) => (entry.is === "call" ? entry.effects : [])),
    /**
     * @returns the operator's requests with a Pod's ServiceAccount that the API server refused
     * @throws Error when it made no request at all
     */
    refused: async ({ metadata, spec }: Pod): Promise<readonly AuditEvent[]> => {
      const user = serviceAccountUser(metadata.namespace, spec.serviceAccountName);
      // `check` uses the same ServiceAccount, also for rights that it does not need.
      const all = await readAudit(cluster.auditLogPath, user);
      const events = all.filter(({ userAgent }) => userAgent.startsWith(`${OPERATOR}/`));
      if (events.length === 0) throw new Error(`${user} made no request`);
      return events.filter(({ responseStatus }) => responseStatus?.code === 403);
    },
  };
}

/** @returns an operator's log lines with errors and refusals */
export function errorsOf(operator: RunningOperator): readonly LogLine[] {
  return operator.logs().filter((line) => line.level === "error" || JSON.stringify(line).includes("Forbidden"));
}
