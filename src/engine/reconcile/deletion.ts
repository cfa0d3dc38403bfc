/**
 * The deletion of a resource, from `kubectl delete` to the release of its finalizer (docs/architecture.md §7). Where
 * waiting cannot help, the object stays on the platform, and a Warning reports it.
 */
import type { Reason } from "../../api/reasons.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import { parseKey } from "../contract/keys.ts";
import type { Kind, Ms, Uuid } from "../contract/kind.ts";
import { backoff } from "../contract/requeue.ts";
import { identify } from "../ledger/identity.ts";
import { hasFinalizer, release } from "../ledger/record.ts";
import { policiesOf } from "../policies/policy.ts";
import { resolveObject } from "../resolve/resolve.ts";
import type { ReconcileResult } from "../status/build.ts";
import { beginReconcile, type Ended, idToStore, type Reconciliation, type Resolved } from "../status/reconciliation.ts";
import { runSteps } from "../steps/loop.ts";
import { openSlot } from "../steps/recover.ts";
import { defaultsFor, keptNote, orphanOf, RETAINED } from "./orphaning.ts";
import { writeStatus } from "./write-status.ts";

/** Reasons that waiting does not change: the object stays on the platform, and a Warning reports it. */
const FINAL: ReadonlySet<Reason> = new Set([
  "DeleteNotSupported",
  "NotSupportedByApi",
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
export async function remove(r: Reconciliation): Promise<Ms | undefined> {
  const { ports, kind, object, local } = r;
  if (!hasFinalizer(object)) return undefined;
  const policy = policiesOf(object, defaultsFor(ports, object)).deletion;
  const id = idToStore(r);
  const certain = openSlot(object, local).is === "empty";
  const hasEnd = kind.externalLifecycle === true || kind.externalLifecycle === "InOthers";
  if (policy === "Retain" || !hasEnd) {
    const event = kept(certain ? "Normal" : "Warning", subject(kind, id), RETAINED);
    return await leave(r, "Retain", event);
  }
  const nothing = kind.externalLifecycle === true && certain && id === undefined && identify(object).is === "none";
  if (nothing) return await releaseObject(r, undefined);
  const children = livingChildren(ports, object);
  if (children.length > 0) {
    const why = { reason: "WaitingForChildren" as const, message: childrenMessage(children) };
    return await writeStatus(r, { is: "waiting", why, exchange: "none" });
  }
  return await deleteResolved(r, policy);
}

/** Deletes the object of the platform, where a connection leads to it. */
async function deleteResolved(r: Reconciliation, policy: "Delete" | "Stop"): Promise<Ms | undefined> {
  const resolved = await resolveObject(r, policy === "Stop" ? "stopped" : "absent");
  if (!("is" in resolved)) {
    r.local.lostAt = undefined;
    return await deleteExternal(resolved, policy);
  }
  if (resolved.is !== "stalled" && !isLost(r, resolved)) return await writeStatus(r, resolved);
  return await giveUp(r, resolved);
}

/** Runs the steps of the deletion until the kind reports that its goal is reached or cannot be reached. */
async function deleteExternal(r: Resolved, policy: "Delete" | "Stop"): Promise<Ms | undefined> {
  const { ports, kind, connection } = r;
  const refusal = notOurs(r);
  if (refusal !== undefined) return await releaseObject(r, kept("Warning", subject(kind, r.context.id), refusal));
  const result = await runSteps(r);
  const { id } = r.context;
  if (result.is === "settled") {
    const isKnown = id !== undefined || kind.externalLifecycle === "InOthers";
    const farewell = isKnown ? reached(policy, subject(kind, id)) : undefined;
    return policy === "Delete" ? await releaseObject(r, farewell) : await leave(r, "Stop", farewell);
  }
  // How much longer a rejected token that nobody can replace is tried.
  const left = isBarred(ports, connection, result) ? untilRelease(ports, connection) : Infinity;
  const isFinal = result.is === "stalled" && FINAL.has(result.why.reason);
  if (isFinal || left <= 0) return await giveUp(r, result);
  const again = left === Infinity ? result.again : Math.min(left, result.again ?? soon(r));
  return await writeStatus(r, { ...result, again });
}

/** Returns why this resource must not delete the object of the platform; undefined if it may. */
function notOurs({ ports, object, context, recordedIdentity }: Resolved): string | undefined {
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
async function giveUp(r: Ended, result: ReconcileResult): Promise<Ms | undefined> {
  const { reason, message } = "why" in result ? result.why : { reason: "ConnectionNotReady", message: "" };
  const id = r.context === undefined ? idToStore(r) : r.context.id;
  return await leave(r, reason, kept("Warning", subject(r.kind, id), message));
}

/**
 * Records that the object of a resource stays on the platform, and releases the resource. While the orphan ledger
 * cannot be written, the release is delayed, but not for ever.
 */
async function leave(r: Ended, why: string, event: DeletionEvent | undefined): Promise<Ms | undefined> {
  const { ports, kind, object, local, recordedIdentity } = r;
  const id = idToStore(r);
  const memory = recordedIdentity && local.unsaved?.memory;
  const orphan =
    id === undefined ? undefined : await orphanOf(ports, kind, { object, id, why, recordedIdentity, memory });
  if (orphan === undefined) return await releaseObject(r, event);
  try {
    await ports.orphans.add(orphan);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    local.unrecordedAt ??= ports.clock.monotonic();
    const left = local.unrecordedAt + ports.windows.releaseMs - ports.clock.monotonic();
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
  local.failures += 1;
  const reason = error.failure === "Forbidden" ? "PermissionDenied" : "DependencyNotReady";
  const message = `What stays on the platform cannot be recorded in the orphan ledger: ${error.message}. The deletion waits some minutes for the record, and then completes without it.`;
  // The status gets none of the resolved facts.
  const r = beginReconcile(ports, kind, object, local);
  const again = Math.min(left, soon(r));
  return await writeStatus(r, { is: "stalled", why: { reason, message }, exchange: "none", again });
}

/** Returns how a sentence names what the resource has on the platform. */
function subject({ externalLifecycle }: Pick<Kind, "externalLifecycle">, id: Uuid | undefined): string {
  if (externalLifecycle === "InOthers") return "what this resource wrote";
  return id === undefined ? "an object that was never recorded" : `the object ${id}`;
}

function kept(type: "Normal" | "Warning", what: string, because: string): DeletionEvent {
  return { type, reason: "Orphaned", note: keptNote(what, because) };
}

function reached(policy: "Delete" | "Stop", what: string): DeletionEvent {
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

function childrenMessage(children: readonly KubeObject[]): string {
  const names = children.slice(0, 5).map((child) => `${child.kind} "${child.metadata.name}"`);
  const more = children.length > 5 ? ` and ${children.length - 5} more` : "";
  return `Waiting for resources under this one to be deleted: ${names.join(", ")}${more}.`;
}

/**
 * Reports whether the connection has been missing for so long that the deletion gives up. A connection that only fails
 * is not missing: an outage must not make orphans. A deletion that waits for something else does not miss it either.
 */
function isLost({ ports, object, local }: Reconciliation, result: ReconcileResult): boolean {
  const found = ports.route(object);
  const trouble = found.is === "found" ? ports.connections.last(found.key)?.trouble : undefined;
  const fails = trouble !== undefined && trouble.reason !== "CredentialsMissing";
  if (fails || (result.is !== "held" && result.lacksConnection !== true)) {
    local.lostAt = undefined;
    return false;
  }
  const now = ports.clock.monotonic();
  local.lostAt ??= now;
  return now - local.lostAt >= ports.windows.releaseMs;
}

/** Reasons for which a platform rejects a token, or grants it too little. */
const REJECTED: ReadonlySet<Reason> = new Set(["CredentialsInvalid", "PermissionDenied"]);

/** Reports whether the last good token is rejected and nobody can replace it: the connection or its Secret is gone. */
function isBarred(ports: Ports, { key, trouble }: Connection, result: ReconcileResult): boolean {
  const isRejected = "why" in result && REJECTED.has(result.why.reason);
  return isRejected && (ports.cache.get(key) === undefined || trouble?.reason === "CredentialsMissing");
}

function soon({ ports, local }: Reconciliation): Ms {
  return backoff(Math.max(1, local.failures), ports.windows, ports.random());
}

/**
 * Returns how much longer a rejected token is tried. The time counts for all users of the connection, so that a
 * resource that waited for its children does not wait again.
 */
function untilRelease({ clock, windows }: Ports, connection: Connection): Ms {
  connection.barredAt ??= clock.monotonic();
  return connection.barredAt + windows.releaseMs - clock.monotonic();
}
