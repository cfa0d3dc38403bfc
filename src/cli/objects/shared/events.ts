/** Reads the events of an object. */
import { KubeError } from "../../../kube/api/errors.ts";
import { isObject, member, stringMember } from "../../../kube/api/json.ts";
import { collectionPath } from "../../../kube/api/paths.ts";
import type { Json, KubeObject, ResourceType } from "../../../kube/api/types.ts";
import type { Cluster } from "../../base/cluster.ts";

/** The core API, which can be searched by the uid of the object. */
const EVENT: ResourceType = { group: "", version: "v1", kind: "Event", plural: "events", namespaced: true };

export interface EventView {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** When it was last seen, RFC 3339. */
  readonly at: string;
  /** How often it was seen. */
  readonly count: number;
}

/** @returns the events on an object, the last one first; undefined when the user may not read them @throws KubeError */
export async function eventsOf(
  { client }: Cluster,
  { metadata }: Pick<KubeObject, "metadata">,
): Promise<readonly EventView[] | undefined> {
  try {
    const answer = await client.request({
      method: "GET",
      path: collectionPath(EVENT, metadata.namespace ?? "default"),
      query: { fieldSelector: `involvedObject.uid=${metadata.uid}`, limit: 500 },
    });
    const items = member(answer, "items");
    const list: readonly Json[] = Array.isArray(items) ? items : [];
    return list
      .filter(isObject)
      .map(viewOf)
      .toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at));
  } catch (error) {
    if (error instanceof KubeError && error.failure === "Forbidden") return undefined;
    throw error;
  }
}

function viewOf(event: Json): EventView {
  const series = member(event, "series");
  const text = (name: string): string | undefined => stringMember(event, name);
  const times = [
    stringMember(series, "lastObservedTime"),
    text("lastTimestamp"),
    text("eventTime"),
    stringMember(member(event, "metadata"), "creationTimestamp"),
  ];
  const count = member(series, "count") ?? member(event, "count");
  return {
    type: text("type") ?? "",
    reason: text("reason") ?? "",
    message: text("message") ?? "",
    at: times.find((time) => time !== undefined) ?? "",
    count: typeof count === "number" ? count : 1,
  };
}
