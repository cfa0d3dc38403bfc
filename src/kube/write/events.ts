import { LRUCache } from "lru-cache";

import { cleanText } from "../../text/text.ts";
import { abortableSleep, microTime } from "../api/clock.ts";
import type { EventInput, KubeObject } from "../api/types.ts";
import { createEventPublisher, type PublisherOptions, type Regarding, type Series } from "./event-publisher.ts";

/** Equal events within this time are one series. */
const SERIES_MS = 10 * 60_000;
/** The shortest time between two writes of a series. */
const WRITE_EVERY_MS = 60_000;
/** The number of events that may wait to be written; further events are dropped and counted. */
const MAX_QUEUED = 10_000;
/** The number of series that are kept in memory. */
const MAX_SERIES = 4_000;
/** The number of objects whose last events are kept in memory, and how many of each. */
const MAX_OBJECTS = 1_000;
const EVENTS_PER_OBJECT = 5;
/** How long `stop` waits for queued events. */
const STOP_MS = 2_000;
/** The API server's limit, in bytes. */
const NOTE_BYTES = 1_024;

export interface RecorderOptions extends PublisherOptions {
  /** Called for every event that was not written: the queue was full, or the API server refused it. */
  onDropped?(): void;
}

/** @returns a recorder of events.k8s.io/v1 events */
export function createRecorder(options: RecorderOptions) {
  const { clock } = options;
  const publish = createEventPublisher(options);
  const current = new LRUCache<string, Series>({
    max: MAX_SERIES,
    ttl: SERIES_MS,
    ttlResolution: 0,
    perf: { now: () => clock.monotonic() },
  });
  const recent = new LRUCache<string, readonly Series[]>({ max: MAX_OBJECTS });
  const queue: Series[] = [];
  const timers = new Set<() => void>();
  const stopping = new AbortController();
  let draining: Promise<void> | undefined;

  const drain = async (): Promise<void> => {
    for (let series = queue.shift(); series !== undefined; series = queue.shift()) {
      series.waiting = false;
      series.lastWriteAt = clock.monotonic();
      if (!(await publish(series, stopping.signal))) options.onDropped?.();
    }
    draining = undefined;
  };

  const enqueue = (series: Series): void => {
    if (queue.length >= MAX_QUEUED) {
      series.waiting = false;
      options.onDropped?.();
      return;
    }
    queue.push(series);
    draining ??= drain();
  };

  /** Queues the series now, or a minute after its last write. */
  const schedule = (series: Series): void => {
    if (series.waiting || stopping.signal.aborted) return;
    series.waiting = true;
    const wait = series.lastWriteAt + WRITE_EVERY_MS - clock.monotonic();
    if (!(wait > 0)) {
      enqueue(series);
      return;
    }
    const cancel = clock.after(wait, () => {
      timers.delete(cancel);
      enqueue(series);
    });
    timers.add(cancel);
  };

  const countOccurrence = (id: string, event: EventInput, note: string): Series => {
    const now = microTime(clock.now());
    const series = current.get(id) ?? {
      ...event,
      ...{ regarding: referenceTo(event.regarding), note },
      ...{ eventTime: now, count: 0, lastObservedTime: now, ...UNWRITTEN },
    };
    series.count += 1;
    series.lastObservedTime = now;
    current.set(id, series);
    const others = recent.get(series.regarding.uid)?.filter((each) => each !== series) ?? [];
    recent.set(series.regarding.uid, [series, ...others].slice(0, EVENTS_PER_OBJECT));
    return series;
  };

  return {
    /** Never throws, never blocks. */
    record: (event: EventInput): void => {
      const note = cleanText(event.note, NOTE_BYTES);
      const id = JSON.stringify([event.regarding.metadata.uid, event.type, event.reason, event.action, note]);
      schedule(countOccurrence(id, event, note));
    },
    /** @returns the last events that this process recorded for the object of that uid, newest first */
    recent: (uid: string): readonly Series[] => recent.peek(uid) ?? [],
    /** Writes the queued events, for 2 s at most. */
    stop: async (): Promise<void> => {
      for (const cancel of timers) cancel();
      await Promise.race([draining, abortableSleep(clock, STOP_MS, stopping.signal)]);
      stopping.abort();
      queue.length = 0;
      await draining;
    },
  };
}

/** The state of a series that was not written yet. */
const UNWRITTEN = { lastWriteAt: Number.NEGATIVE_INFINITY, waiting: false } as const;

function referenceTo({ apiVersion, kind, metadata }: KubeObject): Regarding {
  const { name, namespace, uid } = metadata;
  return { apiVersion, kind, name, namespace, uid };
}
