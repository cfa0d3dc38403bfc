import { isKube, KubeError } from "../api/errors.ts";
import { isObject, member, stringMember } from "../api/json.ts";
import { CONFIG_MAP, objectPath, SECRET } from "../api/paths.ts";
import type { KubeClient } from "../api/transport.ts";
import type { Clock, Json, KeyValues, Reader, ResourceType } from "../api/types.ts";

/** The number of objects that are cached; the oldest is dropped. */
const REMEMBERED = 1_000;

interface Held {
  readonly readAt: number;
  readonly answer: Promise<KeyValues | undefined>;
}

/** @returns a reader by name only: the RBAC on Secrets is `get` alone (docs/architecture.md §10) */
export function createReader(client: KubeClient, clock: Clock): Reader {
  const held = new Map<string, Held>();

  const fetch = async (type: ResourceType, namespace: string, name: string): Promise<KeyValues | undefined> => {
    try {
      return decode(type, await client.request({ method: "GET", path: objectPath(type, { namespace, name }) }));
    } catch (error) {
      if (isKube(error, "NotFound")) return undefined;
      throw error;
    }
  };

  const read = (type: ResourceType, namespace: string, name: string, maxAgeMs: number) => {
    const id = idOf(type, namespace, name);
    const known = held.get(id);
    if (known !== undefined && clock.monotonic() - known.readAt < maxAgeMs) return known.answer;

    // All readers share this answer; a failure is not cached.
    const entry: Held = { readAt: clock.monotonic(), answer: fetch(type, namespace, name) };
    held.delete(id);
    held.set(id, entry);
    entry.answer.catch(() => {
      if (held.get(id) === entry) held.delete(id);
    });
    const oldest = held.keys().next().value;
    if (held.size > REMEMBERED && oldest !== undefined) held.delete(oldest);
    return entry.answer;
  };

  return {
    secret: (namespace, name, maxAgeMs) => read(SECRET, namespace, name, maxAgeMs),
    configMap: (namespace, name, maxAgeMs) => read(CONFIG_MAP, namespace, name, maxAgeMs),
    forget: (namespace, name) => {
      held.delete(idOf(SECRET, namespace, name));
    },
  };
}

function idOf(type: ResourceType, namespace: string, name: string): string {
  return `${type.kind}/${namespace}/${name}`;
}

function decode(type: ResourceType, answer: Json): KeyValues {
  const metadata = member(answer, "metadata");
  const uid = stringMember(metadata, "uid");
  const resourceVersion = stringMember(metadata, "resourceVersion");
  if (uid === undefined || resourceVersion === undefined) {
    throw new KubeError("BadResponse", 200, `the answer is no ${type.kind}`);
  }
  const data = member(answer, "data");
  const entries = isObject(data) ? Object.entries(data) : [];
  const values = entries.flatMap(([key, value]): [string, string][] =>
    typeof value === "string" ? [[key, type === SECRET ? Buffer.from(value, "base64").toString("utf8") : value]] : [],
  );
  return { uid, resourceVersion, data: new Map(values) };
}
