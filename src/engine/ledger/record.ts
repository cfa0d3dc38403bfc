/**
 * Which object of the platform belongs to a resource: how that is determined, how it is recorded and signed, and how it
 * is released (docs/project/architecture.md §7).
 */
import { isDeepStrictEqual } from "node:util";

import { isUuid } from "../../api/fields.ts";
import { ACTION_STARTED, EXTERNAL_ID, FINALIZER, INSTALLATION, INTENT, RECORD_SIGNATURE } from "../../api/names.ts";
import { answerCommand, isAnswered } from "../../api/resolve.ts";
import { writesFields } from "../../api/resource.ts";
import { isKube, KubeError } from "../../kube/api/errors.ts";
import { isObject, member, parseJson, stringMember } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import { shortName } from "../contract/keys.ts";
import type { IdentitySource, Kind, Uuid, StatusReason } from "../contract/kind.ts";
import { nonEmptyText, recordedIdentityIn, recordedIdIn, statusOf, recordedIn } from "../contract/status.ts";
import { type InstallationKey, sameCode } from "../ownership/installation-key.ts";
import { policiesOf } from "../policies/policy.ts";
import { type Intent, readSlot } from "./intent.ts";

/** What is recorded in the status with an id. */
export interface RecordedIdentity {
  readonly connectionUid: string;
  readonly host: string;
  readonly organizationId: Uuid;
  readonly parentId?: Uuid;
  readonly installation: string;
}

export type Identity =
  | { readonly is: "none" }
  | { readonly is: "known"; readonly id: Uuid; readonly identitySource: IdentitySource }
  | { readonly is: "refused"; readonly why: StatusReason };

/**
 * Returns the identity of a resource. The status is the authority, the annotation its backup, spec.externalId the
 * user's claim. Where they differ, the status wins; a spec.externalId that contradicts it is refused, except by a
 * deletion, which deletes what is recorded.
 */
export function identify(object: KubeObject): Identity {
  const recorded = recordedIdIn(object);
  const given = nonEmptyText(member(object.spec, "externalId"));
  if (recorded !== undefined) {
    const isDeleted = object.metadata.deletionTimestamp !== undefined;
    if (given !== undefined && given !== recorded && !isDeleted) {
      const message = `spec.externalId is ${given}, but this resource already manages ${recorded}. Remove or correct spec.externalId, or create another resource for the other object.`;
      return { is: "refused", why: { reason: "InvalidSpec", message } };
    }
    return { is: "known", id: recorded, identitySource: "recorded" };
  }
  if (given !== undefined) return { is: "known", id: given, identitySource: "given" };
  const claimed = object.metadata.annotations?.[EXTERNAL_ID];
  if (claimed !== undefined && isUuid(claimed)) return { is: "known", id: claimed, identitySource: "claimed" };
  return { is: "none" };
}

/**
 * Checks whether another installation wrote the records of an object. The answer `adopt:<installation>` on the object,
 * or on its connection for all objects of the connection, allows this installation to adopt the records.
 * @returns the reason to write nothing; undefined if the object may be written to
 */
export function checkInstallation(ports: Ports, object: KubeObject): StatusReason | undefined {
  const recorded = recordedIdentityIn(object, "installation");
  const annotations = object.metadata.annotations ?? {};
  const installation = recorded ?? annotations[INSTALLATION] ?? installationOf(annotations[INTENT]);
  if (installation === undefined || installation === ports.installation) return undefined;
  const found = ports.route(object);
  const connection = found.is === "found" ? ports.cache.get(found.key) : undefined;
  const answer = `adopt:${installation}` as const;
  if ([object, connection].some((one) => one !== undefined && isAnswered(one, answer))) return undefined;
  const message =
    `Another installation of the operator (kube-system uid ${installation}) wrote this resource's records, perhaps the ` +
    `cluster that this one was restored from. Nothing is written. To take it over after the other installation has ` +
    `stopped, run: ${answerCommand(keyOf(object), answer)} (the same on its connection takes over all of its objects)`;
  return { reason: "ForeignLedger", message };
}

/** Returns the installation that wrote an intent. Before the first record, only the intent names it. */
function installationOf(raw: string | undefined): string | undefined {
  const slot = readSlot(raw);
  return slot.is === "open" ? slot.intent.installation : undefined;
}

/**
 * Compares the recorded identity with the one that the spec leads to now.
 * @param now the identity that a record made now would have
 * @returns the reason not to write anything; undefined when nothing differs. A connection that was created again with
 * the same host and organization is the same connection.
 */
