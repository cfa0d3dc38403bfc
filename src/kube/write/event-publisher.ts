import { abortableSleep, createBackoff } from "../api/clock.ts";
import { KubeError } from "../api/errors.ts";
import { collectionPath, EVENT, objectPath } from "../api/paths.ts";
import { FIELD_MANAGER, type KubeClient, mergePatch } from "../api/transport.ts";
import type { Clock, EventInput, JsonObject, KubeFailure } from "../api/types.ts";

/** The number of attempts before an event is dropped. */
const ATTEMPTS = 4;
/** Events of cluster-scoped objects are accepted in this namespace only (and in kube-system). */
const CLUSTER_NAMESPACE = "default";
/** How long no event is written in a namespace in which the operator has no right to. */
const REFUSED_MS = 10 * 60_000;
/** Failures that may be over at the next attempt. */
const TRANSIENT: ReadonlySet<KubeFailure> = new Set(["TooManyRequests", "Server", "Unreachable", "Timeout"]);

/** The reference of an event to its object: a series keeps nothing else of the object. */
export interface Regarding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string;
}

/** An event and the number of its occurrences. */
export interface Series {
  readonly regarding: Regarding;
  readonly type: EventInput["type"];
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly eventTime: string;
  count: number;
  lastObservedTime: string;
  /** On the monotonic clock. */
  lastWriteAt: number;
  /** Queued, or waiting for its next write. */
  waiting: boolean;
}

export interface PublisherOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  /** The reporting instance: the pod's name. */
  readonly instance: string;
  /** The namespace of events whose own namespace is being terminated: the operator's own. */
  readonly fallbackNamespace: string;
  /** Called for every event that was written to `fallbackNamespace`, with its object. */
  onMoved?(regarding: Regarding, reason: string): void;
  /** Called when the operator has no right to write events in a namespace, at most once in ten minutes. */
  onRefused?(namespace: string): void;
}

/** The Event object that a series was written to. */
interface EventKey {
  readonly namespace: string;
  readonly name: string;
}

/**
 * @returns a function that writes a series: it creates the event the first time, then patches its count. It resolves
 * with false when the event is dropped, and never rejects.
 */
export function createEventPublisher(
  options: PublisherOptions,
): (series: Series, signal: AbortSignal) => Promise<boolean> {
  const { client, clock, random } = options;
  const keys = new WeakMap<Series, EventKey>();
  /** Until when no event is written in a namespace, on the monotonic clock. */
  const refusedUntil = new Map<string, number>();
  let serial = 0;

  const create = async (series: Series, namespace: string, signal: AbortSignal): Promise<void> => {
    serial += 1;
    const unique = `${clock.now().getTime().toString(16)}${serial.toString(16)}`;
    const name = `${series.regarding.name.slice(0, 200).replace(/[.-]+$/, "")}.${unique}`;
    await client.request({
      method: "POST",
      path: collectionPath(EVENT, namespace),
      query: { fieldManager: FIELD_MANAGER },
      body: eventBody(series, { namespace, name }, options.instance),
      signal,
    });
    keys.set(series, { namespace, name });
  };

  const count = async (series: Series, key: EventKey, signal: AbortSignal): Promise<void> => {
    const options = { query: { fieldManager: FIELD_MANAGER }, signal };
    await client.request(mergePatch(objectPath(EVENT, key), { series: seriesBody(series) }, options));
  };

  /**
   * Makes one attempt. An event that has expired is created again. A namespace that is being terminated accepts no new
   * events (403, 404): they are created in `fallbackNamespace`.
   */
  const write = async (series: Series, signal: AbortSignal): Promise<void> => {
    const own = series.regarding.namespace ?? CLUSTER_NAMESPACE;
    const key = keys.get(series);
    try {
      await (key === undefined ? create(series, own, signal) : count(series, key, signal));
    } catch (error) {
      if (key !== undefined && error instanceof KubeError && error.failure === "NotFound") {
        keys.delete(series);
        await write(series, signal);
      } else if (key === undefined && isNamespaceTerminating(error)) {
        await create(series, options.fallbackNamespace, signal);
        options.onMoved?.(series.regarding, series.reason);
      } else throw error;
    }
  };

  /** Notes that the operator has no right to write events in a namespace. */
  const noteRefusal = (error: unknown, namespace: string): void => {
    const isRightMissing =
      error instanceof KubeError && error.failure === "Forbidden" && error.refusedBy() === undefined;
    if (!isRightMissing) return;
    refusedUntil.set(namespace, clock.monotonic() + REFUSED_MS);
    options.onRefused?.(namespace);
  };

  return async (series, signal) => {
    const namespace = series.regarding.namespace ?? CLUSTER_NAMESPACE;
    if (clock.monotonic() < (refusedUntil.get(namespace) ?? 0)) return false;
    refusedUntil.delete(namespace);
    const backoff = createBackoff({ baseMs: 500, capMs: 10_000, random });
    for (let attempt = 1; ; attempt += 1) {
      try {
        await write(series, signal);
        return true;
      } catch (error) {
        noteRefusal(error, namespace);
        const isTransient = error instanceof KubeError && TRANSIENT.has(error.failure);
        if (!isTransient || attempt === ATTEMPTS) return false;
        if (!(await abortableSleep(clock, Math.max(backoff.next(), error.retryAfterMs ?? 0), signal))) return false;
      }
    }
  };
}

function isNamespaceTerminating(error: unknown): boolean {
  return error instanceof KubeError && (error.failure === "NotFound" || error.causes.includes("NamespaceTerminating"));
}

function eventBody(series: Series, key: EventKey, instance: string): JsonObject {
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { ...key },
    eventTime: series.eventTime,
    reportingController: FIELD_MANAGER,
    reportingInstance: instance.slice(0, 128),
    type: series.type,
    reason: series.reason,
    action: series.action,
    note: series.note,
    regarding: { ...series.regarding },
    ...(series.count > 1 ? { series: seriesBody(series) } : {}),
  };
}

function seriesBody({ count, lastObservedTime }: Series): JsonObject {
  return { count, lastObservedTime };
}
