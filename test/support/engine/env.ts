import type { ChangeRecord as Mutation } from "../../../src/engine/context/context.ts";
import { keyText, parseKey } from "../../../src/engine/contract/keys.ts";
import { conditionsOf } from "../../../src/engine/contract/status.ts";
import { DEFAULT_WINDOWS, type Windows } from "../../../src/engine/contract/windows.ts";
import type { OrphanChange } from "../../../src/engine/orphans/ledger.ts";
import { bind, createEngine, type Engine } from "../../../src/engine/reconcile/engine.ts";
import { KubeError } from "../../../src/kube/api/errors.ts";
import { keyOf } from "../../../src/kube/api/objects.ts";
import type { EventInput, Json } from "../../../src/kube/api/types.ts";
import { manualClock, type ManualClock } from "../kube/clock.ts";
import { drivenQueue } from "../kube/driven-queue.ts";
import { memoryOrphans, memoryShards, type MemoryShards } from "../platform/orphans.ts";
import { memoryCluster, type MemoryCluster } from "./cluster.ts";
import { makeHarness, type WidgetApi, type World } from "./fake-platform.ts";
import { widget } from "./kinds.ts";
import { clusterLink, link } from "./links.ts";

export const INSTALLATION = "installation-1";

/** The whole engine over a cluster and a platform in memory, and a queue that only time drives. */
export interface Env {
  readonly clock: ManualClock;
  readonly cluster: MemoryCluster;
  readonly world: World;
  readonly events: EventInput[];
  readonly mutations: Mutation[];
  readonly internal: unknown[];
  /** Every pass: which key, when. */
  readonly passes: { readonly key: string; readonly at: number }[];
  engine: Engine<WidgetApi>;
  /** The ConfigMaps of the orphan ledger, and what was told of it. */
  readonly shards: MemoryShards;
  readonly orphans: OrphanChange[];
  /** The uid of the namespace. */
  namespaceUid: string;
  /** Whether the lease lasts. */
  leader: boolean;
  /** The uid of kube-system, for the next process. */
  installation: string;
  /** Fails the output ConfigMap. */
  output: () => Promise<void>;
  readonly windows: Windows;
  /** Runs what falls due in the next `ms`. */
  run(ms: number): Promise<void>;
  /** A new process over the same cluster and platform; whatever the old one was at never goes on. */
  restart(order?: "newest first"): void;
  /** From now on every hook of the old process hangs: it was killed. */
  kill(): void;
  /** When a key is due, in milliseconds from now. */
  due(kind: string, name: string): number | undefined;
  writes(kind: string, name: string): number;
  /** "Ready=True/Available" and so on, sorted as stored. */
  conditions(kind: string, name: string): readonly string[];
  widget(name: string, spec?: { readonly [key: string]: Json }, more?: Parameters<MemoryCluster["create"]>[3]): void;
}

export interface EnvOptions {
  readonly windows?: Partial<Windows>;
  readonly random?: () => number;
  /** Leaves the namespace without connection and Secret. */
  readonly bare?: boolean;
  /** The kind behind "Widget". */
  readonly kind?: typeof widget;
}

export function engineEnv(options: EnvOptions = {}): Env {
  const clock = manualClock();
  const cluster = memoryCluster(() => clock.now());
  const world = makeHarness();
  const windows = { ...DEFAULT_WINDOWS, ...options.windows };
  let attempts = 0;
  let killed = Promise.withResolvers<void>();

  // A different number at each call, as attempts are named by it, yet the same in every run.
  const random = (): number => {
    attempts += 1;
    return (attempts * 0.618_033_988_749) % 1;
  };

  const start = (): Engine<WidgetApi> => {
    const orphans = memoryOrphans(clock, env.shards, env.orphans);
    void orphans.load();
    return createEngine<WidgetApi>(
      {
        cache: cluster.cache,
        writer: cluster.writer,
        reader: {
          secret: (_namespace, name) => Promise.resolve(cluster.secrets.get(name)),
          configMap: () => Promise.resolve(undefined),
        },
        withoutSecrets: (text) => text,
        namespaces: { get: () => Promise.resolve({ uid: env.namespaceUid, labels: {}, terminating: false }) },
        events: { record: (event) => env.events.push(event) },
        outputs: { configMap: () => env.output(), secret: () => env.output() },
        fence: { mayWrite: () => env.leader },
        clock,
        random: options.random ?? random,
        connectionKinds: { namespaced: "Link", cluster: "ClusterLink" },
        windows,
        dryRun: false,
        installation: env.installation,
        observer: {
          change: (change) => env.mutations.push(change),
          status: () => {},
          removed: () => {},
          internal: (_key, error) => env.internal.push(error),
        },
        stopping: new AbortController().signal,
        connect: ({ surface }, token) => world.api(token, surface),
        orphans,
        operatorNamespace: "operator",
        enqueue: (key, { afterMs }) => {
          queue.enqueue(key, afterMs);
        },
      },
      [bind(link), bind(clusterLink), bind(options.kind ?? widget)],
    );
  };

  const pass = async (key: string): Promise<void> => {
    env.passes.push({ key, at: clock.monotonic() });
    try {
      const again = await Promise.race([env.engine.reconcile(parseKey(key)), killed.promise.then(() => undefined)]);
      if (again !== undefined) queue.enqueue(key, again);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      queue.enqueue(key, 1_000);
    }
  };
  const queue = drivenQueue(clock, pass);

  const env: Env = {
    clock,
    cluster,
    world,
    events: [],
    mutations: [],
    internal: [],
    passes: [],
    leader: true,
    shards: memoryShards(),
    orphans: [],
    namespaceUid: "ns",
    installation: INSTALLATION,
    output: () => Promise.resolve(),
    windows,
    engine: undefined as unknown as Engine<WidgetApi>,
    run: (ms) => queue.run(ms),
    restart: (order) => {
      killed = Promise.withResolvers<void>();
      queue.clear();
      env.engine = start();
      const objects = order === undefined ? cluster.all() : cluster.all().toReversed();
      for (const object of objects) env.engine.changed({ type: "added", object }, true);
    },
    kill: () => {
      queue.clear();
      killed.resolve();
    },
    due: (kind, name) => {
      const object = cluster.find(kind, name);
      return object === undefined ? undefined : queue.due(keyText(keyOf(object)));
    },
    writes: (kind, name) => {
      const key = keyText(keyOf(cluster.get(kind, name)));
      return cluster.writes.filter((write) => write.key === key).length;
    },
    conditions: (kind, name) =>
      conditionsOf(cluster.get(kind, name)).map(({ type, status, reason }) => `${type}=${status}/${reason}`),
    widget: (name, spec = {}, more = {}) => {
      cluster.create("Widget", name, { name, ...spec }, more);
    },
  };
  env.engine = start();
  cluster.onChange = (change) => {
    env.engine.changed(change, false);
  };
  if (options.bare !== true) {
    cluster.secret("token", { token: "token-1" });
    cluster.create("Link", "default", {});
  }
  return env;
}
