/** Resolves the connection of an object, and checks whether it can be used now. */
import { INTENT } from "../../api/names.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject, ObjectKey } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import { keyText, shortName } from "../contract/keys.ts";
import type { Goal, StatusReason } from "../contract/kind.ts";
import { conditionOf, isSettled, recordedIdentityIn, recordedIdIn } from "../contract/status.ts";
import { requestedToken } from "../policies/policy.ts";
import { admission } from "../references/references.ts";
import type { ReconcileResult } from "../status/outcome.ts";
import type { Unresolved } from "../status/reconciliation.ts";

/**
 * Finds and refreshes the connection of an object.
 * @returns the connection, or how the reconcile ends if the object has none that it can and may use now
 * @throws KubeError
 */
export async function resolveConnection(r: Unresolved, goal: Goal): Promise<Connection | ReconcileResult> {
  const { ports, object } = r;
  // A deletion uses the connection that the object was made with, even if that connection's object or Secret is gone.
  const last = goal === "present" ? undefined : lastUsed(ports, object);
  if (last !== undefined && isTokenUsable(last)) return (await namespaceRefusal(r, last)) ?? last;
  const found = ports.route(object);
  if (found.is === "found") return refusesNewWork(r, found.key) ?? (await openConnectionAt(r, found.key));
  if (found.why.reason === "InvalidSpec") return { is: "stalled", why: found.why, exchange: "none" };
  return { ...heldBy(r, found.why), lacksConnection: true };
}

/** Returns the connection that the object's record was made with, even if its own object is gone. */
export function lastUsed({ connections }: Ports, object: KubeObject): Connection | undefined {
  const uid = recordedIdentityIn(object, "connectionUid");
  return uid === undefined ? undefined : connections.byUid(uid);
}

/** Reports whether a connection's last good token still serves its users (docs/project/architecture.md §7). */
function isTokenUsable({ notReadyReason }: Connection): boolean {
  return notReadyReason === undefined || notReadyReason.reason === "CredentialsMissing";
}

/** A connection that is being deleted serves the objects that exist, and takes no new work. */
function refusesNewWork({ ports, object, local }: Unresolved, key: ObjectKey): ReconcileResult | undefined {
  const isNew =
    recordedIdIn(object) === undefined &&
    local.persistence.state.outcome?.id === undefined &&
    object.metadata.annotations?.[INTENT] === undefined;
  const isEnding = ports.cache.get(key)?.metadata.deletionTimestamp !== undefined;
  if (!isNew || !isEnding || object.metadata.deletionTimestamp !== undefined) return undefined;
  const message = `${key.kind} "${shortName(key)}" is being deleted and takes no new work. Use another connection, or create it again.`;
  return { is: "waiting", why: { reason: "ConnectionNotReady", message }, exchange: "none" };
}

async function openConnectionAt(r: Unresolved, key: ObjectKey): Promise<Connection | ReconcileResult> {
  const { cache, connections } = r.ports;
  const connection = connections.last(key);
  if (connection === undefined || isOutdated(r.ports, connection)) return held(r, key, connection);
  const refusal = await namespaceRefusal(r, connection);
  if (refusal !== undefined) return refusal;
  if (cache.get(key) !== undefined) await connections.refresh(connection);
  return connection.notReadyReason === undefined ? connection : held(r, key, connection);
}

/** Reports whether the connection's object was changed or created again and is not opened again yet. */
function isOutdated({ cache }: Ports, { key, uid, generation }: Connection): boolean {
  const metadata = cache.get(key)?.metadata;
  if (metadata === undefined || metadata.deletionTimestamp !== undefined) return false;
  return metadata.uid !== uid || (metadata.generation ?? 0) !== generation;
}

/**
 * Checks at every reconcile whether the connection admits the namespace: a cluster-scoped one may have withdrawn it.
 */
async function namespaceRefusal(
  { ports, object }: Unresolved,
  { settings, key }: Connection,
): Promise<ReconcileResult | undefined> {
  const why = await admission(ports.namespaces, settings, key, object.metadata.namespace ?? "");
  return why && { is: "waiting", why, exchange: "none", lacksConnection: true };
}

/** Returns the result of an object that waits for its connection, which reports the error and wakes the object. */
function held(r: Unresolved, connectionKey: ObjectKey, connection: Connection | undefined): ReconcileResult {
  const { ports, object } = r;
  // A person's request is pending work on a settled object as well.
  if (!isSettled(object) || requestedToken(object) !== undefined)
    ports.connections.waitFor(connectionKey, keyText(keyOf(object)));
  const reason = connection?.notReadyReason?.reason ?? refusalOf(ports.cache.get(connectionKey));
  const because = reason === undefined ? "" : ` (reason ${reason})`;
  const message = `Waiting for ${connectionKey.kind} "${shortName(connectionKey)}"${because}.`;
  return heldBy(r, { reason: "ConnectionNotReady", message });
}

/** Returns why a connection is not Ready according to its status, e.g. because its spec is invalid. */
function refusalOf(connection: KubeObject | undefined): string | undefined {
  const ready = connection && conditionOf(connection, "Ready");
  return ready === undefined || ready.status === "True" ? undefined : ready.reason;
}

/** Returns the result of an object that waits. If it is settled, its status reports once it was not read for long. */
function heldBy({ ports, object, local }: Unresolved, why: StatusReason): ReconcileResult {
  const stale = isSettled(object) && ports.clock.monotonic() - local.reads.at >= ports.windows.staleMs;
  return { is: "held", why, stale };
}
