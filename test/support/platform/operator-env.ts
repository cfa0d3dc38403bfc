import { onTestFinished } from "vitest";

import type { Surface } from "../../../simulator/base/operations.ts";
import type { CallEntry } from "../../../simulator/request/journal.ts";
import { startSimulator, type Simulator } from "../../../simulator/simulator.ts";
import type { ChangeRecord } from "../../../src/engine/context/context.ts";
import { parseKey } from "../../../src/engine/contract/keys.ts";
import { conditionOf, conditionsOf } from "../../../src/engine/contract/status.ts";
import { DEFAULT_WINDOWS } from "../../../src/engine/contract/windows.ts";
import { type Bound, createEngine, type Engine } from "../../../src/engine/reconcile/engine.ts";
import { KubeError } from "../../../src/kube/api/errors.ts";
import type { Clock, EventInput, KubeObject } from "../../../src/kube/api/types.ts";
import type { Writer } from "../../../src/kube/write/writer.ts";
import { createRedactor } from "../../../src/observability/secrets.ts";
import { boundKinds } from "../../../src/operator/config/kinds.ts";
import { createPlatforms } from "../../../src/operator/platforms.ts";
import { DEFAULT_DEADLINES, type Deadlines } from "../../../src/platform/client/caller.ts";
import type { Platform } from "../../../src/platform/index.ts";
import { memoryCluster, type MemoryCluster } from "../engine/cluster.ts";
import type { Manifest } from "../env/cluster.ts";
import { manualClock, type ManualClock } from "../kube/clock.ts";
import { drivenQueue } from "../kube/driven-queue.ts";
import { memoryOrphans } from "./orphans.ts";

/** A test's random choices and all that the operator leaves to chance are the same in every run. */
const GOLDEN = 0.618_033_988_749;

/**
 * The whole operator but for its Kubernetes side: every kind, the engine with its real times, the HTTP client and a
 * simulated platform, over a cluster in memory. Time is turned by hand, so hours cost what their calls cost.
 */
export interface OperatorEnv {
  readonly clock: ManualClock;
  readonly cluster: MemoryCluster;
  readonly platform: Simulator;
  /** All that the operator told through Kubernetes. */
  readonly events: readonly EventInput[];
  readonly changes: readonly ChangeRecord[];
  /** Errors that no table knows. */
  readonly internal: readonly unknown[];
  /** Runs what falls due in the next `ms`. */
  run(ms: number): Promise<void>;
  /** What a user applies: created, or with a new spec. */
  apply(...manifests: readonly Manifest[]): void;
  /** A new process over the same cluster and platform; of the old one nothing goes on. */
  restart(): Promise<void>;
  /** Ends the process within whatever it is at, also while `run` goes on; nothing is started in its place. */
  kill(): void;
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
  const cluster = memoryCluster(() => clock.now());
  const events: EventInput[] = [];
  const changes: ChangeRecord[] = [];
  const internal: unknown[] = [];
  let drawn = 0;
  const random = (): number => {
    drawn += 1;
    return (drawn * GOLDEN) % 1;
  };
  let engine: Engine<Platform>;
  let life = newLife();

  const pass = async (key: string): Promise<void> => {
    if (life.isOver) return;
    try {
      const again = await Promise.race([engine.reconcile(parseKey(key)), life.ended.promise]);
      if (again !== undefined) queue.enqueue(key, again);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      queue.enqueue(key, 1_000);
    }
  };
  const queue = drivenQueue(clock, pass);

