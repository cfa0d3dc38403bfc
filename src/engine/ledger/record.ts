/** Records which object of the platform belongs to a resource, and releases it. */
import { isDeepStrictEqual } from "node:util";

import {
  BACKUP_SIGNATURE,
  BEGUN,
  EXTERNAL_ID,
  FINALIZER,
  INSTALLATION,
  INTENT,
  RESOLVE,
  SEAL,
} from "../../api/names.ts";
import { isKube, KubeError } from "../../kube/api/errors.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { Json, JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import { shortName } from "../contract/keys.ts";
import type { ExternalLifecycle, Uuid } from "../contract/kind.ts";
import { recordedIdentityIn, recordedIdIn, statusOf } from "../contract/status.ts";
import { sameSignature, sign, signatureOf, verify } from "../ownership/signature.ts";
import { policiesOf } from "../policies/policy.ts";
import type { RecordedIdentity } from "./identity.ts";
import type { Intent } from "./ledger.ts";

/**
 * Reports whether the object should have the operator's finalizer: only while its deletion has something to do
 * (docs/architecture.md §7).
 */
export function finalizerDue({ object, connection }: Omit<RecordTarget, "recordedIdentity">): boolean {
  const { deletion } = policiesOf(object, connection.settings.defaults);
  return deletion !== "Retain" && object.metadata.deletionTimestamp === undefined;
}

export function hasFinalizer(object: KubeObject): boolean {
  return object.metadata.finalizers?.includes(FINALIZER) ?? false;
}

/** Returns the finalizers with or without the operator's. Those of others are untouched. */
export function finalizersWith(object: KubeObject, ours: boolean): readonly string[] {
  const others = (object.metadata.finalizers ?? []).filter((name) => name !== FINALIZER);
  return ours ? [...others, FINALIZER] : others;
}

/** Where an object is recorded: with whose token its record is signed, and under which parent. */
export interface RecordTarget {
  readonly object: KubeObject;
  readonly connection: Connection;
  readonly recordedIdentity: RecordedIdentity;
}

/**
 * Brings the finalizer and the backup annotations up to date, for an object that has an id or that writes into others.
 */
export async function keepRecord(
  ports: Ports,
  place: RecordTarget,
  externalLifecycle: ExternalLifecycle,
): Promise<KubeObject> {
  if (typeof externalLifecycle === "string") return await keepHolder(ports, place, externalLifecycle === "InOthers");
  return await keepBackup(ports, { ...place, object: await keepFinalizer(ports, place) });
}

/**
 * Records the installation on an object without an id: nothing else distinguishes a restored copy from the original.
 */
async function keepHolder(ports: Ports, place: RecordTarget, mayHold: boolean): Promise<KubeObject> {
  const { object } = place;
  if (object.metadata.deletionTimestamp !== undefined) return object;
  const annotations = { [INSTALLATION]: ports.installation, ...cleared(object) };
  const finalizers = mayHold ? { finalizers: finalizersWith(object, finalizerDue(place)) } : {};
  return await ports.writer.patchChecked(object, { annotations, ...finalizers });
}

/** Keeps the backup annotations equal to the status, e.g. after a replace removed them. */
async function keepBackup(ports: Ports, place: RecordTarget): Promise<KubeObject> {
  const { object } = place;
  const annotations = object.metadata.annotations ?? {};
  const id = recordedIdIn(object);
  const holder = recordedIdentityIn(object, "installation");
  const kept = annotations[EXTERNAL_ID] === id && annotations[INSTALLATION] === ports.installation;
  if (id === undefined || holder !== ports.installation) return object;
  // A rotation of the token makes the signature invalid.
  if (kept && (place.connection.token() === "" || isBackup(place, id))) return object;
  const change = kept
    ? { [BACKUP_SIGNATURE]: signBackup(place, id, ports.installation) }
    : { ...recordAnnotations(ports, place, id), ...cleared(object) };
  // The status has the id. A backup that has no room or is refused must not block the reconcile, least of all a
  // deletion.
  if (!hasRoom(object, change)) return object;
  try {
    return await ports.writer.patchChecked(object, { annotations: change });
  } catch (error) {
    if (isKube(error, "Invalid", "Forbidden")) return object;
    throw error;
  }
}

