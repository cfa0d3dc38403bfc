import type { BoundKinds } from "../../../src/engine/bind.ts";
/** The whole engine with an API server in memory, and a queue that a manual clock drives. */
import type { ChangeRecord } from "../../../src/engine/context/context.ts";
import { keyText, parseKey } from "../../../src/engine/contract/keys.ts";
import type { RatedApi } from "../../../src/engine/contract/kind.ts";
import { conditionsOf } from "../../../src/engine/contract/status.ts";
import { createEngine, type Engine, type EngineDeps } from "../../../src/engine/engine.ts";
import { KubeError } from "../../../src/kube/api/errors.ts";
import { keyOf } from "../../../src/kube/api/objects.ts";
import type { KubeClient } from "../../../src/kube/api/transport.ts";
import type { Clock, EventInput, ResourceType } from "../../../src/kube/api/types.ts";
import { createReader } from "../../../src/kube/watch/readers.ts";
import { createWriter } from "../../../src/kube/write/writer.ts";
import { memoryApiServer } from "../kube/api-server.ts";
import { earliest, type ManualClock } from "../kube/clock.ts";
import { QUIET, quietPorts } from "./ports.ts";

export type Harness<Api extends RatedApi> = ReturnType<typeof engineHarness<Api>>;

/** The parts of a harness. By default a port does nothing, and writes are allowed. */
type HarnessOptions<Api extends RatedApi> = Partial<EngineDeps<Api>> &
  Pick<EngineDeps<Api>, "connectionKinds"> & {
    readonly clock: ManualClock;
    readonly types?: readonly ResourceType[];
    readonly kinds: () => BoundKinds<Api>;
    /** Creates the parts of each new process. */
    readonly process: () => Pick<EngineDeps<Api>, "connect" | "orphans" | "installation"> &
      Partial<Pick<EngineDeps<Api>, "key" | "operatorNamespace" | "releases">>;
  };

/** @returns numbers in [0, 1), different at each call, as they name attempts, but the same in every run */
export function drawn(): () => number {
  let count = 0;
  return () => {
    count += 1;
    return (count * 0.618_033_988_749) % 1;
  };
}

/** @returns a harness whose first process starts with `restart` */
export function engineHarness<Api extends RatedApi>(options: HarnessOptions<Api>) {
  const { clock, types, kinds, process, ...ports } = options;
  const cluster = memoryApiServer(() => clock.now(), types);
  const random = ports.random ?? drawn();
  const newLife = () => ({ isOver: false, ended: Promise.withResolvers<undefined>() });
  let life = newLife();
  const events: EventInput[] = [];
  const changes: ChangeRecord[] = [];
  const internal: unknown[] = [];
  /** What was told of connections whose status another release writes. */
  const elsewhere: string[] = [];
  const reconciles: { readonly key: string; readonly at: number }[] = [];
  /** The engine of the current process; there is none before the first `restart`. */
  const current = { engine: undefined as unknown as Engine<Api> };

  const start = (): Engine<Api> => {
    const own = life;
    const { client, cache: store, types } = cluster;
    // After the end of the process its writes never return.
    const request: KubeClient["request"] = (one) => (own.isOver ? new Promise(() => {}) : client.request(one));
    const writer = createWriter({ client: { ...client, request }, store, types, clock: impatient(clock), random });
    return createEngine<Api>(
      {
        ...quietPorts(),
        cache: cluster.cache,
        reader: createReader(cluster.client, clock),
        events: { record: (event) => events.push(event) },
        observer: {
          ...QUIET,
          change: (change) => changes.push(change),
          writtenElsewhere: ({ name }, release, why) => elsewhere.push(`${name} ${release} ${why?.reason ?? ""}`),
          internal: (_key, error) => internal.push(error),
        },
        enqueue: (key, { afterMs }) => {
          queue.enqueue(key, afterMs);
        },
        ...ports,
        ...process(),
        clock,
        random,
        writer,
      },
      kinds(),
    );
  };

  const reconcile = async (key: string): Promise<void> => {
    if (life.isOver) return;
    reconciles.push({ key, at: clock.monotonic() });
    try {
      const again = await Promise.race([current.engine.reconcile(parseKey(key)), life.ended.promise]);
      if (again !== undefined) queue.enqueue(key, again);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      queue.enqueue(key, 1_000);
    }
  };
  const queue = drivenQueue(clock, reconcile);

  const kill = (): void => {
    queue.clear();
    life.isOver = true;
    life.ended.resolve(undefined);
  };
  cluster.onChange = (change) => {
    current.engine.changed(change, false);
  };
  return Object.assign(current, {
    clock,
    cluster,
    events,
    changes,
    /** Unexpected errors, which no table of the engine has. */
    internal,
    elsewhere,
    reconciles,
    run: (ms: number): Promise<void> => queue.run(ms),
    /** Kills the process at its current await, also during `run`; no new process is started. */
    kill,
    /** Starts a new process with the same cluster and platform; the old one never continues. */
    restart: (order?: "newest first"): void => {
      kill();
      life = newLife();
      current.engine = start();
      const objects = order === undefined ? cluster.all() : cluster.all().toReversed();
      for (const object of objects) current.engine.changed({ type: "added", object }, true);
    },
    due: (kind: string, name: string): number | undefined => {
      const object = cluster.find(kind, name);
      return object === undefined ? undefined : queue.due(keyText(keyOf(object)));
    },
    /** The stored conditions, e.g. "Ready=True/Available". */
    conditions: (kind: string, name: string): readonly string[] =>
      conditionsOf(cluster.get(kind, name)).map(({ type, status, reason }) => `${type}=${status}/${reason}`),
  });
}

/** Returns a clock that advances the manual clock for each wait within a reconcile, as nothing else runs meanwhile. */
export function impatient(clock: ManualClock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, run) => {
      let canceled = false;
      void clock.advance(ms).then(() => {
        if (!canceled) run();
      });
      return () => {
        canceled = true;
      };
    },
  };
}

/** The number of reconciles without passing time that counts as a hot loop. */
const HOT = 60;

/**
 * A queue that a manual clock drives: it processes one key after the other, each when it is due.
 * @param reconcile reconciles a key; it may advance the time
 */
function drivenQueue(clock: ManualClock, reconcile: (key: string) => Promise<void>) {
  const dues = new Map<string, number>();

  return {
    enqueue: (key: string, afterMs: number): void => {
      const at = clock.monotonic() + Math.max(0, afterMs);
      dues.set(key, Math.min(dues.get(key) ?? Number.POSITIVE_INFINITY, at));
    },
    /** Runs what falls due in the next `ms`. @throws Error at a hot loop */
    run: async (ms: number): Promise<void> => {
      const until = clock.monotonic() + ms;
      let still = 0;
      for (let next = earliest(dues, until); next !== undefined; next = earliest(dues, until)) {
        const [key, at] = next;
        const before = clock.monotonic();
        dues.delete(key);
        if (at > before) await clock.advance(at - before);
        await reconcile(key);
        still = clock.monotonic() > before ? 0 : still + 1;
        if (still > HOT + dues.size) throw new Error(`a hot loop around ${key}`);
      }
      await clock.advance(Math.max(0, until - clock.monotonic()));
    },
    due: (key: string): number | undefined => {
      const at = dues.get(key);
      return at === undefined ? undefined : at - clock.monotonic();
    },
    clear: () => {
      dues.clear();
    },
  };
}
