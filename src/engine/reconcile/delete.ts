/**
 * The deletion of a resource, from `kubectl delete` to the release of its finalizer (docs/project/architecture.md §7). Where
 * waiting cannot help, the object stays on the platform, a Warning reports it, and the orphan ledger records it.
 */
import type { Reason } from "../../api/reasons.ts";
import { hasObject } from "../../api/resource.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { isObject, member } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { Json, JsonObject, KubeObject, ObjectKey } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import type { PolicyDefaults } from "../contract/connection.ts";
import { parseKey, recordedTenant } from "../contract/keys.ts";
import type { Kind, Ms, Uuid, StatusReason } from "../contract/kind.ts";
import { backoff } from "../contract/requeue.ts";
import { nonEmptyText, recordedIdIn, memoryIn, recordedIn } from "../contract/status.ts";
import { openSlot } from "../ledger/intent.ts";
import { hasFinalizer, identify, type RecordedIdentity, release } from "../ledger/record.ts";
import { externalNameOf, type Orphan, signed } from "../orphans/orphan.ts";
import { defaultsIn, NO_DEFAULTS, policiesOf } from "../policies/policy.ts";
import { lastUsed } from "../resolve/connection.ts";
import { resolveObject } from "../resolve/resolve.ts";
import type { ReconcileResult } from "../status/outcome.ts";
import {
  beginReconcile,
  idToStore,
  type Reconciliation,
  type Resolved,
  type Unresolved,
} from "../status/reconciliation.ts";
import { writeStatus } from "../status/write.ts";
import { runSteps } from "../steps/loop.ts";

/** Reasons for which a deletion is impossible: the object stays on the platform, and a Warning reports it. */
const IMPOSSIBLE: ReadonlySet<Reason> = new Set([
  "DeleteNotSupported",
  "NotSupportedByPlatform",
  "NotObservable",
  "CreateResultUnknown",
  "DuplicateRemote",
  "AlreadyManaged",
  "NameConflict",
  "ForeignLedger",
  "UnreadableLedger",
  "ParentChanged",
]);

/** Reconciles a resource that is being deleted. @returns when to requeue; undefined once the finalizer is released */
export async function remove(r: Unresolved): Promise<Ms | undefined> {
  const { ports, kind, object, local } = r;
  if (!hasFinalizer(object)) return undefined;
  const policy = policiesOf(object, defaultsFor(ports, object)).deletion;
  const id = idToStore(r);
  const isCertain = openSlot(object, local.persistence).is === "empty";
  const canEnd = hasObject(kind.resource) || kind.resource.lifecycle === "Fields";
  if (policy === "Retain" || !canEnd) {
    const event = orphanedEvent(isCertain ? "Normal" : "Warning", subject(kind, id), RETAINED);
    return await recordOrphanAndRelease(r, "Retain", event);
  }
  const hasNothing = hasObject(kind.resource) && isCertain && id === undefined && identify(object).is === "none";
  if (hasNothing) return await releaseObject(r, undefined);
  const blocked = await blockedBelow(ports, object, policy === "Delete" ? id : undefined);
  return blocked === undefined ? await deleteResolved(r, policy) : await writeStatus(r, blocked);
}

/**
 * Returns how a deletion waits for other resources or objects.
 * @param id of the object that it takes from the platform
 */
async function blockedBelow(
  ports: Ports,
  object: KubeObject,
  id: Uuid | undefined,
): Promise<ReconcileResult | undefined> {
  const children = livingChildren(ports, object);
  if (children.length > 0) return waitingForChildren(children);
  if (id === undefined || deletesNothing(ports, object)) return undefined;
  return await blockedByObjectsBelow(ports, id);
}

/** Deletes the object of the platform, where a connection leads to it. */
async function deleteResolved(r: Unresolved, policy: "Delete" | "Stop"): Promise<Ms | undefined> {
  const resolved = await resolveObject(r, policy === "Stop" ? "stopped" : "absent");
  if (!("is" in resolved)) {
    r.ports.connections.connectionFound(r.object.metadata.namespace ?? "", resolved.connection.key);
    return await deleteExternal(resolved, policy);
  }
  if (resolved.is === "stalled")
    return IMPOSSIBLE.has(resolved.why.reason) ? await releaseWithWarning(r, resolved) : await block(r, resolved.why);
  return await waitForConnection(r, resolved);
}