/**
 * Returns the annotations of a record. They include `kept`, what the kind keeps of the create, if there is room for it.
 */
export function recordAnnotations(
  ports: Ports,
  place: RecordTarget,
  id: Uuid,
  kept?: JsonObject,
): Readonly<Record<string, string>> {
  const { object, connection, recordedIdentity } = place;
  const sealed = { uid: object.metadata.uid, id, parentId: recordedIdentity.parentId };
  const annotations = (note?: JsonObject) => ({
    [EXTERNAL_ID]: id,
    [SEAL]: sign(connection.token(), sealed, note),
    [BACKUP_SIGNATURE]: signBackup(place, id, ports.installation),
    [INSTALLATION]: ports.installation,
  });
  const whole = annotations(kept);
  return hasRoom(object, whole) ? whole : annotations();
}

/**
 * The limit of the API server for the annotations of one object, in bytes (apimachinery, TotalAnnotationSizeLimitB).
 */
const ANNOTATIONS_MAX = 256 * 1_024;

/** @param change the annotations to set; null removes one */
function hasRoom(object: KubeObject, change: Readonly<Record<string, string | null>>): boolean {
  const then = Object.entries({ ...object.metadata.annotations, ...change }).filter(([, value]) => value !== null);
  return Buffer.byteLength(then.flat().join("")) <= ANNOTATIONS_MAX;
}

/**
 * Returns what the annotations keep of the create of this object.
 * @returns undefined unless they are a valid record of this object, id and parent
 */
export function readRecord(
  { object, connection, recordedIdentity }: RecordTarget,
  id: Uuid,
): { readonly kept: Json | undefined } | undefined {
  const sealed = { uid: object.metadata.uid, id, parentId: recordedIdentity.parentId };
  return verify(connection.token(), sealed, object.metadata.annotations?.[SEAL]);
}

/**
 * Reports whether the annotations are a valid record of this id, made for a resource of this kind, namespace and name.
 * Unlike the signature of `readRecord`, which covers the uid, this one is valid for a restored backup, which has
 * another uid. A rotation of the token makes it invalid.
 */
export function isBackup(place: RecordTarget, id: Uuid): boolean {
  const annotations = place.object.metadata.annotations ?? {};
  const expected = signBackup(place, id, annotations[INSTALLATION] ?? "");
  return place.connection.token() !== "" && sameSignature(expected, annotations[BACKUP_SIGNATURE] ?? "");
}

function signBackup({ object, connection, recordedIdentity }: RecordTarget, id: Uuid, installation: string): string {
  const { host, organizationId, parentId = null } = recordedIdentity;
  const { kind, namespace, name } = keyOf(object);
  return signatureOf(connection.token(), [
    "backup",
    installation,
    host,
    organizationId,
    kind,
    namespace,
    name,
    parentId,
    id,
  ]);
}

/** Adds or removes the finalizer as the deletion policy requires. */
async function keepFinalizer(ports: Ports, place: RecordTarget): Promise<KubeObject> {
  const { object } = place;
  const due = finalizerDue(place);
  if (due === hasFinalizer(object) || object.metadata.deletionTimestamp !== undefined) return object;
  return await ports.writer.patchChecked(object, { finalizers: finalizersWith(object, due) });
}

/** Releases the finalizer of an object that is being deleted. */
export async function release(ports: Ports, object: KubeObject): Promise<void> {
  if (hasFinalizer(object)) await ports.writer.patchChecked(object, { finalizers: finalizersWith(object, false) });
}

/**
 * Stores the id of the object that now belongs to the resource, and clears the intent that led to it. It retries until
 * the id is stored, whoever else wrote to the object, and does nothing if the id is stored already. If another process
 * has written the status since, e.g. with an action of its own, the reconcile must end, so that it does not overwrite
 * that status.
 * @param kept see `recordAnnotations`
 * @returns the object as the API server has it now; undefined when it is gone
 * @throws KubeError "Conflict" after the id is stored, if the status has changed; others if the write is refused for
 * good, see `Writer.storeOutcome`
 */
