/** The deletion of a resource, from `kubectl delete` to its end (docs/architecture.md §7). Nothing hangs for good. */
import type { Reason } from "../../api/reasons.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { member } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import { parseKey } from "../contract/keys.ts";
import type { Kind, ExternalLifecycle, Ms, Uuid, KindTypes, RatedApi } from "../contract/kind.ts";
import { backoff } from "../contract/requeue.ts";
import { text } from "../contract/status.ts";
import { identify } from "../ledger/identity.ts";
import { hasFinalizer, release } from "../ledger/record.ts";
import { policiesOf } from "../policies/policy.ts";
import type { Reconciliation } from "../resolve/frame.ts";
import { recordedId, resolveObject } from "../resolve/resolve.ts";
import type { Result } from "../status/build.ts";
import { unasked, type Done } from "../status/done.ts";
import { runSteps } from "../steps/loop.ts";
import { openSlot } from "../steps/recover.ts";
import { defaultsFor, orphanOf, type Leaving, type LeavingKind } from "./orphaning.ts";

/** Reasons that waiting does not change: the object of the platform stays, and a Warning says so. */
const LETS_GO: ReadonlySet<Reason> = new Set([
  "DeleteNotSupported",
  "NotSupportedByApi",
  "NotObservable",
  "CreateResultUnknown",
  "DuplicateRemote",
  "AlreadyManaged",
  "NameConflict",
  "ForeignLedger",
  "ParentChanged",
]);

/** @returns what to write while the deletion goes on; undefined when the finalizer was released */
export async function remove<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  local: LocalState,
): Promise<Done | undefined> {
  if (!hasFinalizer(object)) return undefined;
  const policy = policiesOf(object, defaultsFor(ports, object)).deletion;
  const id = local.unsaved?.id ?? text(member(object.status, "externalId"));
  const certain = openSlot(object, local).is === "empty";
  if (policy === "Retain" || !hasEnd(kind)) {
    const farewell = kept(certain ? "Normal" : "Warning", subject(kind, id), "deletionPolicy is Retain.");
    return await leave(ports, kind, local, { object, id, why: "Retain" }, farewell);
  }
  const nothing = kind.externalLifecycle === true && certain && id === undefined && identify(object).is === "none";
  if (nothing) return await letGo(ports, object, undefined);
  const children = livingChildren(ports, object);
  if (children.length === 0) return await end(ports, kind, object, local, policy);
  const why = { reason: "WaitingForChildren" as const, message: childrenMessage(children) };
  return unasked(object, local, { is: "waiting", why, exchange: "none" });
}

/** Reports whether the resource has something on the platform that its deletion can end. */
function hasEnd({ externalLifecycle }: { readonly externalLifecycle: ExternalLifecycle }): boolean {
  return externalLifecycle === true || externalLifecycle === "InOthers";
}

/** Ends the object of the platform, where a connection leads to it. */
async function end<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  local: LocalState,
  policy: "Delete" | "Stop",
): Promise<Done | undefined> {
  const scoped = await resolveObject(ports, kind, object, local, policy === "Stop" ? "stopped" : "absent");
  if (scoped.is === "ready") {
    local.lostAt = undefined;
    return await dismantle(ports, kind, scoped.frame, policy);
  }
  const { result } = scoped;
  if (result.is !== "stalled" && !isLost(ports, object, local)) return unasked(object, local, result);
  const id = local.unsaved?.id ?? text(member(object.status, "externalId"));
  const farewell = kept("Warning", subject(kind, id), reasonOf(result));
  return await leave(ports, kind, local, { object, id, why: whyOf(result) }, farewell);
}

function isGivenUp(result: Result, left: Ms | undefined): boolean {
  return (left !== undefined && left <= 0) || (result.is === "stalled" && LETS_GO.has(result.why.reason));
}

function reasonOf(result: Result): string {
  return "why" in result ? result.why.message : "";
}

