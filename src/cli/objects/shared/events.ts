/** Reads events. */
import { isKube } from "../../../kube/api/errors.ts";
import { listMember, member, stringMember } from "../../../kube/api/json.ts";
import { collectionPath } from "../../../kube/api/paths.ts";
import type { Json, KubeObject, ResourceType } from "../../../kube/api/types.ts";
import type { ClusterClient } from "../../base/cluster.ts";

/** The core API, which can be searched by the object that an event is about. */
const EVENT: ResourceType = { group: "", version: "v1", kind: "Event", plural: "events", namespaced: true };

export type EventView = Readonly<ReturnType<typeof eventOf>>;

/** @returns the events on an object, the last one first; undefined when the user may not read them @throws KubeError */
export async function eventsOf(
  cluster: ClusterClient,
  { metadata }: KubeObject,
): Promise<ReturnType<typeof latestFirst> | undefined> {
  try {
    const fieldSelector = `involvedObject.uid=${metadata.uid}`;
    return latestFirst(await listEvents(cluster, metadata.namespace ?? "default", { fieldSelector, limit: 500 }));
  } catch (error) {
    if (isKube(error, "Forbidden")) return undefined;
    throw error;
  }
}

/** @returns the events with what they are about, the last one first */
export function latestFirst(events: readonly Json[]) {
  return events
    .map((event) => ({ ...eventOf(event), ...subjectOf(member(event, "involvedObject")) }))
    .toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at));
}

function subjectOf(object: Json | undefined) {
  const text = (name: string): string => stringMember(object, name) ?? "";
  return { kind: text("kind"), namespace: text("namespace"), name: text("name") };
}

/** @param namespace "" for all of them @throws KubeError */
export async function listEvents(
  { client }: ClusterClient,
  namespace: string,
  query: { readonly fieldSelector: string; readonly limit: number },
): Promise<readonly Json[]> {
  const answer = await client.request({ method: "GET", path: collectionPath(EVENT, namespace), query });
  return listMember(answer, "items");
}

/** @returns what people look at in an event of the API server */
export function eventOf(event: Json) {
  const series = member(event, "series");
  const text = (name: string): string => stringMember(event, name) ?? "";
  const count = member(series, "count") ?? member(event, "count");
  return {
    type: text("type"),
    reason: text("reason"),
    message: text("message"),
    /** When it was last seen, RFC 3339. */
    at:
      stringMember(series, "lastObservedTime") ??
      stringMember(event, "lastTimestamp") ??
      stringMember(event, "eventTime") ??
      stringMember(member(event, "metadata"), "creationTimestamp") ??
      "",
    /** How often it was seen. */
    count: typeof count === "number" ? count : 1,
  };
}
