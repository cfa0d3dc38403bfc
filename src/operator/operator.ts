/** One operator: starts and stops its parts in order, and reads the id of its installation. */
import { once } from "node:events";

import type { About } from "../console/page/shape.ts";
import type { HttpServer } from "../http/server.ts";
import { abortableSleep, createBackoff, systemClock } from "../kube/api/clock.ts";
import type { Fields } from "../observability/logger.ts";
import { loadInstallationKey } from "./installation-key.ts";
import { createParts, type PartsOptions } from "./parts.ts";
import { startServers } from "./servers.ts";
import type { Work } from "./work.ts";

/**
 * How long running reconciles may take to finish by themselves: the deadline of a write of the platform.
 */
const DRAIN_MS = 8_000;
/** How long they may take after their connections are closed. */
const ABANDON_MS = 500;

export interface OperatorOptions extends Pick<PartsOptions, "config" | "version" | "logs" | "levels" | "redactor"> {
  /** Called when the process has to exit: the lease is lost. */
  readonly onFatal: () => void;
}

/** @returns an operator that is not started. @throws Error when no API server is configured */
export function createOperator(options: OperatorOptions) {
  const { config, version, logs } = options;
  const log = logs.app;
  const clock = systemClock();
  const random = Math.random;
  const stopping = new AbortController();
  const abandoned = new AbortController();
  const synced = Promise.withResolvers<void>();
  let servers: readonly HttpServer[] = [];
  let booting: Promise<void> = Promise.resolve();
  let installation: string | undefined;
  let work: Work | undefined;

  const parts = createParts({
    ...options,
    clock,
    random,
    abandoned: abandoned.signal,
    onSynced: synced.resolve,
    onStarted: () => {
      if (installation !== undefined) void startWork(installation);
    },
    onLost: () => {
      log.error("lost the lease: ending at once, as another process may lead now");
      options.onFatal();
    },
  });
  const { caches, client, leaseClient, election, events, metrics, namespaces, releases } = parts;

  const startWork = async (uid: string): Promise<void> => {
    const key = await loadInstallationKey({
      client,
      namespace: config.operatorNamespace,
      clock,
      random,
      log: logs.kube,
      stopping: stopping.signal,
    });
    // Before the first connection: another release may write its status.
    await releases.look();
    if (key === undefined || stopping.signal.aborted) return;
    void releases.keepLooking(stopping.signal);
    work = parts.work(uid, key);
    await work.start();
  };

  const waitingFor = (): string | undefined => {
    if (stopping.signal.aborted) return "stopping";
    const missing = caches.missing();
    if (missing.length > 0) return `waiting for the first list of ${missing.join(", ")}`;
    return installation === undefined ? "waiting for the namespace kube-system" : undefined;
  };

  const about = (): About => ({
    version,
    instance: config.instance,
    isLeading: election.leading(),
    waitingFor: waitingFor() ?? null,
    silentMs: Math.max(...caches.silentMs().values()),
  });

  /**
   * Reads the uid of the kube-system namespace, which identifies the installation in the ledger, and retries until it
   * succeeds.
   * @returns undefined if the operator stops first
   */
  const findInstallation = async (): Promise<string | undefined> => {
    const backoff = createBackoff({ baseMs: 500, capMs: 10_000, random });
    while (!stopping.signal.aborted) {
      const wait = backoff.next();
      try {
        const facts = await namespaces.get("kube-system", 0);
        if (facts !== undefined) return facts.uid;
        logs.kube.warn("the namespace kube-system does not exist: trying again", { retryInMs: Math.round(wait) });
      } catch (error) {
        logs.kube.warn("cannot read the namespace kube-system: trying again", { error, retryInMs: Math.round(wait) });
      }
      await abortableSleep(clock, wait, stopping.signal);
    }
    return undefined;
  };

  const boot = async (): Promise<void> => {
    const { signal } = stopping;
    if (signal.aborted) return;
    const stopped = once(signal, "abort").then(() => undefined);
    caches.start();
    installation = await Promise.race([findInstallation(), stopped]);
    await Promise.race([synced.promise, stopped]);
    if (signal.aborted) return;
    log.info("caches are filled");
    election.start();
  };

  /** Reports whether all reconciles ended. */
  const drain = async (): Promise<boolean> => {
    const drained = Promise.resolve(work?.drain()).then(() => true);
    const within = async (ms: number): Promise<boolean> =>
      Promise.race([drained, abortableSleep(clock, ms, abandoned.signal).then(() => false)]);
    if (await within(DRAIN_MS)) return true;
    log.warn("reconciles under way take too long: closing their connections");
    await work?.disconnect();
    return within(ABANDON_MS);
  };

  return {
    /** Resolves when the servers listen; caches, lease and workers follow. @throws Error as `serve` */
    start: async (): Promise<void> => {
      const receiver = {
        clock,
        deliveries: () => (stopping.signal.aborted ? undefined : work),
        ended: metrics.platform.delivered,
      };
      const { consoleLinks } = config;
      const statusPage = { clock, store: caches.store, about, events: events.recent, consoleLinks };
      servers = await startServers({ config, registry: metrics.registry, waitingFor, receiver, statusPage, log });
      log.info("started", {
        ...configured(config),
        version,
        instance: config.instance,
        namespace: config.operatorNamespace,
      });
      booting = boot();
    },
    /**
     * Takes no more keys, lets the running reconciles end and record their results, releases the lease and closes
     * everything. @returns false when reconciles had to be abandoned; the lease then expires
     */
    stop: async (): Promise<boolean> => {
      stopping.abort();
      await booting;
      const drained = await drain();
      abandoned.abort();
      await Promise.all([drained ? election.stop() : undefined, events.stop(), caches.stop(), work?.disconnect()]);
      await Promise.all([client.close(), leaseClient.close(), ...servers.map((server) => server.stop())]);
      return drained;
    },
  };
}

/** Returns the configuration for the log, e.g. to see that an idle operator watches other namespaces than expected. */
function configured(config: OperatorOptions["config"]): Fields {
  const surfaces = {
    metrics: config.metricsBindAddress,
    health: config.healthProbeBindAddress,
    webhook: config.webhookBindAddress,
    "status-page": config.statusPageBindAddress,
  };
  return {
    namespaces: config.watchNamespaces.join(",") || "*",
    hosts: config.allowedPlatformHosts.join(",") || "*",
    workers: config.workers,
    surfaces: Object.entries(surfaces)
      .flatMap(([name, at]) => (at === undefined ? [] : [name]))
      .join(","),
  };
}