/** Runs the steps of the deletion until the kind reports that its goal is reached or cannot be reached. */
async function deleteExternal(r: Resolved, policy: "Delete" | "Stop"): Promise<Ms | undefined> {
  const { kind } = r;
  const refusal = whyNotOwned(r);
  if (refusal !== undefined)
    return await releaseObject(r, orphanedEvent("Warning", subject(kind, r.context.id), refusal));
  const result = await runSteps(r);
  const { id } = r.context;
  if (result.is === "settled") {
    const isKnown = id !== undefined || kind.resource.lifecycle === "Fields";
    const event = isKnown ? endEvent(policy, subject(kind, id)) : undefined;
    return policy === "Delete" ? await releaseObject(r, event) : await recordOrphanAndRelease(r, "Stop", event);
  }
  if (result.is === "stalled" && IMPOSSIBLE.has(result.why.reason)) return await releaseWithWarning(r, result);
  if ("why" in result && AUTH_REJECTED.has(result.why.reason)) return await block(r, result.why, result.again);
  return await writeStatus(r, result);
}

/** Reasons for which a platform rejects a token, or grants it too little. */
const AUTH_REJECTED: ReadonlySet<Reason> = new Set(["CredentialsInvalid", "PermissionDenied"]);

/** Reports what a person has to correct before the object can be deleted. @param again when to try again */
async function block(r: Unresolved | Resolved, { message }: StatusReason, again?: Ms): Promise<Ms | undefined> {
  const why: StatusReason = {
    reason: "DeletionBlocked",
    message: `${message} The deletion waits for that. ${RELEASE_ADVICE}`,
  };
  return await writeStatus(r, { is: "stalled", why, exchange: "none", again });
}

const RELEASE_ADVICE =
  "To release this resource and keep its object on the platform, set spec.lifecycle.deletionPolicy to Retain.";

/**
 * Reports that the deletion waits for its connection. An outage must not make orphans. A connection or token that does
 * not exist is told from the start; the resource is released after a while, as nobody may ever create them again.
 */
async function waitForConnection(r: Unresolved, result: ReconcileResult): Promise<Ms | undefined> {
  const { ports, object } = r;
  const found = ports.route(object);
  const notReady = found.is === "found" ? ports.connections.last(found.key)?.notReadyReason : undefined;
  if (notReady !== undefined && AUTH_REJECTED.has(notReady.reason)) return await block(r, notReady);
  const isOutage = notReady !== undefined && notReady.reason !== "CredentialsMissing";
  const isMissing = "why" in result && (result.is === "held" || result.lacksConnection === true);
  if (isOutage || !isMissing) return await writeStatus(r, result);
  const { leftMs, waitMs } = await untilRelease(ports, object, found.is === "found" ? found.key : undefined);
  if (leftMs <= 0) return await releaseWithWarning(r, result);
  const minutes = String(Math.max(1, Math.round(waitMs / 60_000)));
  const message =
    `${result.why.message} The deletion needs the connection and its Secret: create them again. ${RELEASE_ADVICE} After ` +
    `${minutes} min without them the resource is released, and its object stays on the platform and in the orphan ledger.`;
  const why: StatusReason = { reason: result.why.reason, message };
  return await writeStatus(r, { is: "stalled", why, exchange: "none", again: Math.min(leftMs, retryDelay(r)) });
}

/**
 * Returns how long a deletion waits for its connection, and how much of that is left. All users of a connection wait
 * once, also a parent that waited for its children.
 */
async function untilRelease(
  { clock, connections, namespaces, windows }: Ports,
  object: KubeObject,
  connection: ObjectKey | undefined,
): Promise<{ readonly leftMs: Ms; readonly waitMs: Ms }> {
  const namespace = object.metadata.namespace ?? "";
  const isEnding = (await namespaces.get(namespace, NAMESPACE_MAX_AGE_MS))?.terminating;
  const waitMs = isEnding === true ? windows.releaseSoonMs : windows.releaseMs;
  return { leftMs: connections.connectionMissingSince(namespace, connection) + waitMs - clock.monotonic(), waitMs };
}

/** Reports whether the platform has only the operations of the specification, which delete nothing. */
function deletesNothing({ connections, route }: Ports, object: KubeObject): boolean {
  const found = route(object);
  return found.is === "found" && connections.last(found.key)?.surface === "Documented";
}

