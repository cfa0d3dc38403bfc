import { abortableSleep, createBackoff, deadline } from "../api/clock.ts";
import { KubeError } from "../api/errors.ts";
import { collectionPath } from "../api/paths.ts";
import { createTokenBucket } from "../api/token-bucket.ts";
import type { KubeClient } from "../api/transport.ts";
import type { Clock, ResourceType } from "../api/types.ts";
import { DEAD_AFTER_MS } from "../api/watch-connections.ts";
import { listAll } from "./list.ts";
import { isOlder, type Store } from "./store.ts";
import { lines, parseEvent, type WatchEvent } from "./watch-event.ts";

/**
 * How long the server keeps a watch open, in seconds, and how much longer the client waits for its end. Bookmarks come
 * about every 60 s, and only when the version has changed, so silence proves nothing.
 * - The client notices a dead connection by itself over HTTP/2. A watch then lasts as long as one of client-go.
 * - Otherwise the one sign of life that the server guarantees is the end of the watch at `timeoutSeconds`: a short watch
 *   detects a dead connection within 43 s. So does the first watch, before any connection is known.
 */
const WATCH_SECONDS = { min: 300, spread: 300, grace: 5 } as const;
const SHORT_WATCH_SECONDS = { min: 30, spread: 8, grace: 5 } as const;
/** A watch that stays open this long resets the backoff, however it ends. */
const HEALTHY_MS = 5_000;

/** Receives what a reflector reports; all calls are cheap and must not throw. */
export interface ReflectorObserver {
  listed?(kind: string, objects: number): void;
  /** Called for an event or item that could not be parsed; the next list repairs it. */
  malformed?(kind: string): void;
  failed?(kind: string, error: KubeError, retryInMs: number): void;
}

export interface ReflectorOptions {
  readonly client: KubeClient;
  readonly store: Store;
  readonly type: ResourceType;
  /** All namespaces when left out. */
  readonly namespace?: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observer?: ReflectorObserver;
  /** Called in place of storing the first list; `put` stores it, at once or later. By default it is stored at once. */
  readonly admit?: (put: () => void) => void;
  /** Lists after a lost history begin within this time, so that the watches that end together do not list together. */
  readonly relistSpreadMs?: number;
}

/** Keeps the store equal to the API server's objects of one type. */
export type Reflector = ReturnType<typeof createReflector>;

