/** The composition root: builds every part of the operator from the frozen config and connects them. */
import type { Config } from "../config/config.ts";
import { boundKinds, CONNECTION_KINDS, TYPES } from "../config/kinds.ts";
import { OPERATOR } from "../config/names.ts";
import { parseKey } from "../engine/contract/keys.ts";
import { createOrphans } from "../engine/orphans/ledger.ts";
import type { InstallationKey } from "../engine/ownership/installation-key.ts";
import { createKubeClient } from "../kube/api/client.ts";
import type { Clock, EventRecorder } from "../kube/api/types.ts";
import type { LeaderElection } from "../kube/leader/leader.ts";
import { createWorkQueue } from "../kube/queue/workqueue.ts";
import { createNamespaces, createReader } from "../kube/watch/readers.ts";
import { createRecorder } from "../kube/write/events.ts";
import { createOutputs } from "../kube/write/outputs.ts";
import { createWriter } from "../kube/write/writer.ts";
import { withFields, type LevelSwitch, type Logs } from "../observability/logger.ts";
import { createMetrics, type Metrics } from "../observability/metrics/index.ts";
import { createReconcileTracker } from "../observability/reconcile-tracker.ts";
import { redactingEvents, redactingReader, redactingWriter, type Redactor } from "../observability/secrets.ts";
import {
  engineObserver,
  logCall,
  logChange,
  logLimited,
  logMovedEvent,
  logOrphan,
  logRequest,
  logServed,
  watchObserver,
} from "../observability/telemetry.ts";
import { isRead } from "../platform/codec/operations.ts";
import { receivers } from "../webhooks/proof.ts";
import { createCaches, type Caches } from "./caches.ts";
import { createLeadership } from "./leadership.ts";
import { droppedOrphan, orphanConfigMaps } from "./orphans.ts";
import { createPlatforms, type Platforms } from "./platforms.ts";
import { createReleases } from "./releases.ts";
import { createTurns } from "./turns.ts";
import { createWork, priorityIn, type Work } from "./work.ts";

export interface PartsOptions {
  readonly config: Config;
  readonly version: string;
  readonly logs: Logs;
  readonly levels: LevelSwitch;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly random: () => number;
  /** Ends retries of outcomes that could not be stored. */
  readonly abandoned: AbortSignal;
  /** Called when every first list is in the cache. */
  readonly onSynced: () => void;
  /** Called when this process starts to lead. */
  readonly onStarted: () => void;
  /** Called when this process stops leading. */
  readonly onLost: () => void;
}

