/**
 * What a process needs of the objects that another shard reconciles: their records, which count when it decides who
 * holds an object of the platform (docs/architecture.md §10).
 */
import { EXTERNAL_ID } from "../../api/names.ts";
import { member } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { EventRecorder, Json, JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Assignment } from "../../kube/watch/assignment.ts";
import type { Writer } from "../../kube/write/writer.ts";

/**
 * Returns an object reduced to its metadata without labels and finalizers, the records of its id, and these parts.
 * @param memory the memory, where the kind writes to fields or objects that others represent
 * @param spec the spec, where what it wrote to other objects depends on it
 */
export function recordsOf(
  { apiVersion, kind, metadata, status }: KubeObject,
  { memory = {}, spec }: { readonly memory?: JsonObject | undefined; readonly spec?: Json | undefined } = {},
): KubeObject {
  const { labels: _labels, finalizers: _finalizers, annotations, ...kept } = metadata;
  const id = annotations?.[EXTERNAL_ID];
  return {
    apiVersion,
    kind,
    metadata: { ...kept, ...(id !== undefined && { annotations: { [EXTERNAL_ID]: id } }) },
    ...(spec !== undefined && { spec }),
    status: { ...memory, externalId: member(status, "externalId"), identity: member(status, "identity") },
  };
}

/**
 * Returns ports that write nothing about objects of other shards: each shard reconciles the cluster-scoped connections
 * that its objects use, and one of them reports.
 */
export function onOwn<
  Provided extends {
    readonly assignment: Assignment;
    readonly writer: Writer;
    readonly events: EventRecorder;
  },
>(ports: Provided): Provided {
  const { assignment, writer, events } = ports;
  if (assignment.shards === 1) return ports;
  const isOwn = (object: KubeObject): boolean => assignment.isOwn(keyOf(object));
  const own =
    <Rest extends readonly unknown[], Result>(write: (object: KubeObject, ...rest: Rest) => Promise<Result>) =>
    async (object: KubeObject, ...rest: Rest): Promise<Result | KubeObject> =>
      isOwn(object) ? write(object, ...rest) : object;
  return {
    ...ports,
    writer: {
      ...writer,
      patchChecked: own(writer.patchChecked),
      patchStatus: own(writer.patchStatus),
      storeOutcome: own(writer.storeOutcome),
    },
    events: {
      record: (event) => {
        if (isOwn(event.regarding)) events.record(event);
      },
    },
  };
}