/**
 * Returns why an object must not be deleted yet: its deletion would take objects below it that other resources stand
 * for, or that deletionPolicy Retain or Stop keeps according to the orphan ledger.
 */
async function blockedByObjectsBelow(
  { cache, idOwnership, orphans }: Ports,
  id: Uuid,
): Promise<ReconcileResult | undefined> {
  // A resource under Retain that has just gone leaves an entry.
  await orphans.expected();
  const retained = Map.groupBy(
    orphans.all().filter(({ why }) => KEPT_BY_POLICY.has(why)),
    ({ parentId }) => parentId,
  );
  const objects: KubeObject[] = [];
  const retainedBelow: Orphan[] = [];
  // A set also iterates over the ids that are added meanwhile.
  const ids = new Set([id]);
  for (const parentId of ids) {
    const under = idOwnership.recordedUnder(parentId).flatMap((key) => cache.get(parseKey(key)) ?? []);
    const left = retained.get(parentId) ?? [];
    objects.push(...under);
    retainedBelow.push(...left);
    for (const child of [...under.map(recordedIdIn), ...left.map((orphan) => orphan.id)])
      if (child !== undefined) ids.add(child);
  }
  if (objects.length > 0) return waitingForChildren(objects);
  const [first] = retainedBelow;
  if (first === undefined) return undefined;
  const names = retainedBelow
    .slice(0, 5)
    .map(({ kind, namespace, name, id: own }) => `${kind} "${namespace}/${name}" (${own})`);
  const message =
    `The deletion would take objects that deletionPolicy ${first.why} keeps: ${names.join(", ")}${moreThan(retainedBelow, 5)}. ` +
    `If they may go, run "kubectl platform orphans forget ${first.id}". ${RELEASE_ADVICE}`;
  return { is: "stalled", why: { reason: "DeletionBlocked", message }, exchange: "none" };
}

/** Why the orphan ledger has an object that a policy keeps. */
const KEPT_BY_POLICY: ReadonlySet<string> = new Set(["Retain", "Stop"]);

/** Returns why this resource must not delete the object of the platform; undefined if it may. */
function whyNotOwned({ ports, object, context, recordedIdentity }: Resolved): string | undefined {
  if (context.id === undefined) return undefined;
  if (context.identitySource === "given") return "spec.externalId names it, but it was never adopted.";
  const holder = ports.idOwnership.holder(context.id, object, recordedIdentity);
  return holder === undefined ? undefined : `it belongs to the resource "${holder}".`;
}

/** The event at the end of a deletion. */
interface DeletionEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: "Orphaned" | "Deleted";
  readonly note: string;
}

async function releaseObject({ ports, object }: Reconciliation, event: DeletionEvent | undefined): Promise<undefined> {
  if (event !== undefined) ports.events.record({ regarding: object, action: "Delete", ...event });
  await release(ports, object);
}

/** Releases a resource whose object cannot be deleted, with a Warning. */
async function releaseWithWarning(r: Unresolved | Resolved, result: ReconcileResult): Promise<Ms | undefined> {
  const { reason, message } = "why" in result ? result.why : { reason: "ConnectionNotReady", message: "" };
  const id = r.isResolved ? r.context.id : idToStore(r);
  return await recordOrphanAndRelease(r, reason, orphanedEvent("Warning", subject(r.kind, id), message));
}

/**
 * Records that the object of a resource stays on the platform, and releases the resource. While the orphan ledger
 * cannot be written, the release is delayed, but not for ever.
 */
async function recordOrphanAndRelease(
  r: Unresolved | Resolved,
  why: string,
  event: DeletionEvent | undefined,
): Promise<Ms | undefined> {
  const { ports, kind, object, local } = r;
  const id = idToStore(r);
  const { outcome } = local.persistence.state;
  const now = r.isResolved ? { recordedIdentity: r.recordedIdentity, memory: outcome?.memory } : {};
  const orphan = id === undefined ? undefined : await orphanOf(ports, kind, { object, id, why, ...now });
  if (orphan === undefined) return await releaseObject(r, event);
  try {
    await ports.orphans.add(orphan);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    local.unrecordedAt ??= ports.clock.monotonic();
    const left = local.unrecordedAt + ports.windows.releaseSoonMs - ports.clock.monotonic();
    if (left > 0) return await writeUnrecorded(r, error, left);
    const note = `It is not in the orphan ledger (${error.message}): a resource of the same name will not find ${orphan.id} again.`;
    ports.events.record({ regarding: object, action: "Delete", type: "Warning", reason: "OrphanNotRecorded", note });
  }
  return await releaseObject(r, event);
}

