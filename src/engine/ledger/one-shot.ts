/**
 * One-shot objects do one thing and end, like a Job of Kubernetes. Also notes in annotations, which outlive the status,
 * that something was started.
 */
import { BEGUN, INSTALLATION } from "../../api/names.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import { shortName } from "../contract/keys.ts";
import type { Kind, Ms } from "../contract/kind.ts";
import { conditionOf } from "../contract/status.ts";

/**
 * Skips a one-shot object that has ended, and deletes it once it expired.
 * @returns undefined while it has not ended; else when to requeue, if ever. @throws KubeError
 */
export async function rest(
  ports: Ports,
  { resource, oneShot }: Pick<Kind, "resource" | "oneShot">,
  object: KubeObject,
): Promise<{ readonly again: Ms | undefined } | undefined> {
  const over = oneShot?.over(resource.memory.parse(object.status ?? {}));
  // A status that lost its conditions is written anew from what it still has of the end.
  if (over === undefined || conditionOf(object, "Ready") === undefined) return undefined;
  ports.observer.status(object);
  if (over.expiresAt === undefined) return { again: undefined };
  const left = over.expiresAt.getTime() - ports.clock.now().getTime();
  if (left > 0) return { again: left };
  if (ports.fence.mayWrite()) await ports.writer.delete(object);
  return { again: ports.windows.followMaxMs };
}

/**
 * Reports whether a request of this object was started, by the annotation that is written before the first one. A
 * status without it was lost, perhaps in a backup, which gives the object another uid. A copied manifest carries the
 * name of another object.
 */
export function isStarted(object: KubeObject): boolean {
  const [uid, place] = (object.metadata.annotations?.[BEGUN] ?? "").split(" ");
  return uid === object.metadata.uid || place === shortName(keyOf(object));
}

/** Notes in the annotations that something was started, in case the status is lost. @throws KubeError */
export async function noteStarted(ports: Ports, object: KubeObject): Promise<KubeObject> {
  const begun = `${object.metadata.uid} ${shortName(keyOf(object))}`;
  const annotations = { [BEGUN]: begun, [INSTALLATION]: ports.installation };
  return await ports.writer.patchChecked(object, { annotations });
}