function whyOf(result: Result): string {
  return "why" in result ? result.why.reason : "ConnectionNotReady";
}

/** Works towards the goal of the deletion until the kind says that it is reached, or that it cannot be. */
async function dismantle<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  frame: Reconciliation<K>,
  policy: "Delete" | "Stop",
): Promise<Done | undefined> {
  const refusal = notOurs(ports, frame);
  if (refusal !== undefined)
    return await letGo(ports, frame.object, kept("Warning", subject(kind, frame.context.id), refusal));
  const passed = await runSteps(ports, kind, frame);
  const { object, local, recordedIdentity } = passed.frame;
  const { id } = passed.frame.context;
  const recorded = recordedId(passed.frame.context);
  const { result } = passed;
  const leaving = { object, id: recorded, recordedIdentity, memory: local.unsaved?.memory };
  if (result.is === "settled") {
    const isKnown = id !== undefined || kind.externalLifecycle === "InOthers";
    const farewell = isKnown ? reached(policy, subject(kind, id)) : undefined;
    return await (policy === "Delete"
      ? letGo(ports, object, farewell)
      : leave(ports, kind, local, { ...leaving, why: "Stop" }, farewell));
  }
  const left = isBarred(ports, passed.frame.connection, result)
    ? untilRelease(ports, passed.frame.connection)
    : undefined;
  if (isGivenUp(result, left)) {
    const farewell = kept("Warning", subject(kind, id), reasonOf(result));
    return await leave(ports, kind, local, { ...leaving, why: whyOf(result) }, farewell);
  }
  const { policyStatus, connection } = passed.frame;
  const again = left === undefined ? passed.again : Math.min(left, passed.again ?? soon(ports, local));
  const told = { result, report: passed.report, id: recorded, recordedIdentity, asked: true, again };
  return { object, local, ...told, policyStatus, defaults: connection.settings.defaults };
}

/** Returns why the object of the platform is not this resource's to delete. */
function notOurs<K extends KindTypes>(
  ports: Ports<K["api"]>,
  { object, context, recordedIdentity }: Reconciliation<K>,
): string | undefined {
  if (context.id === undefined) return undefined;
  if (context.identitySource === "given") return "spec.externalId names it, but it was never taken over.";
  const holder = ports.idOwnership.holder(context.id, object, recordedIdentity);
  return holder === undefined ? undefined : `it belongs to the resource "${holder}".`;
}

/** The event at the end of a deletion. */
interface Farewell {
  readonly type: "Normal" | "Warning";
  readonly reason: "Orphaned" | "Deleted";
  readonly note: string;
}

async function letGo<Api extends RatedApi>(
  ports: Ports<Api>,
  object: KubeObject,
  farewell: Farewell | undefined,
): Promise<undefined> {
  if (farewell !== undefined) ports.events.record({ regarding: object, action: "Delete", ...farewell });
  await release(ports, object);
}

/**
 * Releases a resource whose object stays on the platform, after recording that. A ledger that cannot be written holds
 * the resource for a while, not for good.
 */
async function leave<Api extends RatedApi>(
  ports: Ports<Api>,
  kind: LeavingKind,
  local: LocalState,
  { id, ...leaving }: Omit<Leaving, "id"> & { readonly id: Uuid | undefined },
  farewell: Farewell | undefined,
): Promise<Done | undefined> {
  const { object } = leaving;
  const orphan = id === undefined ? undefined : await orphanOf(ports, kind, { ...leaving, id });
  if (orphan === undefined) return await letGo(ports, object, farewell);
  try {
    await ports.orphans.add(orphan);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    const left = untilUnrecorded(ports, local);
    if (left > 0) return unrecorded(ports, object, local, { error, left });
    const note = `It is not in the orphan ledger (${error.message}): a resource of the same name will not find ${orphan.id} again.`;
    ports.events.record({ regarding: object, action: "Delete", type: "Warning", reason: "OrphanNotRecorded", note });
  }
  return await letGo(ports, object, farewell);
}