/** Writes that the resource is held because its orphan cannot be recorded. @param left for how much longer */
async function writeUnrecorded(
  { ports, kind, object, local }: Reconciliation,
  error: KubeError,
  left: Ms,
): Promise<Ms> {
  local.failures.count += 1;
  const reason = error.failure === "Forbidden" ? "PermissionDenied" : "DependencyNotReady";
  const message = `What stays on the platform cannot be recorded in the orphan ledger: ${error.message}. The deletion waits some minutes for the record, and then completes without it.`;
  // The status gets none of the resolved facts.
  const r = beginReconcile(ports, kind, object, local);
  const again = Math.min(left, retryDelay(r));
  return await writeStatus(r, { is: "stalled", why: { reason, message }, exchange: "none", again });
}

/** Returns how a sentence names what the resource has on the platform. */
function subject({ resource }: Pick<Kind, "resource">, id: Uuid | undefined): string {
  if (resource.lifecycle === "Fields") return "what this resource wrote";
  return id === undefined ? "an object that was never recorded" : `the object ${id}`;
}

function orphanedEvent(type: "Normal" | "Warning", what: string, because: string): DeletionEvent {
  return { type, reason: "Orphaned", note: orphanedMessage(what, because) };
}

function endEvent(policy: "Delete" | "Stop", what: string): DeletionEvent {
  if (policy === "Stop") return { type: "Normal", reason: "Orphaned", note: `The platform keeps ${what}, stopped.` };
  return { type: "Normal", reason: "Deleted", note: `The platform does not have ${what} any more.` };
}

/** Returns the custom resources that refer to this one and still exist. */
function livingChildren(ports: Ports, object: KubeObject): readonly KubeObject[] {
  return ports.dependencies
    .children(keyOf(object))
    .flatMap((key) => ports.cache.get(parseKey(key)) ?? [])
    .toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
}

function waitingForChildren(children: readonly KubeObject[]): ReconcileResult {
  const names = children.slice(0, 5).map((child) => `${child.kind} "${child.metadata.name}"${retainNote(child)}`);
  const message = `Waiting for resources under this one to be deleted: ${names.join(", ")}${moreThan(children, 5)}.`;
  return { is: "waiting", why: { reason: "WaitingForChildren", message }, exchange: "none" };
}

function retainNote(child: KubeObject): string {
  return hasFinalizer(child) ? "" : " (deletionPolicy Retain)";
}

function moreThan(all: readonly unknown[], shown: number): string {
  return all.length > shown ? ` and ${String(all.length - shown)} more` : "";
}

function retryDelay({ ports, local }: Reconciliation): Ms {
  return backoff(Math.max(1, local.failures.count), ports.windows, ports.random());
}

/** The facts about an object that stays on the platform. */
interface OrphanInput {
  readonly object: KubeObject;
  readonly id: Uuid;
  /** Retain, Stop, or the reason why it could not be deleted. */
  readonly why: string;
  /** The identity that this reconcile worked with; else the recorded one counts. */
  readonly recordedIdentity?: RecordedIdentity | undefined;
  /** The memory that is not stored yet. */
  readonly memory?: JsonObject | undefined;
}

/** The reason in the event of an object that stays as the policy says. */
export const RETAINED = "deletionPolicy is Retain.";

/** One read serves many objects of a namespace that is deleted as a whole. */
export const NAMESPACE_MAX_AGE_MS = 60_000;
/** The largest memory of an entry, in bytes. A larger one is left out, as after the loss of a status. */
const MEMORY_BYTES = 8 * 1_024;

/**
 * Returns the signed entry of an object that stays.
 * @returns undefined if the object is no orphan, another installation recorded it, or another resource holds it
 */
