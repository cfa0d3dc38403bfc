/**
 * Objects that do one thing and are over, like a Job of Kubernetes: what the engine does for their kinds. And that
 * something was begun, noted where it outlives the status.
 */
import { BEGUN, INSTALLATION } from "../../api/names.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import { shortName } from "../contract/keys.ts";
import type { Ms, OneShot, KindTypes, RatedApi } from "../contract/kind.ts";
import { conditionOf } from "../contract/status.ts";

/** What a reconcile of a task needs to know of its kind. */
interface TaskKind<Mem extends JsonObject> {
  readonly resource: { readonly memory: { parse(status: unknown): Mem } };
  readonly oneShot?: Pick<OneShot<KindTypes & { readonly memory: Mem }>, "over">;
}

/**
 * Keeps away from a task that is over, and deletes it once it expired.
 * @returns undefined while it is not over; else when to look again, if ever. @throws KubeError
 */
export async function rest<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: TaskKind<K["memory"]>,
  object: KubeObject,
): Promise<{ readonly again: Ms | undefined } | undefined> {
  const over = kind.oneShot?.over(kind.resource.memory.parse(object.status ?? {}));
  // A status that lost its conditions is told anew, by what it still says of the end.
  if (over === undefined || conditionOf(object, "Ready") === undefined) return undefined;
  ports.observer.status(object);
  if (over.expiresAt === undefined) return { again: undefined };
  const left = over.expiresAt.getTime() - ports.clock.now().getTime();
  if (left > 0) return { again: left };
  if (ports.fence.mayWrite()) await ports.writer.delete(object);
  return { again: ports.windows.followMaxMs };
}

/**
 * Whether a request of this object was begun, by the annotation that is written before the first one. A status that
 * does not tell of it was lost, perhaps in a backup, which gives the object another uid. A copied manifest carries the
 * name of another object.
 */
export function isStarted(object: KubeObject): boolean {
  const [uid, place] = (object.metadata.annotations?.[BEGUN] ?? "").split(" ");
  return uid === object.metadata.uid || place === shortName(keyOf(object));
}

/** Notes in the annotations that something was begun, for the case that the status is lost. @throws KubeError */
export async function noteStarted<Api extends RatedApi>(ports: Ports<Api>, object: KubeObject): Promise<KubeObject> {
  const begun = `${object.metadata.uid} ${shortName(keyOf(object))}`;
  const annotations = { [BEGUN]: begun, [INSTALLATION]: ports.installation };
  return await ports.writer.patchChecked(object, { annotations });
}