export async function recordId(
  ports: Ports,
  place: RecordTarget,
  id: Uuid,
  kept?: JsonObject,
): Promise<KubeObject | undefined> {
  const { object } = place;
  const annotations = object.metadata.annotations ?? {};
  const stored =
    annotations[EXTERNAL_ID] === id &&
    annotations[INSTALLATION] === ports.installation &&
    annotations[INTENT] === undefined;
  if (stored) return object;
  ports.idOwnership.take(object, id, place.recordedIdentity);
  return await storeOutcome(ports, object, { ...recordAnnotations(ports, place, id, kept), ...cleared(object) });
}

/**
 * Stores that the platform accepted a create without an id, as `recordId` stores an id. The intent stays open.
 * @param kept what the kind keeps of the answer
 * @throws KubeError as `recordId`
 */
export async function recordAccepted(
  ports: Ports,
  object: KubeObject,
  intent: Intent,
  kept: JsonObject,
): Promise<KubeObject | undefined> {
  const annotation = JSON.stringify({ ...intent, accepted: kept });
  return await storeOutcome(ports, object, { [INTENT]: annotation });
}

async function storeOutcome(
  ports: Ports,
  object: KubeObject,
  change: Readonly<Record<string, string | null>>,
): Promise<KubeObject | undefined> {
  const now = await ports.writer.storeOutcome(object, change, ports.stopping);
  if (now !== undefined && !isDeepStrictEqual(statusOf(now), statusOf(object))) {
    throw new KubeError("Conflict", 409, "the status was written meanwhile");
  }
  return now;
}

/**
 * Clears the intent of a create and the annotation `resolve`, unless the resource has changed since it was read: a
 * process that was frozen must not clear a newer intent, whose request may be under way.
 * @throws KubeError "Conflict"
 */
export async function clearIntent(ports: Ports, object: KubeObject): Promise<KubeObject> {
  return await ports.writer.patchChecked(object, { annotations: cleared(object) });
}

/** The values of the annotation `resolve` that are removed once they were used for an object's records. */
const USED_UP: ReadonlySet<string> = new Set(["recreate", "adopt"]);

function cleared(object: KubeObject): Readonly<Record<string, null>> {
  const annotations = object.metadata.annotations ?? {};
  return {
    ...(annotations[INTENT] === undefined ? {} : { [INTENT]: null }),
    ...(USED_UP.has(annotations[RESOLVE] ?? "") ? { [RESOLVE]: null } : {}),
  };
}

/** The change that removes the annotations of a record. */
export const NO_RECORD = { [EXTERNAL_ID]: null, [SEAL]: null, [BACKUP_SIGNATURE]: null, [INSTALLATION]: null } as const;

/**
 * Removes the record of an object that is gone from the platform, unless the resource has changed since it was read:
 * another process may have created the next object. The annotations are removed before the id in the status: while the
 * status has the id, no object is created. @throws KubeError "Conflict"
 */
export async function forgetId(ports: Ports, object: KubeObject): Promise<KubeObject> {
  const annotations = { ...NO_RECORD, [INTENT]: null };
  return await ports.writer.patchChecked(object, { annotations });
}

/**
 * Reports whether the started marker says that a request of this object was started. The marker counts if it has the
 * uid of the object, or its namespace and name, as a restored backup has another uid. In a copied manifest neither
 * matches.
 */
export function isStarted(object: KubeObject): boolean {
  const [uid, place] = (object.metadata.annotations?.[BEGUN] ?? "").split(" ");
  return uid === object.metadata.uid || place === shortName(keyOf(object));
}

/** Sets the started marker, in case the status is lost. @throws KubeError */
export async function noteStarted(ports: Ports, object: KubeObject): Promise<KubeObject> {
  const begun = `${object.metadata.uid} ${shortName(keyOf(object))}`;
  const annotations = { [BEGUN]: begun, [INSTALLATION]: ports.installation };
  return await ports.writer.patchChecked(object, { annotations });
}