  const start = (): Engine<Platform> => {
    const platforms = createPlatforms({
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
    return createEngine<Platform>(
      {
        cache: cluster.cache,
        writer: mortal(cluster.writer, life),
        reader: {
          secret: (_namespace, name) => Promise.resolve(cluster.secrets.get(name)),
          configMap: () => Promise.resolve(undefined),
        },
        withoutSecrets: (text) => text,
        namespaces: { get: () => Promise.resolve({ uid: "ns", labels: {}, terminating: false }) },
        events: { record: (event) => events.push(event) },
        outputs: { configMap: () => Promise.resolve(), secret: () => Promise.resolve() },
        fence: { mayWrite: () => true },
        clock,
        random,
        connectionKinds: { namespaced: "PlatformConnection", cluster: "ClusterPlatformConnection" },
        windows: DEFAULT_WINDOWS,
        dryRun: false,
        installation,
        observer: {
          change: (change) => changes.push(change),
          status: () => {},
          removed: () => {},
          internal: (_key, error) => internal.push(error),
        },
        stopping: new AbortController().signal,
        connect: platforms.connect,
        orphans: memoryOrphans(clock),
        operatorNamespace: "operator",
        enqueue: (key, { afterMs }) => {
          queue.enqueue(key, afterMs);
        },
      },
      kinds(),
    );
  };
  engine = start();
  cluster.onChange = (change) => {
    engine.changed(change, false);
  };
  onTestFinished(async () => {
    await engine.connections.closeAll();
    if (beside === undefined) await platform.close();
  });

  const kill = (): void => {
    queue.clear();
    life.isOver = true;
    life.ended.resolve(undefined);
  };

  const calls = (since = 0): readonly CallEntry[] =>
    platform.journal().filter((entry): entry is CallEntry => entry.is === "call" && entry.seq > since);

  return {
    clock,
    cluster,
    platform,
    events,
    changes,
    internal,
    run: (ms) => queue.run(ms),
    apply: (...manifests) => {
      for (const manifest of manifests) applyOne(cluster, manifest);
    },
    kill,
    restart: async () => {
      kill();
      await engine.connections.closeAll();
      life = newLife();
      engine = start();
      for (const object of cluster.all()) engine.changed({ type: "added", object }, true);
    },
    get: (kind, name) => cluster.get(kind, name),
    told: (kind, name, type = "Ready") => {
      const told = conditionOf(cluster.get(kind, name), type);
      return told === undefined ? "" : `${told.status}/${told.reason}`;
    },
    looks: (kind, name) =>
      conditionsOf(cluster.get(kind, name))
        .map(({ type, status, reason }) => `${type}=${status}/${reason}`)
        .join(" "),
    calls,
    writes: (since) =>
      calls(since)
        .filter(({ method, operation }) => method !== "GET" && operation !== READ_ONLY_POST)
        .map(({ operation }) => operation ?? ""),
    mark: () => platform.journal().at(-1)?.seq ?? 0,
    at: (call) => Date.parse(call.at) - startedAt,
  };
}

/** Of one process. */
interface Life {
  isOver: boolean;
  readonly ended: PromiseWithResolvers<undefined>;
}

function newLife(): Life {
  return { isOver: false, ended: Promise.withResolvers() };
}

/** Writes for a process as long as that lives; what comes after its end never returns. */
function mortal(writer: Writer, life: Life): Writer {
  const unlessOver = async <T>(write: () => Promise<T>): Promise<T> =>
    await (life.isOver ? new Promise<never>(() => {}) : write());
  return {
    patchChecked: (...how) => unlessOver(() => writer.patchChecked(...how)),
    storeOutcome: (...how) => unlessOver(() => writer.storeOutcome(...how)),
    patchStatus: (...how) => unlessOver(() => writer.patchStatus(...how)),
    confirm: (...how) => unlessOver(() => writer.confirm(...how)),
    delete: (...how) => unlessOver(() => writer.delete(...how)),
  };
}

/** Whoever waits inside of a pass has the time turned for it: nothing else goes on meanwhile. */
function impatient(clock: ManualClock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, run) => {
      let cancelled = false;
      void clock.advance(ms).then(() => {
        if (!cancelled) run();
      });
      return () => {
        cancelled = true;
      };
    },
  };
}

function applyOne(cluster: MemoryCluster, { kind, metadata: { name }, stringData, spec }: Manifest): void {
  if (kind === "Secret") cluster.secret(name, stringData as Readonly<Record<string, string>>);
  else if (cluster.find(kind, name) === undefined) cluster.create(kind, name, spec ?? {});
  else cluster.spec(kind, name, spec ?? {});
}
