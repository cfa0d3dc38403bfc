/** The namespaces and rights of one operator on a control plane, and how it is started there. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";

import { inject } from "vitest";

import { DEADLINES_VARIABLE, WINDOWS_VARIABLE } from "../../../src/config/config.ts";
import type { Windows } from "../../../src/engine/contract/windows.ts";
import type { Deadlines } from "../../../src/platform/client/caller.ts";
import { type Endpoint, kubeconfigOf } from "../../control-plane/access.ts";
import type { ControlPlaneFacts } from "../../control-plane/control-plane.ts";
import { type Cluster, cluster, clientAt, createNamespace } from "./cluster.ts";
import { type RunningOperator, startOperator } from "./operator.ts";
import { grantRights } from "./rights.ts";

export const FAST: Partial<Windows> = {
  landingMs: 1_500,
  absenceMs: 1_000,
  deferMs: 3_000,
  graceMs: 1_000,
  firstLookMs: 300,
  pollMs: 800,
  followMinMs: 50,
  followMaxMs: 300,
  backoffMinMs: 50,
  backoffMaxMs: 1_000,
  releaseMs: 2_000,
  releaseSoonMs: 2_000,
};

export interface StageOptions {
  /** Engine times other than FAST, in milliseconds. */
  readonly windows?: Partial<Windows>;
  /** Deadlines of calls of the platform other than the real ones, in milliseconds. */
  readonly deadlines?: Partial<Deadlines>;
  /** The memory limit of the operator's container, in MiB; none by default. */
  readonly memoryMiB?: number;
  /** Further flags of the operator. */
  readonly args?: readonly string[];
  /** Further namespaces that it watches, by suffix: "b" is `${env.namespace}-b`. */
  readonly more?: readonly string[];
  /** Whether its rights are Roles in the watched namespaces, as with the chart's value watchNamespaces. */
  readonly limited?: boolean;
  /** The test's own control plane if it changes it; the shared one by default. */
  readonly controlPlane?: ControlPlaneFacts;
}

/**
 * Names the namespaces of an operator and connects to their control plane; `open` creates them.
 * @param prefix of the names of the watched namespaces
 */
export function createStage(prefix: string, options: StageOptions) {
  const { windows, deadlines, more = [], controlPlane, memoryMiB, limited = false } = options;
  const facts = controlPlane ?? inject("controlPlane");
  const id = randomUUID().slice(0, 8);
  const namespace = `${prefix}-${id}`;
  // The rights of an operator that is limited to namespaces are not those of test/afterwards/rights.test.ts.
  const operatorNamespace = `${limited ? "limited-" : ""}operator-${id}`;
  const namespaces = [namespace, ...more.map((suffix) => `${namespace}-${suffix}`)];
  const client = clientAt(facts.kubeconfigPath, prefix);
  const within = (name: string): Cluster => cluster(() => client, name);
  let kubeconfig = "";
  return {
    facts,
    namespace,
    operatorNamespace,
    namespaces,
    /** A client with the cluster admin's rights. */
    client,
    within,
    /** A further namespace by its suffix in `StageOptions.more`. */
    at: (suffix: string) => ({ ...within(`${namespace}-${suffix}`), namespace: `${namespace}-${suffix}` }),
    /**
     * Creates the namespaces, and the operator's user with its rights.
     * @param through the address at which the operator reaches the API server, e.g. a proxy's; its own by default
     */
    open: async (through?: Endpoint): Promise<void> => {
      for (const name of [operatorNamespace, ...namespaces]) await createNamespace(client, name);
      const token = await grantRights(client, operatorNamespace, limited ? namespaces : undefined);
      kubeconfig = await kubeconfigOf(facts, operatorNamespace, token, through);
    },
    /** Starts a process of the operator, after `open`. */
    start: (args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<RunningOperator> => {
      const ownArgs = [
        `--watch-namespaces=${namespaces.join(",")}`,
        `--operator-namespace=${operatorNamespace}`,
        "--allow-insecure-platform",
        "--allowed-platform-hosts=127.0.0.1",
      ];
      const env = {
        [WINDOWS_VARIABLE]: JSON.stringify({ ...FAST, ...windows }),
        [DEADLINES_VARIABLE]: JSON.stringify(deadlines ?? {}),
        // Later starts take half the time of the first one.
        NODE_COMPILE_CACHE: join(facts.dir, "compile-cache"),
        ...variables,
      };
      const all = [...ownArgs, ...args];
      const limit = memoryMiB === undefined ? {} : { memoryMiB };
      return startOperator({ program: inject("program"), kubeconfig, args: all, env, ...limit });
    },
  };
}
