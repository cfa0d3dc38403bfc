/** Resolves references to parents, other resources and connections. */
import { member } from "../../kube/api/json.ts";
import type { Cache, KubeObject, ObjectKey } from "../../kube/api/types.ts";
import type { Namespaces } from "../../kube/watch/readers.ts";
import type { ConnectionSettings } from "../contract/connection.ts";
import { keyText, shortName } from "../contract/keys.ts";
import type { Reference, ResolvedNeeds, Uuid, StatusReason } from "../contract/kind.ts";
import { conditionOf, isSettled, nonEmptyText, recordedIdIn } from "../contract/status.ts";
import type { InstallationKey } from "../ownership/installation-key.ts";
import { fingerprintOf, type ResolvedValues } from "./values.ts";

/** The names of the two connection kinds. The engine refers to them by role. */
export interface ConnectionKinds {
  readonly namespaced: string;
  readonly cluster: string;
}

export type ResolvedReferences =
  | { readonly is: "resolved"; readonly ids: ReadonlyMap<string, Uuid> }
  | { readonly is: "unresolved"; readonly why: StatusReason; readonly missing: boolean };

/**
 * Resolves references to ids. A child without an id waits until its parent is Ready for its current generation. A child
 * with one needs only the parent's id, so that a temporary error of the parent does not affect it.
 */
export function resolveReferences(
  cache: Cache,
  namespace: string,
  references: readonly Reference[],
  hasId: boolean,
): ResolvedReferences {
  const ids = new Map<string, Uuid>();
  for (const reference of references) {
    if (reference.externalId !== undefined) {
      ids.set(reference.field, reference.externalId);
      continue;
    }
    const name = reference.name ?? "";
    const object = cache.get({ kind: reference.kind, namespace, name });
    if (reference.optional === true) {
      const known = recordedIdIn(object);
      if (known !== undefined) ids.set(reference.field, known);
      continue;
    }
    if (object === undefined) return { is: "unresolved", missing: true, why: notFound(reference, namespace, name) };
    const id = recordedIdIn(object);
    if (id === undefined || (!hasId && reference.idOnly !== true && !isSettled(object))) {
      return { is: "unresolved", missing: false, why: notReady(reference.kind, name, object) };
    }
    ids.set(reference.field, id);
  }
  return { is: "resolved", ids };
}

function notFound(reference: Reference, namespace: string, name: string): StatusReason {
  const message = `${reference.kind} "${name}" does not exist in namespace "${namespace}". Create it or fix ${reference.field}.name.`;
  return { reason: "ParentNotFound", message };
}

function notReady(kind: string, name: string, object: KubeObject): StatusReason {
  const reason = conditionOf(object, "Ready")?.reason;
  const because = reason === undefined ? "" : ` (reason ${reason})`;
  return { reason: "ParentNotReady", message: `Waiting for ${kind} "${name}"${because}.` };
}

/**
 * Finds a reference to a resource that uses another connection: its id means nothing on this one.
 * @returns why nothing may be written; undefined when all use the same connection
 */
export function connectionMismatch(
  { cache, route }: { readonly cache: Cache; readonly route: (object: KubeObject) => ConnectionRoute },
  { metadata }: KubeObject,
  references: readonly Reference[],
  connection: ObjectKey,
): StatusReason | undefined {
  const namespace = metadata.namespace ?? "";
  for (const { field, kind, name } of references.slice(1)) {
    const object = name === undefined ? undefined : cache.get({ kind, namespace, name });
    const found = object === undefined ? undefined : route(object);
    if (found?.is !== "found" || keyText(found.key) === keyText(connection)) continue;
    const message = `${field} names ${kind} "${name}", which uses ${found.key.kind} "${shortName(found.key)}", but this resource uses ${connection.kind} "${shortName(connection)}". Use one resource for each connection.`;
    return { reason: "InvalidSpec", message };
  }
  return undefined;
}

export type ConnectionRoute =
  | { readonly is: "found"; readonly key: ObjectKey }
  | { readonly is: "none"; readonly why: StatusReason };

/**
 * Returns the connection that an object uses: its own connectionRef; else the parent's; else the namespace's `default`;
 * else the cluster's `default`. A reference that differs from the parent's is refused.
 * @param inherited the parent's connection, if there is one: a child of a parent without a connection has none
 */
export function connectionFor(
  cache: Cache,
  kinds: ConnectionKinds,
  object: KubeObject,
  inherited: ConnectionRoute | undefined,
): ConnectionRoute {
  const key = namedConnection(kinds, object);
  if (key === undefined) return toChild(inherited) ?? defaultConnection(cache, kinds, object.metadata.namespace ?? "");
  const { kind, name } = key;
  if (inherited?.is === "found" && (inherited.key.kind !== kind || inherited.key.name !== name)) {
    const message = `spec.connectionRef names ${kind} "${name}", but the parent uses ${inherited.key.kind} "${inherited.key.name}". Remove spec.connectionRef, or make both the same.`;
    return { is: "none", why: { reason: "InvalidSpec", message } };
  }
  if (cache.get(key) === undefined) {
    const message = `${kind} "${shortName(key)}" does not exist. Create it or fix spec.connectionRef.`;
    return { is: "none", why: { reason: "ConnectionNotReady", message } };
  }
  return { is: "found", key };
}