export async function orphanOf(
  ports: Ports,
  kind: Kind,
  { object, id, why, recordedIdentity, memory }: OrphanInput,
): Promise<Orphan | undefined> {
  const recorded = recordedIdentity ?? recordedPlace(object);
  if (kind.resource.lifecycle !== "Managed" || !isOurs(ports, object, id, recorded)) return undefined;
  const { host, organizationId, installation, parentId } = recorded;
  const { namespace, name } = keyOf(object);
  const externalName = externalNameOf(object);
  const kept = memoryToKeep(memory ?? memoryIn(kind.resource, object));
  const entry = {
    v: 1 as const,
    id,
    installation,
    host,
    organizationId,
    kind: kind.resource.kind,
    namespace,
    namespaceUid: await uidOf(ports, namespace),
    name,
    ...(parentId === undefined ? {} : { parentId }),
    ...(externalName === undefined ? {} : { externalName }),
    at: ports.clock.now().toISOString(),
    why,
    ...(kept === undefined ? {} : { memory: kept }),
  };
  return signed(entry, ports.key);
}

type Recorded = Omit<RecordedIdentity, "connectionUid">;

/** Returns where the id was recorded, from the status. */
function recordedPlace(object: KubeObject): Recorded {
  const identity = recordedIn(object, "identity");
  const parentId = nonEmptyText(member(identity, "parentId"));
  const installation = nonEmptyText(member(identity, "installation")) ?? "";
  return { ...recordedTenant(object), installation, ...(parentId === undefined ? {} : { parentId }) };
}

/** Reports whether this installation recorded the object, and no other resource holds it. */
function isOurs(ports: Ports, object: KubeObject, id: Uuid, recorded: Recorded): boolean {
  if (recorded.installation !== ports.installation || recorded.host === "" || recorded.organizationId === "")
    return false;
  return ports.idOwnership.holder(id, object, recorded) === undefined;
}

/** Returns the note of the event about an object that stays on the platform. @param what e.g. "the object <id>" */
export function orphanedMessage(what: string, because: string): string {
  return `The platform keeps ${what}: ${because}`;
}

/**
 * Records the orphan of a resource that is gone already, with an event once it is stored. Under Retain no finalizer
 * holds the resource, so this is best effort: a deletion that no process watched is not recorded.
 */
export function recordOrphan(ports: Ports, kind: Kind, object: KubeObject): void {
  const id = recordedIdIn(object);
  const { deletion, management } = policiesOf(object, defaultsFor(ports, object));
  if (ports.dryRun || id === undefined || deletion !== "Retain" || management === "ObserveOnly") return;
  ports.orphans.expect(orphanOf(ports, kind, { object, id, why: "Retain" }), () => {
    const note = orphanedMessage(`the object ${id}`, RETAINED);
    ports.events.record({ regarding: object, action: "Delete", type: "Normal", reason: "Orphaned", note });
  });
}

/** Returns the defaults of the object's connection: as it is now, or, if it is gone, as it was last. */
export function defaultsFor(ports: Ports, object: KubeObject): PolicyDefaults {
  const found = ports.route(object);
  const connection = found.is === "found" ? ports.cache.get(found.key) : undefined;
  if (connection !== undefined) return defaultsIn(connection);
  return lastUsed(ports, object)?.settings.defaults ?? NO_DEFAULTS;
}

/** Returns the uid of a namespace; "" if it cannot be read or is gone: then only the signature proves the entry. */
async function uidOf({ namespaces }: Ports, namespace: string): Promise<string> {
  try {
    return (await namespaces.get(namespace, NAMESPACE_MAX_AGE_MS))?.uid ?? "";
  } catch {
    return "";
  }
}

/** Returns the memory without the platform's messages, which may quote anything; undefined if empty or too large. */
function memoryToKeep(memory: JsonObject): JsonObject | undefined {
  const kept = withoutMessages(memory);
  const isEmpty = Object.values(kept).every((value) => value === undefined);
  return isEmpty || Buffer.byteLength(JSON.stringify(kept)) > MEMORY_BYTES ? undefined : kept;
}

function withoutMessages(object: JsonObject): JsonObject {
  const members = Object.entries(object).filter(([name, value]) => name !== "message" && value !== undefined);
  return Object.fromEntries(members.map(([name, value]): [string, Json | undefined] => [name, inner(value)]));
}

function inner(value: Json | undefined): Json | undefined {
  return isObject(value) ? withoutMessages(value) : value;
}
