import { LRUCache } from "lru-cache";

import { KubeError } from "../api/errors.ts";
import { member, stringEntries, stringMember } from "../api/json.ts";
import { CONFIG_MAP, NAMESPACE, objectPath, SECRET } from "../api/paths.ts";
import { type KubeClient, readOptional } from "../api/transport.ts";
import type { Clock, Json, KeyValues, NamespaceFacts, ResourceType } from "../api/types.ts";

/** The number of Secrets and ConfigMaps that are cached. */
const VALUES = 1_000;
/** The number of namespaces that are cached: all that one cluster supports. */
const NAMESPACES = 10_000;

/** Reads of Secrets and ConfigMaps by name; there is no list and no watch of them. */
export type Reader = ReturnType<typeof createReader>;

/** @returns a reader by name only: the RBAC on Secrets is `get` alone (docs/architecture.md §10) */
export function createReader(client: KubeClient, clock: Clock) {
  const answers = createAnswers<KeyValues | undefined>(clock, VALUES);
  /** Reads an object; undefined when it does not exist. A cached answer younger than `maxAgeMs` replaces the read. */
  const readerOf = (type: ResourceType) => (namespace: string, name: string, maxAgeMs: number) =>
    answers.get(`${type.kind}/${namespace}/${name}`, maxAgeMs, async () => {
      const answer = await readOptional(client, objectPath(type, { namespace, name }));
      return answer === undefined ? undefined : keyValues(type, answer);
    });
  return { secret: readerOf(SECRET), configMap: readerOf(CONFIG_MAP) };
}

/** Reads of namespaces by name, cached for up to `maxAgeMs`. */
export type Namespaces = ReturnType<typeof createNamespaces>;

/** @returns a caching reader of namespaces, which reads by name only; one that does not exist is not cached */
export function createNamespaces(client: KubeClient, clock: Clock) {
  const answers = createAnswers<NamespaceFacts | undefined>(clock, NAMESPACES);
  const read = async (name: string): Promise<NamespaceFacts | undefined> => {
    const answer = await readOptional(client, objectPath(NAMESPACE, { namespace: "", name }));
    if (answer === undefined) answers.forget(name);
    return answer === undefined ? undefined : namespaceFacts(answer);
  };
  return {
    get: (name: string, maxAgeMs: number): Promise<NamespaceFacts | undefined> =>
      answers.get(name, maxAgeMs, () => read(name)),
  };
}

/** Caches answers for as long as each reader allows. All readers share an answer; a failure is not cached. */
function createAnswers<T>(clock: Clock, max: number) {
  const held = new LRUCache<string, { readonly readAt: number; readonly answer: Promise<T> }>({ max });
  return {
    get: (id: string, maxAgeMs: number, read: () => Promise<T>): Promise<T> => {
      const known = held.get(id);
      if (known !== undefined && clock.monotonic() - known.readAt < maxAgeMs) return known.answer;
      const entry = { readAt: clock.monotonic(), answer: read() };
      held.set(id, entry);
      entry.answer.catch(() => {
        if (held.peek(id) === entry) held.delete(id);
      });
      return entry.answer;
    },
    forget: (id: string): void => {
      held.delete(id);
    },
  };
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
  const type = stringMember(object, "type");
  const labels = Object.fromEntries(stringEntries(member(member(object, "metadata"), "labels")));
  const data = new Map(stringEntries(member(object, "data")));
  const binary = new Set(stringEntries(member(object, "binaryData")).map(([key]) => key));
  if (kind !== SECRET.kind) return { data, binary, labels };
  for (const [key, value] of data) {
    const text = textOf(Buffer.from(value, "base64"));
    if (text !== undefined) data.set(key, text);
    else if (data.delete(key)) binary.add(key);
  }
  return { data, binary, type, labels };
}

/** A byte order mark is part of the value. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @returns the text of UTF-8; undefined for other bytes, also for those with NUL, which UTF-16 without a mark has */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function namespaceFacts(answer: Json): NamespaceFacts {
  const metadata = member(answer, "metadata");
  const uid = stringMember(metadata, "uid");
  if (uid === undefined) throw new KubeError("BadResponse", 200, "the answer is no Namespace");
  const labels = Object.fromEntries(stringEntries(member(metadata, "labels")));
  return { uid, labels, terminating: stringMember(metadata, "deletionTimestamp") !== undefined };
}
