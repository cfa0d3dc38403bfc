/** Masks secret values in texts: the tokens in use, and the values that were read from Secrets. */
import { PLAIN_CONNECTION_KEYS } from "../api/names.ts";
import { sentJson } from "../kube/api/json.ts";
import type { EventRecorder, KeyValues } from "../kube/api/types.ts";
import type { Reader } from "../kube/watch/readers.ts";
import type { Writer } from "../kube/write/writer.ts";
import { type Mask, maskOf, withoutValues } from "../text/mask.ts";

/**
 * The size of the values of one namespace, and of all values, in UTF-16 units. The values that were read longest ago
 * are evicted. No namespace can evict values that a reconcile of another namespace needs: they are read at its start.
 */
const MAX_NAMESPACE_SIZE = 128 * 1024;
const MAX_SIZE = 8 * 1024 * 1024;
/** The memory that a value takes besides its length, in UTF-16 units. */
const OVERHEAD = 64;
/** A value that no reconcile has read for so long is dropped: its Secret may have gone together with its readers. */
const EXPIRES_AFTER_MS = 24 * 60 * 60 * 1_000;
const REDACTED = "[redacted]";

/** The value of a source and, as it may still be in use, the value that it replaced. */
interface SecretValue {
  readonly values: readonly string[];
  readonly readAt: number;
}

/** The values of a namespace by their source, in the order in which they were read. */
interface NamespaceValues {
  readonly bySource: Map<string, SecretValue>;
  size: number;
  /** Made from the values when a text is masked. */
  mask: Mask | undefined;
}

export type Redactor = ReturnType<typeof createRedactor>;

/** @param now in milliseconds, monotonic @returns a redactor without values */
export function createRedactor(now: () => number = () => performance.now()) {
  /** By namespace, in the order in which their values were read; "" has the values of the whole cluster. */
  const spaces = new Map<string, NamespaceValues>();
  let total = 0;
  const isFull = (): boolean => total > MAX_SIZE;

  const drop = (namespace: string, space: NamespaceValues, source: string): void => {
    const size = sizeOf(space.bySource.get(source));
    if (!space.bySource.delete(source)) return;
    space.size -= size;
    total -= size;
    space.mask = undefined;
    if (space.bySource.size === 0) spaces.delete(namespace);
  };
  const evictOldest = (namespace: string, space: NamespaceValues): void => {
    const [oldest] = space.bySource.keys();
    if (oldest !== undefined) drop(namespace, space, oldest);
  };
  const maskIn = (namespace: string): Mask | undefined => {
    const space = spaces.get(namespace);
    if (space === undefined) return undefined;
    for (const [source, { readAt }] of space.bySource) {
      if (now() - readAt < EXPIRES_AFTER_MS) break;
      drop(namespace, space, source);
    }
    space.mask ??= maskOf([...space.bySource.values()].flatMap(({ values }) => values));
    return space.mask;
  };

  return {
    /**
     * Registers the current value of a source, to be masked in texts about the namespace; the value that it replaces
     * stays masked too.
     * @param namespace "" for texts about any namespace
     */
    hold: (namespace: string, source: string, value: string): void => {
      const space = spaces.get(namespace) ?? { bySource: new Map<string, SecretValue>(), size: 0, mask: undefined };
      const before = space.bySource.get(source);
      const isNew = before?.values[0] !== value;
      const next = isNew
        ? { values: [value, ...(before?.values ?? []).slice(0, 1)], readAt: now() }
        : { ...before, values: before.values, readAt: now() };
      space.bySource.delete(source);
      space.bySource.set(source, next);
      spaces.delete(namespace);
      spaces.set(namespace, space);
      if (!isNew) return;
      space.mask = undefined;
      const grown = sizeOf(next) - sizeOf(before);
      space.size += grown;
      total += grown;
      while (space.size > MAX_NAMESPACE_SIZE) evictOldest(namespace, space);
      while (isFull()) {
        const [oldest] = spaces;
        if (oldest !== undefined) evictOldest(...oldest);
      }
    },
    /** Removes the value of a source, or with "/" at its end the values of all sources that begin with it. */
    release: (namespace: string, source: string): void => {
      const space = spaces.get(namespace);
      if (space === undefined) return;
      const gone = [...space.bySource.keys()].filter((one) =>
        source.endsWith("/") ? one.startsWith(source) : one === source,
      );
      for (const one of gone) drop(namespace, space, one);
    },
    /** @returns the text without the values of these namespaces and of the cluster, in any spelling */
    redact: (text: string, ...namespaces: readonly string[]): string => {
      const masks = [...new Set(["", ...namespaces])].flatMap((namespace) => maskIn(namespace) ?? []);
      return withoutValues(text, masks, REDACTED);
    },
  };
}

function sizeOf(value: SecretValue | undefined): number {
  return (value?.values ?? []).reduce((sum, text) => sum + text.length + OVERHEAD, 0);
}

/**
 * @returns a reader that registers each value that is taken out of a Secret, and releases values that the Secret no
 * longer has
 */
export function redactingReader(reader: Reader, redactor: Redactor): Reader {
  return {
    ...reader,
    secret: async (namespace, name, maxAgeMs) => {
      const secret = await reader.secret(namespace, name, maxAgeMs);
      if (secret === undefined) redactor.release(namespace, `${name}/`);
      return secret && registering(secret, namespace, name, redactor);
    },
  };
}

function registering(secret: KeyValues, namespace: string, name: string, redactor: Redactor): KeyValues {
  // A Secret that the operator wrote also has names and ids, which are not secret.
  const isConnectionSecret = secret.keys.includes("id") && secret.keys.includes("environmentId");
  return {
    ...secret,
    get: (key) => {
      const value = secret.get(key);
      if (isConnectionSecret && PLAIN_CONNECTION_KEYS.has(key)) return value;
      if (typeof value === "string") redactor.hold(namespace, `${name}/${key}`, value);
      else redactor.release(namespace, `${name}/${key}`);
      return value;
    },
  };
}

/**
 * Redacts statuses: any answer of the platform may quote an earlier request. Only values of the object's own namespace
 * and of the cluster are redacted, so that a Secret cannot mask texts in other namespaces.
 * @returns a writer whose statuses contain no value of a Secret in a message at any depth
 */
export function redactingWriter(writer: Writer, redactor: Redactor): Writer {
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

/** @returns a recorder whose notes contain no value of a Secret of the namespace of their object */
export function redactingEvents(events: EventRecorder, redactor: Redactor): EventRecorder {
  return {
    record: (event) => {
      const { namespace = "" } = event.regarding.metadata;
      events.record({ ...event, note: redactor.redact(event.note, namespace) });
    },
  };
}
