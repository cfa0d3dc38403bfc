/** Which connection a pass goes through, and whether it can be used now. */
import { member } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject, ObjectKey } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Context } from "../context/context.ts";
import { keyText, shortName } from "../contract/keys.ts";
import type { Goal, Kind, Why, KindTypes, RatedApi } from "../contract/kind.ts";
import { conditionOf, isSettled, text } from "../contract/status.ts";
import { requestedToken } from "../policies/policy.ts";
import { admission } from "../references/references.ts";
import type { Ending } from "../status/build.ts";

export type Reached<Api> =
  | { readonly is: "reached"; readonly connection: Connection<Api> }
  /** `lacksConnection` where there is none, or none that may be used. */
  | { readonly is: "ended"; readonly ending: Ending; readonly lacksConnection?: boolean };

/** Finds and refreshes the connection of an object. A connection object is its own connection. @throws KubeError */
export async function reach<K extends KindTypes>(
  context: Context<K["api"]>,
  kind: Kind<K>,
  spec: K["spec"],
  object: KubeObject,
  goal: Goal,
): Promise<Reached<K["api"]>> {
  if (kind.connection !== undefined) {
    const opened = await context.connections.open(object, kind.connection(spec));
    if (opened.is === "open") return { is: "reached", connection: opened.connection };
    return ended({ is: "stalled", why: opened.why, exchange: "failed" });
  }
  // What goes, goes by the way that it came, even if that connection's object or Secret is gone already.
  const last = goal === "present" ? undefined : lastUsed(context, object);
  if (last !== undefined && isUsableOnceMore(last)) return await admit(context, object, last);
  const found = context.route(object);
  if (found.is === "found") return await use(context, object, found.key);
  const refused = found.why.reason === "InvalidSpec";
  if (refused) return ended({ is: "stalled", why: found.why, exchange: "none" });
  return { ...heldBy(context, object, found.why), lacksConnection: true };
}

const ended = (ending: Ending): { readonly is: "ended"; readonly ending: Ending } => ({ is: "ended", ending });

/** The connection that the object's record was made through, even if its own object is gone. */
function lastUsed<Api extends RatedApi>(context: Context<Api>, object: KubeObject): Connection<Api> | undefined {
  const uid = text(member(member(object.status, "identity"), "connectionUid"));
  return uid === undefined ? undefined : context.connections.byUid(uid);
}

/** The last good token stays in memory for the users of a connection (design §6). */
function isUsableOnceMore<Api>({ trouble }: Connection<Api>): boolean {
  return trouble === undefined || trouble.reason === "CredentialsMissing";
}

async function use<Api extends RatedApi>(
  context: Context<Api>,
  object: KubeObject,
  key: ObjectKey,
): Promise<Reached<Api>> {
  const connection = context.connections.last(key);
  if (connection === undefined || isOutdated(context, connection)) return held(context, object, key, connection);
  const admitted = await admit(context, object, connection);
  if (admitted.is === "ended") return admitted;
  if (context.cache.get(key) !== undefined) await context.connections.refresh(connection);
  return connection.trouble === undefined ? admitted : held(context, object, key, connection);
}

/** Whether its object was changed or re-created and is not opened anew yet: it may lead elsewhere now. */
function isOutdated<Api extends RatedApi>(context: Context<Api>, { key, uid, generation }: Connection<Api>): boolean {
  const metadata = context.cache.get(key)?.metadata;
  if (metadata === undefined || metadata.deletionTimestamp !== undefined) return false;
  return metadata.uid !== uid || (metadata.generation ?? 0) !== generation;
}

/** Consent is asked for at every pass: a cluster-scoped connection may have been closed to the namespace. */
async function admit<Api extends RatedApi>(
  context: Context<Api>,
  object: KubeObject,
  connection: Connection<Api>,
): Promise<Reached<Api>> {
  const namespace = object.metadata.namespace ?? "";
  const refused = await admission(context.namespaces, connection.settings, connection.key, namespace);
  return refused === undefined
    ? { is: "reached", connection }
    : { ...ended({ is: "waiting", why: refused, exchange: "none" }), lacksConnection: true };
}

/** The object waits for its connection, which tells its trouble itself; it is woken when that is over. */
function held<Api extends RatedApi>(
  context: Context<Api>,
  object: KubeObject,
  connectionKey: ObjectKey,
  connection: Connection<Api> | undefined,
): Reached<Api> {
  const key = keyText(keyOf(object));
  // What a person asked for is work pending, on a settled object as well.
  if (!isSettled(object) || requestedToken(object) !== undefined) context.connections.waitFor(connectionKey, key);
  const reason = connection?.trouble?.reason ?? refusalOf(context.cache.get(connectionKey));
  const because = reason === undefined ? "" : ` (reason ${reason})`;
  const message = `Waiting for ${connectionKey.kind} "${shortName(connectionKey)}"${because}.`;
  return heldBy(context, object, { reason: "ConnectionNotReady", message });
}

/** Why a connection is not Ready by its own status, e.g. since its spec cannot be used and it is not open at all. */
function refusalOf(connection: KubeObject | undefined): string | undefined {
  const ready = connection && conditionOf(connection, "Ready");
  return ready === undefined || ready.status === "True" ? undefined : ready.reason;
}

/** Stale is what was not read for long; it says so even while it is not touched otherwise. */
function heldBy<Api extends RatedApi>(
  context: Context<Api>,
  object: KubeObject,
  why: Why,
): { readonly is: "ended"; readonly ending: Ending } {
  const { readAt } = context.sessions.of(keyText(keyOf(object)), object.metadata.uid);
  const stale = isSettled(object) && context.clock.monotonic() - readAt >= context.windows.staleMs;
  return ended({ is: "held", why, stale });
}
