/** Removes live secret values from texts: tokens in use and the values read from Secrets (docs/reliability.md E6). */
import { PLAIN_CONNECTION_KEYS } from "../api/names.ts";
import { sentJson } from "../kube/api/json.ts";
import type { EventRecorder, KeyValues } from "../kube/api/types.ts";
import type { Reader } from "../kube/watch/readers.ts";
import type { Writer } from "../kube/write/writer.ts";
import { type Mask, maskOf, withoutValues } from "../text/mask.ts";

/**
 * The values of one namespace and of all that are remembered, in UTF-16 units; those that were read longest ago are
 * dropped. A namespace cannot take from others what they need: the values of a reconcile are read at its start.
 */
const MOST_OF_A_NAMESPACE = 128 * 1024;
const MOST = 8 * 1024 * 1024;
/** What makes a value take memory besides its length. */
const OVERHEAD = 64;
/** A value that no reconcile has read for so long is forgotten: its Secret may have gone together with its readers. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1_000;
const MARK = "[redacted]";

/** A value and, as it may still be in use, the value that it replaced. */
interface Held {
  readonly values: readonly string[];
  readonly readAt: number;
}

/** The values of a namespace by their source, the one read longest ago first. */
interface Space {
  readonly held: Map<string, Held>;
  size: number;
  /** Made from the values when a text is masked. */
  mask: Mask | undefined;
}

export type Redactor = ReturnType<typeof createRedactor>;

/** @param now in milliseconds, monotonic @returns a redactor without values */
export function createRedactor(now: () => number = () => performance.now()) {
  /** By namespace, the one whose values were read longest ago first. "" has the values of the whole cluster. */
  const spaces = new Map<string, Space>();
  let total = 0;
  const isFull = (): boolean => total > MOST;

  const drop = (namespace: string, space: Space, source: string): void => {
    const size = sizeOf(space.held.get(source));
    if (!space.held.delete(source)) return;
    space.size -= size;
    total -= size;
    space.mask = undefined;
    if (space.held.size === 0) spaces.delete(namespace);
  };
  const dropOldest = (namespace: string, space: Space): void => {
    const [oldest] = space.held.keys();
    if (oldest !== undefined) drop(namespace, space, oldest);
  };
  const maskIn = (namespace: string): Mask | undefined => {
    const space = spaces.get(namespace);
    if (space === undefined) return undefined;
    for (const [source, { readAt }] of space.held) {
      if (now() - readAt < FORGOTTEN_AFTER_MS) break;
      drop(namespace, space, source);
    }
    space.mask ??= maskOf([...space.held.values()].flatMap(({ values }) => values));
    return space.mask;
  };

  return {
    /**
     * Registers the current value of a source, to be masked in texts about the namespace; the value that it replaces
     * stays masked too.
     * @param namespace "" for texts about any namespace
     */
    hold: (namespace: string, source: string, value: string): void => {
      const space = spaces.get(namespace) ?? { held: new Map<string, Held>(), size: 0, mask: undefined };
      const before = space.held.get(source);
      const isNew = before?.values[0] !== value;
      const next = isNew
        ? { values: [value, ...(before?.values ?? []).slice(0, 1)], readAt: now() }
        : { ...before, values: before.values, readAt: now() };
      space.held.delete(source);
      space.held.set(source, next);
      spaces.delete(namespace);
      spaces.set(namespace, space);
      if (!isNew) return;
      space.mask = undefined;
      const grown = sizeOf(next) - sizeOf(before);
      space.size += grown;
      total += grown;
      while (space.size > MOST_OF_A_NAMESPACE) dropOldest(namespace, space);
      while (isFull()) {
        const [oldest] = spaces;
        if (oldest !== undefined) dropOldest(...oldest);
      }
    },
    /** Forgets a source, or with "/" at its end all sources that begin with it. */
    forget: (namespace: string, source: string): void => {
      const space = spaces.get(namespace);
      if (space === undefined) return;
      const gone = [...space.held.keys()].filter((one) =>
        source.endsWith("/") ? one.startsWith(source) : one === source,
      );
      for (const one of gone) drop(namespace, space, one);
    },
    /** @returns the text without the values of these namespaces and of the cluster, in any spelling */
    redact: (text: string, ...namespaces: readonly string[]): string => {
      const masks = [...new Set(["", ...namespaces])].flatMap((namespace) => maskIn(namespace) ?? []);
      return withoutValues(text, masks, MARK);
    },
  };
}

function sizeOf(held: Held | undefined): number {
  return (held?.values ?? []).reduce((sum, value) => sum + value.length + OVERHEAD, 0);
}

/** @returns a reader that registers each value that is taken out of a Secret, and forgets what a Secret no longer has */
export function redacting(reader: Reader, redactor: Redactor): Reader {
  return {
    ...reader,
    secret: async (namespace, name, maxAgeMs) => {
      const secret = await reader.secret(namespace, name, maxAgeMs);
      if (secret === undefined) redactor.forget(namespace, `${name}/`);
      return secret && watched(secret, namespace, name, redactor);
    },
  };
}

function watched(secret: KeyValues, namespace: string, name: string, redactor: Redactor): KeyValues {
  // A Secret that the operator wrote also has names and ids, which are not secret.
  const isOurs = secret.keys.includes("id") && secret.keys.includes("environmentId");
  return {
    ...secret,
    get: (key) => {
      const value = secret.get(key);
      if (isOurs && PLAIN_CONNECTION_KEYS.has(key)) return value;
      if (typeof value === "string") redactor.hold(namespace, `${name}/${key}`, value);
      else redactor.forget(namespace, `${name}/${key}`);
      return value;
    },
  };
}

/**
 * Redacts statuses: any answer of the platform may quote an earlier request. Only values of the object's own namespace
 * and of the cluster are redacted, so that a Secret cannot mask texts in other namespaces.
 * @returns a writer whose statuses contain no value of a Secret in a message at any depth
 */
export function discreetWriter(writer: Writer, redactor: Redactor): Writer {
  return {
    ...writer,
    patchStatus: (object, status) => {
      const { namespace } = object.metadata;
      const mask = (name: string, value: unknown): unknown =>
        name === "message" && typeof value === "string" ? redactor.redact(value, namespace ?? "") : value;
      return writer.patchStatus(object, sentJson(status, mask));
    },
  };
}

/** @returns a recorder whose notes contain no value of a Secret either */
export function discreetEvents(events: EventRecorder, redactor: Redactor): EventRecorder {
  return {
    record: (event) => {
      const { namespace = "" } = event.regarding.metadata;
      events.record({ ...event, note: redactor.redact(event.note, namespace) });
    },
  };
}
