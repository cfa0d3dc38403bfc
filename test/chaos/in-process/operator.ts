/** The operator with its real kinds, queue, writer and platform client; the test carries its requests. */
import { boundKinds, CONNECTION_KINDS, TYPES } from "../../../src/config/kinds.ts";
import type { KubeClient, KubeRequest } from "../../../src/kube/api/transport.ts";
import type { Clock, Json, KubeObject } from "../../../src/kube/api/types.ts";
import { createWorkQueue } from "../../../src/kube/queue/workqueue.ts";
import { createNamespaces, createReader } from "../../../src/kube/watch/readers.ts";
import { createStore, type StoreChange } from "../../../src/kube/watch/store.ts";
import { createOutputs } from "../../../src/kube/write/outputs.ts";
import { createWriter } from "../../../src/kube/write/writer.ts";
import type { Logger } from "../../../src/observability/logger.ts";
import { createReconcileTracker } from "../../../src/observability/reconcile-tracker.ts";
import { createRedactor } from "../../../src/observability/secrets.ts";
import { createPlatforms } from "../../../src/operator/platforms.ts";
import { createTurns } from "../../../src/operator/turns.ts";
import { createWork } from "../../../src/operator/work.ts";
import { DEFAULT_DEADLINES } from "../../../src/platform/client/caller.ts";
import type { Transport } from "../../../src/platform/transport/http.ts";
import { QUIET, quietPorts } from "../../support/engine/ports.ts";
import { memoryOrphans } from "../../support/platform/orphans.ts";
import type { Process } from "./gate.ts";

export interface OperatorOptions {
  readonly process: Process;
  readonly clock: Clock;
  readonly random: () => number;
  /** The result of the initial lists. */
  readonly objects: readonly KubeObject[];
  readonly request: (request: KubeRequest) => Promise<Json>;
  readonly exchange: Transport["exchange"];
  readonly onInternalError: (error: unknown) => void;
  readonly workers: number;
}

const SILENT: Logger = { trace: () => {}, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export type Operator = ReturnType<typeof startOperator>;

export function startOperator(options: OperatorOptions) {
  const { random, workers } = options;
  const tracker = createReconcileTracker(() => 0);
  const turns = createTurns(tracker);
  const { clock, stop } = stoppableClock(options.clock);
  const client: KubeClient = {
    request: options.request,
    stream: () => {
      throw new Error("the test delivers watch events");
    },
    watchSilenceMs: () => undefined,
  };
  const store = createStore(options.onInternalError);
  for (const object of options.objects) store.upsert(object);
  let reconciles = 0;
  const work = createWork({
    store,
    queue: createWorkQueue({ clock, random, laneOf: turns.laneOf, perLane: Math.max(1, workers - 1) }),
    workers,
    tracker,
    log: SILENT,
    clock,
    kinds: boundKinds(),
    metrics: {
      started: () => {
        reconciles += 1;
      },
      finished: () => {
        reconciles += 1;
      },
      panicked: () => {},
    },
    engine: {
      ...quietPorts(),
      orphans: memoryOrphans(clock),
      writer: createWriter({ client, clock, random, store, types: TYPES }),
      reader: createReader(client, clock),
      namespaces: createNamespaces(client, clock),
      outputs: createOutputs(client),
      fence: { mayWrite: () => options.process.alive, leading: () => options.process.alive },
      random,
      connectionKinds: CONNECTION_KINDS,
      installation: "installation-1",
      observer: {
        ...QUIET,
        internal: (_key, error) => {
          options.onInternalError(error);
        },
      },
      connect: createPlatforms({
        config: { allowedPlatformHosts: [], allowInsecurePlatform: true, deadlines: DEFAULT_DEADLINES },
        version: "0.0.0",
        clock,
        random,
        redactor: createRedactor(),
        onCall: () => {},
        turn: turns.turn,
        transport: { exchange: options.exchange, close: () => Promise.resolve() },
      }).connect,
    },
  });
  void work.start();
  return {
    /** Delivers a watch event. */
    onEvent: ({ type, object }: StoreChange): void => {
      if (type === "deleted") store.remove(object);
      else store.upsert(object);
    },
    /** The number of reconciles that started plus the number that ended. */
    reconciles: () => reconciles,
    /** Cancels all timers. */
    stop,
  };
}

function stoppableClock(clock: Clock): { readonly clock: Clock; readonly stop: () => void } {
  const timers = new Set<() => void>();
  const after: Clock["after"] = (ms, run) => {
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      run();
    });
    timers.add(cancel);
    return () => {
      timers.delete(cancel);
      cancel();
    };
  };
  return {
    clock: { now: () => clock.now(), monotonic: () => clock.monotonic(), after },
    stop: () => {
      for (const cancel of timers) cancel();
    },
  };
}