export function identityMismatch(object: KubeObject, now: RecordedIdentity): StatusReason | undefined {
  const pinned = recordedIn(object, "identity");
  const host = nonEmptyText(member(pinned, "host"));
  const organizationId = nonEmptyText(member(pinned, "organizationId"));
  const parentId = nonEmptyText(member(pinned, "parentId"));
  if (
    (host !== undefined && host !== now.host) ||
    (organizationId !== undefined && organizationId !== now.organizationId)
  ) {
    const message = `This resource was recorded on ${host ?? "another host"}, organization ${organizationId ?? "unknown"}; its connection now leads to ${now.host}, organization ${now.organizationId}. Change the connection back, or create a new resource.`;
    return { reason: "ConnectionChanged", message };
  }
  if (parentId !== undefined && now.parentId !== undefined && parentId !== now.parentId) {
    const message = `This resource was recorded under the parent ${parentId}; its reference now leads to ${now.parentId}. Change the reference back, or create a new resource.`;
    return { reason: "ParentChanged", message };
  }
  return undefined;
}

/**
 * Reports whether the object should have the operator's finalizer: only while its deletion has something to do
 * (docs/project/architecture.md §7).
 */
export function finalizerDue({ object, connection }: Omit<RecordTarget, "recordedIdentity">): boolean {
  const { deletion } = policiesOf(object, connection.settings.defaults);
  return deletion !== "Retain" && object.metadata.deletionTimestamp === undefined;
}

export function hasFinalizer(object: KubeObject): boolean {
  return object.metadata.finalizers?.includes(FINALIZER) ?? false;
}

/** Returns the finalizers with or without the operator's. All other finalizers are untouched. */
export function finalizersWith(object: KubeObject, isSet: boolean): readonly string[] {
  const foreign = (object.metadata.finalizers ?? []).filter((name) => name !== FINALIZER);
  return isSet ? [...foreign, FINALIZER] : foreign;
}

/** Where an object is recorded: through which connection, and under which parent. */
export interface RecordTarget {
  readonly object: KubeObject;
  readonly connection: Connection;
  readonly recordedIdentity: RecordedIdentity;
}

/**
 * Brings the finalizer and the backup annotations up to date, for an object that has an id or that writes into other objects.
 */
export async function keepRecord(
  ports: Ports,
  target: RecordTarget,
  { lifecycle }: Pick<Kind["resource"], "lifecycle">,
): Promise<KubeObject> {
  if (writesFields({ lifecycle })) return await keepHolder(ports, target, lifecycle === "Fields");
  return await keepBackup(ports, { ...target, object: await keepFinalizer(ports, target) });
}

/**
 * Records the installation on an object without an id: nothing else distinguishes a restored copy from the original.
 */
async function keepHolder(ports: Ports, target: RecordTarget, mayHold: boolean): Promise<KubeObject> {
  const { object } = target;
  if (object.metadata.deletionTimestamp !== undefined) return object;
  const annotations = { [INSTALLATION]: ports.installation, ...cleared(object) };
  const finalizers = mayHold ? { finalizers: finalizersWith(object, finalizerDue(target)) } : {};
  return await ports.writer.patchChecked(object, { annotations, ...finalizers });
}