/** @returns a reflector that is not started; each failure is reported to `observer` and followed by a backoff */
export function createReflector(options: ReflectorOptions) {
  const { clock, observer, random, relistSpreadMs = 0, store, type } = options;
  const path = collectionPath(type, options.namespace);
  const backoff = createBackoff({ baseMs: 800, capMs: 30_000, random });
  // A server that does not answer gets few requests, and all watches are back within 10 s after it returns.
  const unreachableBackoff = createBackoff({ baseMs: 800, capMs: 8_000, random });
  const connects = createTokenBucket(clock, CONNECTS);
  let running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  let synced = false;
  /** When the API server last sent something of the type, on the monotonic clock. */
  let activeAt = clock.monotonic();
  /** Whether the API server has accepted the watch, which has not ended. */
  let isOpen = false;

  /** The newest version observed; kept over a relist to detect that the server went back in time. */
  let newest = "0";

  const resetBackoff = (): void => {
    backoff.reset();
    unreachableBackoff.reset();
  };
  const delayAfter = ({ failure }: KubeError): number => {
    if (failure === "Unreachable" || failure === "Timeout") return unreachableBackoff.next();
    unreachableBackoff.reset();
    return backoff.next() + (failure === "Gone" ? random() * relistSpreadMs : 0);
  };

  const list = async (signal: AbortSignal): Promise<void> => {
    const listed = await listAll(options.client, type, path, signal);
    if (signal.aborted) return;
    for (let skipped = 0; skipped < listed.malformed; skipped += 1) observer?.malformed?.(type.kind);
    const { objects, resourceVersion } = listed;
    const rewound = isOlder(resourceVersion, newest);
    const stored = Promise.withResolvers<void>();
    const put = (): void => {
      if (signal.aborted) return;
      store.replace({ kind: type.kind, namespace: options.namespace, objects, resourceVersion, rewound });
      newest = resourceVersion;
      synced = true;
      activeAt = clock.monotonic();
      observer?.listed?.(type.kind, objects.length);
      stored.resolve();
    };
    if (synced || options.admit === undefined) {
      put();
      return;
    }
    signal.addEventListener("abort", () => stored.resolve(), { once: true });
    options.admit(put);
    await stored.promise;
  };

  const apply = (event: WatchEvent): void => {
    switch (event.type) {
      case "put":
        store.upsert(event.object);
        break;
      case "deleted":
        store.remove(event.object);
        break;
      case "bookmark":
        if (isOlder(event.resourceVersion, newest)) throw new KubeError("Gone", 0, "the server went back in time");
        break;
      case "error":
        throw event.error;
      case "malformed":
        observer?.malformed?.(type.kind);
        throw new KubeError("BadResponse", 200, `WATCH ${path}: an event cannot be read`);
      default:
        event satisfies never;
    }
    newest = event.type === "bookmark" ? event.resourceVersion : event.object.metadata.resourceVersion;
  };

  /** Follows one watch to its end. */
  const watch = async (stop: AbortSignal): Promise<void> => {
    const times = options.client.watchSilenceMs() === undefined ? SHORT_WATCH_SECONDS : WATCH_SECONDS;
    const seconds = times.min + Math.floor(random() * times.spread);
    const limit = deadline(clock, (seconds + times.grace) * 1_000, stop);
    // A wait for the connection is no part of it: otherwise each timeout would reset the backoff of an overloaded server.
    let openedAt: number | undefined;
    try {
      const stream = options.client.stream({
        path,
        query: { watch: true, allowWatchBookmarks: true, resourceVersion: newest, timeoutSeconds: seconds },
        signal: limit.signal,
        opened: () => {
          openedAt = clock.monotonic();
          isOpen = true;
        },
      });
      for await (const line of lines(stream, () => observer?.malformed?.(type.kind))) {
        if (stop.aborted) return;
        activeAt = clock.monotonic();
        apply(parseEvent(type, line, store.has));
        resetBackoff();
      }
      activeAt = clock.monotonic();
    } finally {
      isOpen = false;
      // Until then the connection lived.
      if (times === WATCH_SECONDS && openedAt !== undefined) {
        activeAt = Math.max(activeAt, clock.monotonic() - DEAD_AFTER_MS);
      }
      limit.done();
      if (openedAt !== undefined && clock.monotonic() - openedAt >= HEALTHY_MS) resetBackoff();
    }
  };

  const run = async (stop: AbortSignal): Promise<void> => {
    let current = false;
    while (!stop.aborted) {
      try {
        if (!current) await list(stop);
        current = true;
        // A clean end is no failure: watch again at once, unless a server ends every watch at once.
        if (!(await abortableSleep(clock, connects.reserve() + random() * 100, stop))) return;
        await watch(stop);
      } catch (error) {
        if (stop.aborted) return;
        const failure = error instanceof KubeError ? error : new KubeError("BadResponse", 0, "the reflector failed");
        current = current && !mustRelist(failure);
        const wait = Math.max(delayAfter(failure), failure.retryAfterMs ?? 0);
        observer?.failed?.(type.kind, failure, wait);
        await abortableSleep(clock, wait, stop);
      }
    }
  };

  return {
    /** Starts the reflector; does nothing while it runs. */
    start: (): void => {
      if (running !== undefined) return;
      const stop = new AbortController();
      running = { stop, ended: run(stop.signal) };
    },
    /** Resolves when all its work has ended; nothing enters the store afterwards. */
    stop: async (): Promise<void> => {
      const stopping = running;
      stopping?.stop.abort();
      await stopping?.ended;
      if (running === stopping) running = undefined;
    },
    /** Reports whether the first list is in the store. */
    synced: (): boolean => synced,
    /** Returns the milliseconds since the last sign of life of the API server on this watch or its connection. */
    silentMs: (): number => {
      const heard = isOpen ? options.client.watchSilenceMs() : undefined;
      return Math.min(clock.monotonic() - activeAt, heard ?? Infinity);
    },
  };
}

/**
 * Reports whether only a list can provide what the watch missed: the history is gone, or an event could not be parsed.
 */
function mustRelist(failure: KubeError): boolean {
  return ["Gone", "BadResponse", "Invalid", "NotFound"].includes(failure.failure);
}

/**
 * With a burst of 8 and one more every 6 s there are at most 18 connects in any minute, also to a server that ends
 * every watch at once.
 */
const CONNECTS = { burst: 8, refillMs: 6_000 };
