/** The composition: every part of the operator, built from the frozen config and wired to the others. */
import { createKubeClient, type ConnectedClient } from "../kube/client.ts";
import { createRecorder, type Recorder } from "../kube/events.ts";
import type { LeaderElection } from "../kube/leader.ts";
import { createNamespaces } from "../kube/namespaces.ts";
import { createOutputs } from "../kube/outputs.ts";
import { createReader } from "../kube/secrets.ts";
import type { Clock, Namespaces } from "../kube/types.ts";
import { createWorkQueue } from "../kube/workqueue.ts";
import { createWriter } from "../kube/writer.ts";
import { createCaches, TYPES, type Caches } from "./caches.ts";
import type { Config } from "./config.ts";
import { boundKinds } from "./kinds.ts";
import { createLeadership } from "./leadership.ts";
import type { Logger } from "./logger.ts";
import { createMetrics, type Metrics } from "./metrics/index.ts";
import { createPlatforms, type Platforms } from "./platforms.ts";
import { OPERATOR } from "./rbac.ts";
import { discreetEvents, discreetWriter, redacting, type Redactor } from "./secrets.ts";
import {
  engineObserver,
  tellCall,
  tellFailedPass,
  tellMovedEvent,
  tellPass,
  tellRequest,
  watchObserver,
} from "./telemetry.ts";
import { createTurns } from "./turns.ts";
import { createWork, type Work } from "./work.ts";

export interface PartsOptions {
  readonly config: Config;
  readonly version: string;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly random: () => number;
  /** Ends retries of outcomes that could not be stored. */
  readonly abandoned: AbortSignal;
}

/** What has to be told when it happens. */
export interface PartsEvents {
  /** Every first list is in the cache. */
  readonly synced: () => void;
  /** This process leads from now on. */
  readonly leading: () => void;
  /** This process led and does no longer. */
  readonly lost: () => void;
}

export interface Parts {
  readonly client: ConnectedClient;
  readonly metrics: Metrics;
  readonly caches: Caches;
  readonly namespaces: Namespaces;
  readonly events: Recorder;
  readonly election: LeaderElection;
  /** @param installation the uid of the kube-system namespace. */
  work(installation: string): Work;
}

/** @returns all parts, none of them started. @throws Error when there is no way to an API server */
export function createParts(options: PartsOptions, tell: PartsEvents): Parts {
  const { config, log, version, clock, random } = options;
  // Closures, as the parts know each other only once all are there.
  const metrics: Metrics = createMetrics({
    version,
    kinds: TYPES.map(({ kind }) => kind),
    workers: config.workers,
    perObject: config.metricsPerObject,
    cache: () => caches.store,
    leading: () => election.leading(),
    pausedMs: () => platforms.pausedMs(),
    silentMs: () => caches.silentMs(),
    queue: () => queue,
  });
  const client = connect(options, metrics);
  const base = { client, clock, random };
  const caches: Caches = createCaches({
    ...base,
    namespaces: config.watchNamespaces,
    observer: watchObserver(log, metrics.platform),
    onListenerError: (error) => {
      log.error("a change of the cache could not be followed", { error });
    },
    onSynced: tell.synced,
  });
  caches.store.subscribe(metrics.changed);
  const election: LeaderElection = createLeadership({
    ...base,
    config,
    log,
    onFailed: metrics.cluster.leaseFailed,
    onStarted: tell.leading,
    onLost: tell.lost,
  });
  const turns = createTurns();
  const platforms: Platforms = createPlatforms({
    ...options,
    lane: turns.lane,
    mayCall: () => election.leading(),
    onCall: (connection, call) => {
      metrics.platform.called(call);
      tellCall(log, connection, call);
    },
  });
  const events = createRecorder({
    ...base,
    instance: config.instance,
    fallbackNamespace: config.operatorNamespace,
    onDropped: metrics.platform.eventDropped,
    onMoved: (object, reason) => {
      metrics.platform.eventMoved();
      tellMovedEvent(log, object, reason);
    },
  });
  const namespaces = createNamespaces(client, clock);
  // Whatever happens in one namespace, there is a worker for the others.
  const perLane = Math.max(1, config.workers - 1);
  const queue = createWorkQueue({ clock, random, metrics: metrics.queue, laneOf: turns.laneOf, perLane });

  const work = (installation: string): Work =>
    createWork({
      store: caches.store,
      queue,
      workers: config.workers,
      clock,
      kinds: boundKinds(),
      within: turns.within,
      metrics: metrics.reconcile,
      finished: (key, outcome, durationMs) => {
        tellPass(log, key, outcome, durationMs);
      },
      failed: (key, error) => {
        tellFailedPass(log, key, error);
      },
      engine: {
        writer: discreetWriter(createWriter({ ...base, store: caches.store, types: TYPES }), options.redactor),
        reader: redacting(createReader(client, clock), options.redactor),
        namespaces,
        events: discreetEvents(events, options.redactor),
        outputs: createOutputs(client),
        fence: election,
        random,
        connectionKinds: { namespaced: "PlatformConnection", cluster: "ClusterPlatformConnection" },
        windows: config.windows,
        dryRun: false,
        installation,
        observer: engineObserver(log, metrics),
        stopping: options.abandoned,
        connect: platforms.connect,
        operatorNamespace: config.operatorNamespace,
      },
    });
  return { client, metrics, caches, namespaces, events, election, work };
}

function connect({ config, version, clock, log }: PartsOptions, metrics: Metrics): ConnectedClient {
  return createKubeClient({
    config: config.kube,
    userAgent: `${OPERATOR}/${version}`,
    clock,
    onRequest: (request) => {
      metrics.cluster.requested(request);
      tellRequest(log, request);
    },
  });
}