/** Keeps the backup annotations equal to the status, e.g. after a replace removed them. */
async function keepBackup(ports: Ports, target: RecordTarget): Promise<KubeObject> {
  const { object } = target;
  const annotations = object.metadata.annotations ?? {};
  const id = recordedIdIn(object);
  const holder = recordedIdentityIn(object, "installation");
  const kept = annotations[EXTERNAL_ID] === id && annotations[INSTALLATION] === ports.installation;
  if (id === undefined || holder !== ports.installation) return object;
  if (kept && (!ports.key.isStored || readRecord(ports.key, target, id) !== undefined)) return object;
  const change = { ...recordAnnotations(ports, target, id), ...(kept ? {} : cleared(object)) };
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
 * A record has no signature while the key of the installation is not stored.
 */
export function recordAnnotations(
  { installation, key }: Ports,
  target: RecordTarget,
  id: Uuid,
  kept?: JsonObject,
): Readonly<Record<string, string>> {
  const annotations = (note?: JsonObject) => ({
    [EXTERNAL_ID]: id,
    ...(key.isStored && { [RECORD_SIGNATURE]: signRecord(key, target, id, note) }),
    [INSTALLATION]: installation,
  });
  const whole = annotations(kept);
  return hasRoom(target.object, whole) ? whole : annotations();
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

/** What a valid signature proves beside the id. Everyone who may read the object can read it. */
export interface SignedRecord {
  /** The uid of the custom resource that the record was written for: a restored backup has another one. */
  readonly uid: string;
  /** What the kind keeps of the answer to the create. */
  readonly kept: JsonObject | undefined;
}

/**
 * Returns what the signature of a record proves.
 * @returns undefined unless the annotations are a record of this id that the operator made for a resource of this kind,
 * namespace and name, under this host, organization and parent
 */
export function readRecord(key: InstallationKey, target: RecordTarget, id: Uuid): SignedRecord | undefined {
  const given = target.object.metadata.annotations?.[RECORD_SIGNATURE] ?? "";
  const [code = "", payload = ""] = given.split(".");
  if (!sameCode(codeOf(key, target, id, payload), code)) return undefined;
  const signed = parseJson(Buffer.from(payload, "base64url").toString());
  const kept = member(signed, "kept");
  return { uid: stringMember(signed, "uid") ?? "", kept: isObject(kept) ? kept : undefined };
}

/** @returns the code, "." and the payload: the uid of the resource and `kept`, as JSON in base64url */
function signRecord(key: InstallationKey, target: RecordTarget, id: Uuid, kept: JsonObject | undefined): string {
  const payload = Buffer.from(JSON.stringify({ uid: target.object.metadata.uid, kept })).toString("base64url");
  return `${codeOf(key, target, id, payload)}.${payload}`;
}

function codeOf(key: InstallationKey, { object, recordedIdentity }: RecordTarget, id: Uuid, payload: string): string {
  const { host, organizationId, parentId = null } = recordedIdentity;
  const { kind, namespace, name } = keyOf(object);
  return key.code("record", [kind, namespace, name, host, organizationId, parentId, id, payload]);
}

/** Adds or removes the finalizer as the deletion policy requires. */
async function keepFinalizer(ports: Ports, target: RecordTarget): Promise<KubeObject> {
  const { object } = target;
  const due = finalizerDue(target);
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
 * @throws KubeError "Conflict" after the id is stored, if the status has changed; another KubeError if the write is
 * refused for good, see `Writer.storeOutcome`
 */
export async function recordId(
  ports: Ports,
  target: RecordTarget,
  id: Uuid,
  kept?: JsonObject,
): Promise<KubeObject | undefined> {
  const { object } = target;
  const annotations = object.metadata.annotations ?? {};
  const stored =
    annotations[EXTERNAL_ID] === id &&
    annotations[INSTALLATION] === ports.installation &&
    annotations[INTENT] === undefined;
  if (stored) return object;
  ports.idOwnership.take(object, id, target.recordedIdentity);
  return await storeOutcome(ports, object, { ...recordAnnotations(ports, target, id, kept), ...cleared(object) });
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
 * Clears the intent of a create, unless the resource has changed since it was read: a process that was frozen must not
 * clear a newer intent, whose request may be under way.
 * @throws KubeError "Conflict"
 */
export async function clearIntent(ports: Ports, object: KubeObject): Promise<KubeObject> {
  return await ports.writer.patchChecked(object, { annotations: cleared(object) });
}

function cleared({ metadata }: KubeObject): Readonly<Record<string, null>> {
  return metadata.annotations?.[INTENT] === undefined ? {} : { [INTENT]: null };
}

/** The change that removes the annotations of a record. */
export const NO_RECORD = { [EXTERNAL_ID]: null, [RECORD_SIGNATURE]: null, [INSTALLATION]: null } as const;

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
  const [uid, place] = (object.metadata.annotations?.[ACTION_STARTED] ?? "").split(" ");
  return uid === object.metadata.uid || place === shortName(keyOf(object));
}

/**
 * Sets the started marker of an object that lacks it, in case the status is lost.
 * @throws KubeError "Conflict" if the resource has changed since it was read; others
 */
export async function keepStarted(r: { readonly ports: Ports; object: KubeObject }): Promise<void> {
  const { ports, object } = r;
  if (isStarted(object)) return;
  const marker = `${object.metadata.uid} ${shortName(keyOf(object))}`;
  const annotations = { [ACTION_STARTED]: marker, [INSTALLATION]: ports.installation };
  r.object = await ports.writer.patchChecked(object, { annotations });
}
