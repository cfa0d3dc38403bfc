import { isKube, KubeError } from "../api/errors.ts";
import { isObject, member, stringMember } from "../api/json.ts";
import { NAMESPACE, objectPath } from "../api/paths.ts";
import type { KubeClient } from "../api/transport.ts";
import type { Clock, Json, NamespaceFacts, Namespaces } from "../api/types.ts";

/** @returns a caching reader of namespaces, which reads by name only */
export function createNamespaces(client: KubeClient, clock: Clock): Namespaces {
  const held = new Map<string, { readonly readAt: number; readonly answer: Promise<NamespaceFacts | undefined> }>();

  const fetch = async (name: string): Promise<NamespaceFacts | undefined> => {
    try {
      return decode(await client.request({ method: "GET", path: objectPath(NAMESPACE, { namespace: "", name }) }));
    } catch (error) {
      if (isKube(error, "NotFound")) return undefined;
      throw error;
    }
  };

  return {
    get: (name, maxAgeMs) => {
      const known = held.get(name);
      if (known !== undefined && clock.monotonic() - known.readAt < maxAgeMs) return known.answer;
      const entry = { readAt: clock.monotonic(), answer: fetch(name) };
      held.set(name, entry);
      entry.answer.then(
        (facts) => {
          if (facts === undefined && held.get(name) === entry) held.delete(name);
        },
        () => {
          if (held.get(name) === entry) held.delete(name);
        },
      );
      return entry.answer;
    },
  };
}

function decode(answer: Json): NamespaceFacts {
  const metadata = member(answer, "metadata");
  const uid = stringMember(metadata, "uid");
  if (uid === undefined) throw new KubeError("BadResponse", 200, "the answer is no Namespace");
  const labels = member(metadata, "labels");
  const entries = isObject(labels) ? Object.entries(labels) : [];
  return {
    uid,
    labels: Object.fromEntries(
      entries.flatMap(([name, value]): [string, string][] => (typeof value === "string" ? [[name, value]] : [])),
    ),
    terminating: stringMember(metadata, "deletionTimestamp") !== undefined,
  };
}
