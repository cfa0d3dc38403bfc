import { onTestFinished } from "vitest";

import type { Surface } from "../../../simulator/base/operations.ts";
import type { CallEntry } from "../../../simulator/request/journal.ts";
import { startSimulator, type Simulator } from "../../../simulator/simulator.ts";
import { conditionOf } from "../../../src/engine/contract/status.ts";
import type { Bound } from "../../../src/engine/reconcile/engine.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import { createRedactor } from "../../../src/observability/secrets.ts";
import { boundKinds, CONNECTION_KINDS } from "../../../src/operator/config/kinds.ts";
import { createPlatforms } from "../../../src/operator/platforms.ts";
import { DEFAULT_DEADLINES, type Deadlines } from "../../../src/platform/client/caller.ts";
import type { Platform } from "../../../src/platform/index.ts";
import { drawn, engineHarness, impatient, type Harness } from "../engine/harness.ts";
import type { Manifest } from "../env/cluster.ts";
import { TEAM } from "../kube/api-server.ts";
import { manualClock } from "../kube/clock.ts";
import { memoryOrphans } from "./orphans.ts";

/**
 * The whole operator but for its Kubernetes side: every kind, the engine with its real times, the HTTP client and a
 * simulated platform, over a cluster in memory. Time is turned by hand, so hours cost what their calls cost.
 */
export interface OperatorEnv extends Omit<Harness<Platform>, "restart"> {
  readonly platform: Simulator;
  /** What a user applies: created, or with a new spec. */
  apply(...manifests: readonly Manifest[]): void;
  /** A new process over the same cluster and platform; of the old one nothing goes on. */
  restart(): Promise<void>;
  get(kind: string, name: string): KubeObject;
  /** "True/Available", "" without such a condition. */
  told(kind: string, name: string, type?: string): string;
  /** What a user sees of an object, all conditions on one line. */
  looks(kind: string, name: string): string;
  /** Calls that arrived at the platform, oldest first. @param since of `mark()` */
  calls(since?: number): readonly CallEntry[];
  /** The operations of calls that ask for a change, refused ones included. @param since of `mark()` */
  writes(since?: number): readonly string[];
  mark(): number;
  /** Milliseconds since the bench's start at which a call arrived. */
  at(call: CallEntry): number;
}

export interface OperatorEnvOptions {
  readonly surface?: Surface;
  /** Real milliseconds, as sockets know no other. */
  readonly deadlines?: Partial<Deadlines>;
  /** The uid of kube-system; "installation-1" unless told. */
  readonly installation?: string;
  /** Another operator whose platform and clock this one shares. Time goes by for both; each runs its own work. */
  readonly beside?: Pick<OperatorEnv, "clock" | "platform">;
  /** What it reconciles; the operator's own kinds unless told. */
  readonly kinds?: () => readonly Bound<Platform>[];
}

/** Renders nothing on the platform, though it is a POST. */
const READ_ONLY_POST = "createHelmDefaultValues";

/** Starts one that ends with the test that it was started in. The platform works at its usual pace. */
export async function operatorEnv({
  surface = "full",
  deadlines = {},
  installation = "installation-1",
  beside,
  kinds = boundKinds,
}: OperatorEnvOptions = {}): Promise<OperatorEnv> {
  const clock = beside?.clock ?? manualClock();
  const startedAt = clock.now().getTime();
  const platform = beside?.platform ?? (await startSimulator({ surface, clock, seed: "operator bench" }));
  const random = drawn();
  const harness = engineHarness<Platform>({
    clock,
    random,
    kinds,
    connectionKinds: CONNECTION_KINDS,
    // Where everything is, the Secrets of cluster-scoped connections included.
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
  const calls = (since = 0): readonly CallEntry[] =>
    platform.journal().filter((entry): entry is CallEntry => entry.is === "call" && entry.seq > since);

  const restart = harness.restart.bind(harness);
  return Object.assign(harness, {
    platform,
    apply: (...manifests: readonly Manifest[]) => {
      for (const manifest of manifests) cluster.apply(manifest);
    },
    restart: async () => {
      harness.kill();
      await harness.engine.connections.closeAll();
      restart();
    },
    get: (kind: string, name: string) => cluster.get(kind, name),
    told: (kind: string, name: string, type = "Ready") => {
      const told = conditionOf(cluster.get(kind, name), type);
      return told === undefined ? "" : `${told.status}/${told.reason}`;
    },
    looks: (kind: string, name: string) => harness.conditions(kind, name).join(" "),
    calls,
    writes: (since?: number) =>
      calls(since)
        .filter(({ method, operation }) => method !== "GET" && operation !== READ_ONLY_POST)
        .map(({ operation }) => operation ?? ""),
    mark: () => platform.journal().at(-1)?.seq ?? 0,
    at: (call: CallEntry) => Date.parse(call.at) - startedAt,
  });
}
