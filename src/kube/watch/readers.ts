import { LRUCache } from "lru-cache";

import { KubeError } from "../api/errors.ts";
import { member, stringEntries, stringMember } from "../api/json.ts";
import { CONFIG_MAP, NAMESPACE, objectPath, SECRET } from "../api/paths.ts";
import { type KubeClient, readOptional } from "../api/transport.ts";
import type { Clock, Json, KeyValues, NamespaceFacts, ResourceType } from "../api/types.ts";

/** The Secrets and ConfigMaps that are cached: 1,000, of 16 MiB together. */
const VALUES = { max: 1_000, maxSize: 16 * 1024 * 1024 };
/** The number of namespaces that are cached: all that one cluster supports. */
const NAMESPACES = { max: 10_000, maxSize: 10_000 };

/** Reads of Secrets and ConfigMaps by name; there is no list and no watch of them. */
export type Reader = ReturnType<typeof createReader>;

/** @returns a reader by name only: the operator has the right to get Secrets, not to list or watch them */
export function createReader(client: KubeClient, clock: Clock) {
  const answers = createAnswerCache(clock, VALUES, ({ size }: SizedValues) => size);
  /** Reads an object; undefined when it does not exist. A cached answer younger than `maxAgeMs` replaces the read. */
  const readerOf = (type: ResourceType) => async (namespace: string, name: string, maxAgeMs: number) => {
    const { values } = await answers.get(`${type.kind}/${namespace}/${name}`, maxAgeMs, async () => {
      const answer = await readOptional(client, objectPath(type, { namespace, name }));
      return answer === undefined ? { values: undefined, size: 1 } : sizedValues(type, answer);
    });
    return values;
  };
  return { secret: readerOf(SECRET), configMap: readerOf(CONFIG_MAP) };
}

/** Reads of namespaces by name, cached for up to `maxAgeMs`. */
export type Namespaces = ReturnType<typeof createNamespaces>;

/** @returns a caching reader of namespaces, which reads by name only; one that does not exist is not cached */
export function createNamespaces(client: KubeClient, clock: Clock) {
  const answers = createAnswerCache<NamespaceFacts | undefined>(clock, NAMESPACES, () => 1);
  const read = async (name: string): Promise<NamespaceFacts | undefined> => {
    const answer = await readOptional(client, objectPath(NAMESPACE, { namespace: "", name }));
    if (answer === undefined) answers.delete(name);
    return answer === undefined ? undefined : namespaceFacts(answer);
  };
  return {
    get: (name: string, maxAgeMs: number): Promise<NamespaceFacts | undefined> =>
      answers.get(name, maxAgeMs, () => read(name)),
  };
}

/** Caches answers for as long as each reader allows. All readers share an answer; a failure is not cached. */
function createAnswerCache<T>(clock: Clock, limits: { max: number; maxSize: number }, sizeOf: (answer: T) => number) {
  const entries = new LRUCache<string, { readonly readAt: number; readonly answer: Promise<T> }>(limits);
  return {
    get: (id: string, maxAgeMs: number, read: () => Promise<T>): Promise<T> => {
      const known = entries.get(id);
      if (known !== undefined && clock.monotonic() - known.readAt < maxAgeMs) return known.answer;
      const entry = { readAt: clock.monotonic(), answer: read() };
      entries.set(id, entry, { size: 1 });
      entry.answer.then(
        (answer) => {
          // A copy, as the size of the same value would not change.
          if (entries.peek(id) === entry) entries.set(id, { ...entry }, { size: sizeOf(answer) });
        },
        () => {
          if (entries.peek(id) === entry) entries.delete(id);
        },
      );
      return entry.answer;
    },
    delete: (id: string): void => {
      entries.delete(id);
    },
  };
}

interface SizedValues {
  readonly values: KeyValues | undefined;
  /** In UTF-16 units. */
  readonly size: number;
}

function sizedValues(type: ResourceType, answer: Json): SizedValues {
  const texts = ["data", "binaryData"].flatMap((name) => stringEntries(member(answer, name)));
  const size = texts.reduce((sum, [key, value]) => sum + key.length + value.length, 1);
  return { values: keyValues(type, answer), size };
}

function keyValues(type: ResourceType, answer: Json): KeyValues {
  const metadata = member(answer, "metadata");
  const uid = stringMember(metadata, "uid");
  const resourceVersion = stringMember(metadata, "resourceVersion");
  if (uid === undefined || resourceVersion === undefined) {
    throw new KubeError("BadResponse", 200, `the answer is no ${type.kind}`);
  }
  return { uid, resourceVersion, ...keyValuesIn(type.kind, answer) };
}

/** @returns what a Secret or a ConfigMap holds, as the API server returns it: `binaryData` is never text */
export function keyValuesIn(kind: string, object: Json): Omit<KeyValues, "uid" | "resourceVersion"> {
  const data = new Map(stringEntries(member(object, "data")));
  const binary = stringEntries(member(object, "binaryData")).map(([key]) => key);
  const isSecret = kind === SECRET.kind;
  return {
    type: isSecret ? stringMember(object, "type") : undefined,
    labels: Object.fromEntries(stringEntries(member(member(object, "metadata"), "labels"))),
    keys: [...data.keys(), ...binary],
    get: (key) => {
      const stored = data.get(key);
      if (stored === undefined) return binary.includes(key) ? null : undefined;
      return isSecret ? textOf(Buffer.from(stored, "base64")) : stored;
    },
  };
}

/** A byte order mark is part of the value. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @returns the text of UTF-8; null for other bytes, also for those with NUL, which UTF-16 without a mark has */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function namespaceFacts(answer: Json): NamespaceFacts {
  const metadata = member(answer, "metadata");
  const uid = stringMember(metadata, "uid");
  if (uid === undefined) throw new KubeError("BadResponse", 200, "the answer is no Namespace");
  const labels = Object.fromEntries(stringEntries(member(metadata, "labels")));
  return { uid, labels, terminating: stringMember(metadata, "deletionTimestamp") !== undefined };
}