/** @returns all parts, none of them started. @throws Error when no API server is configured */
export function createParts(options: PartsOptions) {
  const { config, version, clock, random, onSynced, onStarted, onLost } = options;
  let working: Work | undefined;
  const kinds = boundKinds();
  const tracker = createReconcileTracker(random, (key) => priorityIn(caches.store, key));
  const logs = withFields(options.logs, () => {
    const running = tracker.current();
    return { reconcileID: running?.id, about: running && parseKey(running.key).namespace };
  });
  // Closures, as the parts refer to each other.
  const metrics: Metrics = createMetrics({
    version,
    kinds: TYPES.map(({ kind }) => kind),
    workers: config.workers,
    perObject: config.metricsPerObject,
    perNamespace: config.metricsPerNamespace,
    now: () => clock.now(),
    cache: () => caches.store,
    leading: () => election.leading(),
    budgets: () => platforms.budgets(),
    silentMs: () => caches.silentMs(),
    notServed: () => caches.notServed(),
    overlapping: () => releases.overlapping(),
    orphans: () => orphans.all(),
    queue: () => queue,
  });
  const connect = () =>
    createKubeClient({
      config: config.kube,
      userAgent: `${OPERATOR}/${version}`,
      clock,
      onRequest: (request) => {
        metrics.cluster.requested(request);
        logRequest(logs.kube, request);
      },
    });
  const client = connect();
  // The lease has connections of its own: it does not wait for the lists of many namespaces.
  const leaseClient = connect();
  const base = { client, clock, random };
  const caches: Caches = createCaches({
    ...base,
    namespaces: config.watchNamespaces,
    perNamespace: {
      onServed: (namespace, isServed) => {
        logServed(logs.kube, namespace, isServed);
      },
    },
    observer: watchObserver(logs.kube, metrics.platform),
    onListenerError: (error) => {
      logs.engine.error("a change of the cache could not be followed", { error });
    },
    onSynced,
  });
  caches.store.subscribe(metrics.changed);
  const election: LeaderElection = createLeadership({
    ...base,
    client: leaseClient,
    config,
    log: logs.kube,
    onFailed: metrics.cluster.leaseFailed,
    onLogLevel: (text) => {
      options.levels.set(logs.app, text);
    },
    onStarted,
    onLost,
  });
  const turns = createTurns(tracker, (key) => {
    const connection = working?.connectionOf(key);
    return connection === undefined ? "" : platforms.gateOf(connection);
  });
  const platforms: Platforms = createPlatforms({
    config,
    version,
    clock,
    random,
    redactor: options.redactor,
    // One connection for each worker, so that no call waits for another.
    connections: config.workers,
    turn: turns.turn,
    onRoom: () => {
      queue.resume();
    },
    onLimited: (connection, isLimited, sinceMs) => {
      logLimited(logs.platform, connection, isLimited, sinceMs);
      const { outageMs } = config.windows;
      if (isLimited) queue.addAfter(connection, outageMs);
      else if (sinceMs >= outageMs) queue.add(connection);
    },
    mayCall: (effect) => (effect === "write" ? election.mayWrite() : election.leading()),
    onCall: (connection, call) => {
      metrics.platform.called(call);
      logCall(logs.platform, connection, call);
      const running = tracker.current();
      if (running === undefined) return;
      if (call.sent) metrics.called(running.key);
      // The engine reports the cause of a change soon after the call.
      if (!isRead(call.operation)) running.changed = { connection, call };
    },
  });
  const events = createRecorder({
    ...base,
    instance: config.instance,
    fallbackNamespace: config.operatorNamespace,
    onDropped: metrics.platform.eventDropped,
    onMoved: (object, reason) => {
      metrics.platform.eventMoved();
      logMovedEvent(logs.kube, object, reason);
    },
    onRefused: (namespace) => {
      logs.kube.warn("the operator has no right to write events in a namespace: none are written for ten minutes", {
        namespace,
      });
    },
  });
  // Events are recorded outside of the reconcile: the first one starts the writes of a queue, which also has events of
  // other objects.
  const eventsOfParts: EventRecorder = {
    record: (event) => {
      tracker.outside(() => {
        events.record(event);
      });
    },
  };
  const orphans = createOrphans({
    clock,
    random,
    windows: config.windows,
    configMaps: orphanConfigMaps(client, config.operatorNamespace),
    report: (change) => {
      logOrphan(logs.changes, change);
      if (change.is === "dropped") eventsOfParts.record(droppedOrphan(config.operatorNamespace, change.orphan));
    },
  });
  const namespaces = createNamespaces(client, clock);
  const releases = createReleases({
    client,
    clock,
    own: { namespace: config.operatorNamespace, namespaces: config.watchNamespaces },
    log: logs.kube,
  });
  const queue = createWorkQueue({
    clock,
    random,
    metrics: metrics.queue,
    laneOf: turns.laneOf,
    // However busy one namespace is, one worker is free for other namespaces, and one for changes by users.
    perLane: Math.max(1, config.workers - 2),
    spare: config.workers > 1 ? 1 : 0,
    hasRoom: (lane, priority) => platforms.hasRoom(turns.gateIn(lane), priority),
    taken: (lane) => {
      platforms.expect(turns.gateIn(lane));
    },
  });

  /** @param installation the uid of the kube-system namespace */
  const work = (installation: string, key: InstallationKey): Work => {
    const made = createWork({
      store: caches.store,
      queue,
      workers: config.workers,
      clock,
      kinds,
      tracker,
      metrics: metrics.reconcile,
      log: logs.engine,
      engine: {
        orphans,
        writer: redactingWriter(createWriter({ ...base, store: caches.store, types: TYPES }), options.redactor),
        reader: redactingReader(createReader(client, clock), options.redactor),
        withoutSecrets: options.redactor.redact,
        namespaces,
        events: redactingEvents(eventsOfParts, options.redactor),
        outputs: createOutputs(client),
        fence: election,
        random,
        connectionKinds: CONNECTION_KINDS,
        windows: config.windows,
        dryRun: false,
        installation,
        key,
        receiver: receivers({ webhookUrl: config.webhookUrl, key, hide: options.redactor.hold }),
        observer: engineObserver(logs.engine, metrics, (change) => {
          metrics.platform.changed(change);
          const running = tracker.current();
          logChange(logs.changes, installation, change, running);
          if (running !== undefined) running.changed = undefined;
        }),
        stopping: options.abandoned,
        connect: platforms.connect,
        operatorNamespace: config.operatorNamespace,
        releases,
      },
    });
    working = made;
    return {
      ...made,
      drain: () => {
        platforms.stop();
        return made.drain();
      },
    };
  };
  return { client, leaseClient, metrics, caches, namespaces, releases, events, election, work };
}
