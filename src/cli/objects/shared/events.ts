/** Reads events. */
import { API_VERSION } from "../../../api/names.ts";
import { isKube } from "../../../kube/api/errors.ts";
import { listMember, member, stringMember } from "../../../kube/api/json.ts";
import { collectionPath } from "../../../kube/api/paths.ts";
import { DEADLINES } from "../../../kube/api/transport.ts";
import type { Json, KubeObject, ResourceType } from "../../../kube/api/types.ts";
import type { ClusterClient } from "../../base/cluster.ts";

/** Events of the core API, which has field selectors for the object that an event is about. */
const EVENT: ResourceType = { group: "", version: "v1", kind: "Event", plural: "events", namespaced: true };
/** The size of a page. */
const PAGE = 500;

/** The parts of an event that people read, and its object. */
export type EventView = Readonly<ReturnType<typeof eventOf>>;

/** @returns the events on an object, the newest first; undefined when the user may not read them @throws KubeError */
export async function eventsOf(
  { client }: ClusterClient,
  { metadata }: KubeObject,
): Promise<readonly EventView[] | undefined> {
  try {
    return await list(client, metadata.namespace ?? "default", `involvedObject.uid=${metadata.uid}`);
  } catch (error) {
    if (isKube(error, "Forbidden")) return undefined;
    throw error;
  }
}

/**
 * @param namespace "" for all namespaces
 * @returns the events on custom resources, the newest first
 * @throws KubeError
 */
export async function eventsIn({ client }: ClusterClient, namespace: string): Promise<readonly EventView[]> {
  return list(client, namespace, `involvedObject.apiVersion=${API_VERSION}`);
}

/** Reads all pages: they are in the order of names, so the newest event may be on the last page. */
async function list(
  client: ClusterClient["client"],
  namespace: string,
  fieldSelector: string,
): Promise<readonly EventView[]> {
  const path = collectionPath(EVENT, namespace);
  const events: EventView[] = [];
  let next: string | undefined;
  do {
    const query = { fieldSelector, limit: PAGE, continue: next };
    const answer = await client.request({ method: "GET", path, query, timeoutMs: DEADLINES.list });
    events.push(...listMember(answer, "items").map(eventOf));
    next = stringMember(member(answer, "metadata"), "continue");
  } while (next !== undefined && next !== "");
  return events.toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at));
}

function eventOf(event: Json) {
  const series = member(event, "series");
  const object = member(event, "involvedObject");
  const count = member(series, "count") ?? member(event, "count");
  const text = (of: Json | undefined, name: string): string => stringMember(of, name) ?? "";
  return {
    kind: text(object, "kind"),
    namespace: text(object, "namespace"),
    name: text(object, "name"),
    type: text(event, "type"),
    reason: text(event, "reason"),
    message: text(event, "message"),
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
