/** Resolves the connection of an object, and whether it can be used now. */
import { member } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject, ObjectKey } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import { keyText, shortName } from "../contract/keys.ts";
import type { Goal, Kind, Why, KindTypes, RatedApi } from "../contract/kind.ts";
import { conditionOf, isSettled, text } from "../contract/status.ts";
import { requestedToken } from "../policies/policy.ts";
import { admission } from "../references/references.ts";
import type { Result } from "../status/build.ts";

export type ResolvedConnection<Api> =
  | { readonly is: "reached"; readonly connection: Connection<Api> }
  /** `lacksConnection`: there is none, or none that may be used. */
  | { readonly is: "ended"; readonly result: Result; readonly lacksConnection?: boolean };

/** Finds and refreshes the connection of an object. A connection object is its own connection. @throws KubeError */
export async function resolveConnection<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  spec: K["spec"],
  object: KubeObject,
  goal: Goal,
): Promise<ResolvedConnection<K["api"]>> {
  if (kind.connection !== undefined) {
    const opened = await ports.connections.open(object, kind.connection(spec));
    if (opened.is === "open") return { is: "reached", connection: opened.connection };
    return ended({ is: "stalled", why: opened.why, exchange: "failed" });
  }
  // A deletion uses the connection that the object was made with, even if that connection's object or Secret is gone.
  const last = goal === "present" ? undefined : lastUsed(ports, object);
  if (last !== undefined && isUsableOnceMore(last)) return await admit(ports, object, last);
  const found = ports.route(object);
  if (found.is === "found") return await use(ports, object, found.key);
  const refused = found.why.reason === "InvalidSpec";
  if (refused) return ended({ is: "stalled", why: found.why, exchange: "none" });
  return { ...heldBy(ports, object, found.why), lacksConnection: true };
}

const ended = (result: Result): { readonly is: "ended"; readonly result: Result } => ({ is: "ended", result });

/** Returns the connection that the object's record was made with, even if its own object is gone. */
function lastUsed<Api extends RatedApi>(ports: Ports<Api>, object: KubeObject): Connection<Api> | undefined {
  const uid = text(member(member(object.status, "identity"), "connectionUid"));
  return uid === undefined ? undefined : ports.connections.byUid(uid);
}

/** Reports whether a connection's last good token still serves its users (docs/architecture.md §7). */
function isUsableOnceMore<Api>({ trouble }: Connection<Api>): boolean {
  return trouble === undefined || trouble.reason === "CredentialsMissing";
}

async function use<Api extends RatedApi>(
  ports: Ports<Api>,
  object: KubeObject,
  key: ObjectKey,
): Promise<ResolvedConnection<Api>> {
  const connection = ports.connections.last(key);
  if (connection === undefined || isOutdated(ports, connection)) return held(ports, object, key, connection);
  const admitted = await admit(ports, object, connection);
  if (admitted.is === "ended") return admitted;
  if (ports.cache.get(key) !== undefined) await ports.connections.refresh(connection);
  return connection.trouble === undefined ? admitted : held(ports, object, key, connection);
}

/** Reports whether the connection's object was changed or created anew and is not opened again yet. */
function isOutdated<Api extends RatedApi>(ports: Ports<Api>, { key, uid, generation }: Connection<Api>): boolean {
  const metadata = ports.cache.get(key)?.metadata;
  if (metadata === undefined || metadata.deletionTimestamp !== undefined) return false;
  return metadata.uid !== uid || (metadata.generation ?? 0) !== generation;
}

/** Checks consent at every reconcile: a cluster-scoped connection may have been closed to the namespace. */
async function admit<Api extends RatedApi>(
  ports: Ports<Api>,
  object: KubeObject,
  connection: Connection<Api>,
): Promise<ResolvedConnection<Api>> {
  const namespace = object.metadata.namespace ?? "";
  const refused = await admission(ports.namespaces, connection.settings, connection.key, namespace);
  return refused === undefined
    ? { is: "reached", connection }
    : { ...ended({ is: "waiting", why: refused, exchange: "none" }), lacksConnection: true };
}

/** The result of an object that waits for its connection, which reports the error itself and wakes the object. */
function held<Api extends RatedApi>(
  ports: Ports<Api>,
  object: KubeObject,
  connectionKey: ObjectKey,
  connection: Connection<Api> | undefined,
): ResolvedConnection<Api> {
  const key = keyText(keyOf(object));
  // A person's request is pending work on a settled object as well.
  if (!isSettled(object) || requestedToken(object) !== undefined) ports.connections.waitFor(connectionKey, key);
  const reason = connection?.trouble?.reason ?? refusalOf(ports.cache.get(connectionKey));
  const because = reason === undefined ? "" : ` (reason ${reason})`;
  const message = `Waiting for ${connectionKey.kind} "${shortName(connectionKey)}"${because}.`;
  return heldBy(ports, object, { reason: "ConnectionNotReady", message });
}

/** Returns why a connection is not Ready by its own status, e.g. because its spec is invalid and it is not open. */
function refusalOf(connection: KubeObject | undefined): string | undefined {
  const ready = connection && conditionOf(connection, "Ready");
  return ready === undefined || ready.status === "True" ? undefined : ready.reason;
}

/** Reports an object as stale that was not read for long, even while nothing else is written to it. */
function heldBy<Api extends RatedApi>(
  ports: Ports<Api>,
  object: KubeObject,
  why: Why,
): { readonly is: "ended"; readonly result: Result } {
  const { readAt } = ports.localStates.of(keyText(keyOf(object)), object.metadata.uid);
  const stale = isSettled(object) && ports.clock.monotonic() - readAt >= ports.windows.staleMs;
  return ended({ is: "held", why, stale });
}