/** Returns how much longer a resource is held whose orphan cannot be recorded. */
function untilUnrecorded<Api extends RatedApi>({ clock, windows }: Ports<Api>, local: LocalState): Ms {
  local.unrecordedAt ??= clock.monotonic();
  return local.unrecordedAt + windows.releaseMs - clock.monotonic();
}

function unrecorded<Api extends RatedApi>(
  ports: Ports<Api>,
  object: KubeObject,
  local: LocalState,
  { error, left }: { readonly error: KubeError; readonly left: Ms },
): Done {
  local.failures += 1;
  const reason = error.failure === "Forbidden" ? "PermissionDenied" : "DependencyNotReady";
  const message = `What stays on the platform cannot be recorded in the orphan ledger: ${error.message}. The resource is held for it for some minutes, then it goes nevertheless.`;
  const result: Result = { is: "stalled", why: { reason, message }, exchange: "none" };
  return unasked(object, local, result, Math.min(left, soon(ports, local)));
}

/** Returns how a sentence names what the resource has on the platform. */
function subject(
  { externalLifecycle }: { readonly externalLifecycle: ExternalLifecycle },
  id: string | undefined,
): string {
  if (externalLifecycle === "InOthers") return "what this resource wrote";
  return id === undefined ? "an object that was never recorded" : `the object ${id}`;
}

function kept(type: "Normal" | "Warning", what: string, because: string): Farewell {
  return { type, reason: "Orphaned", note: `The platform keeps ${what}: ${because}` };
}

function reached(policy: "Delete" | "Stop", what: string): Farewell {
  if (policy === "Stop") return { type: "Normal", reason: "Orphaned", note: `The platform keeps ${what}, stopped.` };
  return { type: "Normal", reason: "Deleted", note: `The platform does not have ${what} any more.` };
}

/** Returns the custom resources that refer to this one and still exist. */
function livingChildren<Api extends RatedApi>(ports: Ports<Api>, object: KubeObject): readonly KubeObject[] {
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
 * Reports whether there was no connection for so long that none is waited for any more. A connection that only fails is
 * waited for: an outage must not make orphans.
 */
function isLost<Api extends RatedApi>(ports: Ports<Api>, object: KubeObject, local: LocalState): boolean {
  const found = ports.route(object);
  const trouble = found.is === "found" ? ports.connections.last(found.key)?.trouble : undefined;
  if (trouble !== undefined && trouble.reason !== "CredentialsMissing") {
    local.lostAt = undefined;
    return false;
  }
  const now = ports.clock.monotonic();
  local.lostAt ??= now;
  return now - local.lostAt >= ports.windows.releaseMs;
}

/** Reasons for which a platform rejects a token, or grants it too little. */
const REJECTED: ReadonlySet<Reason> = new Set(["CredentialsInvalid", "PermissionDenied"]);

/** Reports whether the last good token is rejected, and neither connection nor Secret is left to fix it in. */
function isBarred<Api extends RatedApi>(ports: Ports<Api>, { key, trouble }: Connection<Api>, result: Result): boolean {
  const isRejected = "why" in result && REJECTED.has(result.why.reason);
  return isRejected && (ports.cache.get(key) === undefined || trouble?.reason === "CredentialsMissing");
}

function soon<Api extends RatedApi>({ windows, random }: Ports<Api>, { failures }: LocalState): Ms {
  return backoff(Math.max(1, failures), windows, random());
}

/** Returns how much longer a rejected token is tried. A resource that waited for its children does not wait again. */
function untilRelease<Api extends RatedApi>({ clock, windows }: Ports<Api>, connection: Connection<Api>): Ms {
  connection.barredAt ??= clock.monotonic();
  return connection.barredAt + windows.releaseMs - clock.monotonic();
}
