import { onTestFinished } from "vitest";

import type { Surface } from "../../../simulator/base/operations.ts";
import type { CallEntry } from "../../../simulator/request/journal.ts";
import { startSimulator, type Simulator } from "../../../simulator/simulator.ts";
import { conditionOf } from "../../../src/engine/contract/status.ts";
import type { Bound } from "../../../src/engine/reconcile/bind.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import { createRedactor } from "../../../src/observability/secrets.ts";
import { boundKinds, CONNECTION_KINDS } from "../../../src/operator/config/kinds.ts";
import { createPlatforms } from "../../../src/operator/platforms.ts";
import { DEFAULT_DEADLINES, type Deadlines } from "../../../src/platform/client/caller.ts";
import type { Platform } from "../../../src/platform/index.ts";
import { drawn, engineHarness, impatient, type Harness } from "../engine/harness.ts";
import type { Manifest } from "../env/cluster.ts";
import { TEAM } from "../kube/api-server.ts";
import { manualClock, type ManualClock } from "../kube/clock.ts";
import { callsIn, isChange } from "./change-log.ts";
import { memoryOrphans } from "./orphans.ts";

export type OperatorEnv = Awaited<ReturnType<typeof operatorEnv>>;

interface OperatorEnvOptions {
  readonly surface?: Surface;
  /** In real milliseconds, because sockets use real time. */
  readonly deadlines?: Partial<Deadlines>;
  /** The uid of kube-system; "installation-1" by default. */
  readonly installation?: string;
  /** Another operator whose platform and clock this one shares. Each runs its own work. */
  readonly beside?: { readonly clock: ManualClock; readonly platform: Simulator };
  /** The kinds that it reconciles; the operator's own by default. */
  readonly kinds?: () => readonly Bound<Platform>[];
}

/**
 * Starts the whole operator except its Kubernetes side: every kind, the engine with its real times, the HTTP client and
 * a simulated platform at its usual speed, with a cluster in memory. The clock is manual, so hours take only as long as
 * their calls. It ends with the current test.
 */
export async function operatorEnv({
  surface = "full",
  deadlines = {},
  installation = "installation-1",
  beside,
  kinds = boundKinds,
}: OperatorEnvOptions = {}) {
  const clock = beside?.clock ?? manualClock();
  const startedAt = clock.now().getTime();
  const platform = beside?.platform ?? (await startSimulator({ surface, clock, seed: "operator bench" }));
  const random = drawn();
  const harness = engineHarness<Platform>({
    clock,
    random,
    kinds,
    connectionKinds: CONNECTION_KINDS,
    // All objects are in this namespace, also the Secrets of cluster-scoped connections.
    operatorNamespace: TEAM,
    process: () => {
      const { connect } = createPlatforms({
        config: {
          allowedPlatformHosts: ["127.0.0.1"],
          allowInsecurePlatform: true,
          deadlines: { ...DEFAULT_DEADLINES, ...deadlines },
        },
        version: "0.0.0",
        clock: impatient(clock),
        random,
        redactor: createRedactor(),
        onCall: () => {},
      });
      return { connect, orphans: memoryOrphans(clock), installation };
    },
  });
  harness.restart();
  onTestFinished(async () => {
    await harness.engine.connections.closeAll();
    if (beside === undefined) await platform.close();
  });

  const { cluster } = harness;
  const calls = (since?: number): readonly CallEntry[] => callsIn(platform.journal(), since);

  const restart = harness.restart.bind(harness);
  return Object.assign(harness as Omit<Harness<Platform>, "restart">, {
    platform,
    /** Creates objects or changes their specs, like a user's apply. */
    apply: (...manifests: readonly Manifest[]): void => {
      for (const manifest of manifests) cluster.apply(manifest);
    },
    /** Starts a new process with the same cluster and platform; the old one never continues. */
    restart: async (): Promise<void> => {
      harness.kill();
      await harness.engine.connections.closeAll();
      restart();
    },
    get: (kind: string, name: string): KubeObject => cluster.get(kind, name),
    /** The condition as "True/Available"; "" without such a condition. */
    condition: (kind: string, name: string, type = "Ready"): string => {
      const found = conditionOf(cluster.get(kind, name), type);
      return found === undefined ? "" : `${found.status}/${found.reason}`;
    },
    /** All conditions of an object on one line. */
    summary: (kind: string, name: string): string => harness.conditions(kind, name).join(" "),
    /** Calls that arrived at the platform, oldest first. @param since a result of `baseline()` */
    calls,
    /** The operations of calls that ask for a change, refused ones included. @param since a result of `baseline()` */
    writes: (since?: number): readonly string[] =>
      calls(since)
        .filter(isChange)
        .map(({ operation }) => operation ?? ""),
    /** The number of the last call so far. */
    baseline: (): number => platform.journal().at(-1)?.seq ?? 0,
    /** When a call arrived, in milliseconds since the start. */
    at: (call: CallEntry): number => Date.parse(call.at) - startedAt,
  });
}