/** Returns the parent's connection for a child. The parent itself reports why it has none. */
function toChild(inherited: ConnectionRoute | undefined): ConnectionRoute | undefined {
  if (inherited?.is !== "none") return inherited;
  return { is: "none", why: { reason: "ConnectionNotReady", message: inherited.why.message } };
}

/** Returns the connection that spec.connectionRef names; undefined when it is not set. */
export function namedConnection(kinds: ConnectionKinds, object: KubeObject): ObjectKey | undefined {
  const ref = member(object.spec, "connectionRef");
  const name = nonEmptyText(member(ref, "name"));
  if (name === undefined) return undefined;
  const kind = nonEmptyText(member(ref, "kind")) ?? kinds.namespaced;
  return { kind, namespace: kind === kinds.cluster ? "" : (object.metadata.namespace ?? ""), name };
}

/** Returns the keys of the connections that are used where none is named, in order of preference. */
export function defaultConnections({ namespaced, cluster }: ConnectionKinds, namespace: string): readonly ObjectKey[] {
  return [namespaced, cluster].map((kind) => ({ kind, namespace: kind === cluster ? "" : namespace, name: "default" }));
}

function defaultConnection(cache: Cache, kinds: ConnectionKinds, namespace: string): ConnectionRoute {
  const key = defaultConnections(kinds, namespace).find((one) => cache.get(one) !== undefined);
  if (key !== undefined) return { is: "found", key };
  const message = `There is no connection: spec.connectionRef is not set, and neither ${kinds.namespaced} "default" in namespace "${namespace}" nor ${kinds.cluster} "default" exists. Create one of them.`;
  return { is: "none", why: { reason: "ConnectionNotReady", message } };
}

/** Returns why a cluster-scoped connection does not admit a namespace; undefined when it does. @throws KubeError */
export async function admission(
  namespaces: Namespaces,
  settings: ConnectionSettings,
  connection: ObjectKey,
  namespace: string,
): Promise<StatusReason | undefined> {
  if (connection.namespace !== "") return undefined;
  const allowed = settings.allowedNamespaces;
  for (const some of allowed === undefined ? [] : [allowed, ...allowed.limited])
    if (await isAmong(namespaces, some, namespace)) return undefined;
  const message = `${connection.kind} "${connection.name}" does not allow namespace "${namespace}". A cluster admin can add it to its spec.allowedNamespaces.`;
  return { reason: "ConnectionNotReady", message };
}

type SomeNamespaces = Pick<NonNullable<ConnectionSettings["allowedNamespaces"]>, "names" | "matchLabels">;

/** Without a label, a selector selects no namespace. @throws KubeError */
async function isAmong(namespaces: Namespaces, some: SomeNamespaces, namespace: string): Promise<boolean> {
  if (some.names.includes(namespace)) return true;
  const wanted = Object.entries(some.matchLabels ?? {});
  if (wanted.length === 0) return false;
  const labels = (await namespaces.get(namespace, 30_000))?.labels ?? {};
  return wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

/**
 * Returns the projects that an object may use through a connection: those that the connection allows, and of these
 * those of the entries that limit its namespace. undefined: all. @throws KubeError
 */
export async function projectsFor(
  namespaces: Namespaces,
  { allowedProjects, allowedNamespaces }: Pick<ConnectionSettings, "allowedProjects" | "allowedNamespaces">,
  { metadata: { namespace = "" } }: Pick<KubeObject, "metadata">,
): Promise<readonly Uuid[] | undefined> {
  const own: Uuid[][] = [];
  for (const entry of allowedNamespaces?.limited ?? [])
    if (await isAmong(namespaces, entry, namespace)) own.push([...entry.allowedProjects]);
  if (own.length === 0) return allowedProjects;
  return own.flat().filter((id) => allowedProjects?.includes(id) !== false);
}

const NO_VALUES: Omit<Extract<ResolvedValues, { is: "found" }>, "is"> = {
  values: new Map(),
  all: new Map(),
  sources: "",
};

const NIL = "00000000-0000-0000-0000-000000000000";

/**
 * Returns the resolved references and values for a kind's `inputs`.
 * @param how `allowMissing` is set for a deletion: an id that cannot be resolved any more is then the recorded parent or the
 * nil id, and a value is empty, instead of an error
 */
export function resolver(
  references: ResolvedReferences,
  resolved: ResolvedValues,
  how: {
    readonly key: InstallationKey;
    readonly generation: number;
    readonly allowMissing: { readonly parentId: Uuid | undefined } | undefined;
    readonly receiver: ResolvedNeeds["receiver"];
  },
): ResolvedNeeds {
  const ids: ReadonlyMap<string, Uuid> = references.is === "resolved" ? references.ids : new Map();
  const { values: found, all, sources } = resolved.is === "found" ? resolved : NO_VALUES;
  const otherwise = <T>(value: T | undefined, last: T, field: string): T => {
    if (value !== undefined) return value;
    if (how.allowMissing === undefined) throw new RangeError(`${field} was not asked for`);
    return last;
  };
  return {
    id: (field) => otherwise(ids.get(field), how.allowMissing?.parentId ?? NIL, field),
    idIfAny: (field) => ids.get(field),
    value: (field) => otherwise(found.get(field), "", field),
    all: (field) => otherwise(all.get(field), new Map(), field),
    fingerprint: (content) => fingerprintOf(content, `${how.generation} ${sources}`, how.key),
    receiver: how.receiver,
  };
}
