/** The engine as the operator uses it: kinds that are bound to one set of ports and react to changes of the store. */
import { isDeepStrictEqual } from "node:util";

import { INSTALLATION_KEY } from "../api/names.ts";
import { member } from "../kube/api/json.ts";
import { keyOf } from "../kube/api/objects.ts";
import type { Cache, KubeObject, ObjectKey } from "../kube/api/types.ts";
import type { StoreChange } from "../kube/watch/store.ts";
import type { Bound, BoundConnection, BoundKinds } from "./bind.ts";
import { createConnections, type Connect } from "./connections/connections.ts";
import type { Enqueue, Ports, ProvidedPorts } from "./context/context.ts";
import { createLocalStates } from "./context/local-state.ts";
import { keyText, parseKey, recordedTenant } from "./contract/keys.ts";
import type { Ms, RatedApi, Uuid } from "./contract/kind.ts";
import { untilGroupPhase } from "./contract/requeue.ts";
import { isSettled, nonEmptyText, recordedIdentityIn, recordedIdIn } from "./contract/status.ts";
import { checkInstallation, hasFinalizer } from "./ledger/record.ts";
import { createExternalWrites } from "./ownership/external-writes.ts";
import { createFieldOwnership } from "./ownership/fields.ts";
import { createIdOwnership } from "./ownership/ids.ts";
import { createDependencyIndex } from "./references/dependencies.ts";
import {
  connectionFor,
  namedConnection,
  type ConnectionKinds,
  type ConnectionRoute,
  defaultConnections,
} from "./references/references.ts";
import { flush } from "./status/write.ts";
import {
  affectsDependents,
  changesDefaults,
  changesRefusal,
  enqueueDelivered,
  hasNothingPending,
  needsReconcile,
} from "./triggers.ts";

/** What the operator provides. */
export interface EngineDeps<Api extends RatedApi> extends ProvidedPorts {
  readonly connect: Connect<Api>;
  readonly enqueue: Enqueue;
}

export type Engine<Api extends RatedApi> = ReturnType<typeof createEngine<Api>>;

export function createEngine<Api extends RatedApi>(deps: EngineDeps<Api>, bound: BoundKinds<Api>) {
  const kinds = new Map(bound.managed.map((kind) => [kind.kind, kind]));
  const { enqueue } = deps;
  const wake = (key: string): void => enqueue(key, { afterMs: 0, urgent: true });
  const dependencies = createDependencyIndex();
  const isNeeded = (connection: ObjectKey): boolean =>
    deps.cache.get(connection) !== undefined || dependencies.dependents(connection).length > 0;
  const connections = createConnections<Api>({ ...deps, wake, isNeeded });
  const idOwnership = createIdOwnership();
  const fieldOwnership = createFieldOwnership();
  const externalWrites = createExternalWrites((id) => idOwnership.recorders(id).length > 0);
  const localStates = createLocalStates(() => deps.clock.monotonic());
  const route = router(deps, kinds);
  const usedSecrets = (namespace: string) => secretsInUse(deps, bound.connections, namespace);
  const owned = { dependencies, idOwnership, fieldOwnership, externalWrites, localStates };
  const ports: Ports<Api> = { ...deps, ...owned, connections, route, usedSecrets, wake };
  const reconcilers = new Map([...bound.connections, ...bound.managed].map((kind) => [kind.kind, kind.attach(ports)]));

  /** Returns the connections that an object uses or would use, as the index has them. */
  const connectionsOf = (key: ObjectKey): readonly string[] =>
    dependencies.references(key).filter((text) => isConnection(deps.connectionKinds, parseKey(text).kind));

  /**
   * Records what an object refers to. If it comes to another connection, both are reconciled where it needs one to be
   * deleted.
   * @returns whether its connection is another one than before
   */
  const indexReferences = (kind: Bound<Api>, object: KubeObject): boolean => {
    const key = keyOf(object);
    const before = connectionsOf(key);
    dependencies.set(key, ...refersTo(deps.connectionKinds, kind, object, route(object)));
    const now = connectionsOf(key);
    if (isDeepStrictEqual(before, now)) return false;
    if (hasFinalizer(object) && before.length > 0)
      for (const connection of existing(ports, [...before, ...now])) wake(keyText(keyOf(connection)));
    return true;
  };

  /** Returns what may get its connection from or through an object: what refers to it. */
  const below = (key: ObjectKey): readonly string[] => {
    if (!isDefaultOfNamespace(deps.connectionKinds, key)) return dependencies.dependents(key);
    const inNamespace = [...kinds.keys()].flatMap((kind) => deps.cache.list(kind, key.namespace));
    return inNamespace.map((object) => keyText(keyOf(object)));
  };

  /** Records the connections of all below an object again. @returns the keys of those that come to another connection */
  const indexReferencesBelow = (key: ObjectKey): readonly string[] => {
    // A set also iterates over the keys that are added meanwhile.
    const keys = new Set(below(key));
    const moved: string[] = [];
    for (const one of keys) {
      const object = deps.cache.get(parseKey(one));
      const kind = object && kinds.get(object.kind);
      if (object === undefined || kind === undefined) continue;
      if (indexReferences(kind, object)) moved.push(one);
      for (const dependent of dependencies.dependents(parseKey(one))) keys.add(dependent);
    }
    return moved;
  };

  /** Forgets a deleted object. @returns the ids with a write of the object that its status never reported */
  const removeFromIndexes = (object: KubeObject): readonly Uuid[] => {
    for (const key of new Set([...idOwnership.forget(object), ...fieldOwnership.forget(object)])) wake(key);
    dependencies.set(keyOf(object), []);
    return externalWrites.forget(object);
  };

  /** Records a change of an object; connections are in no index. @returns the ids of the objects of the platform that were written to */
  const updateIndexes = (change: StoreChange): readonly Uuid[] => {
    const { object } = change;
    const old = change.type === "updated" ? change.old : undefined;
    const kind = kinds.get(object.kind);
    if (kind === undefined) return [];
    if (change.type === "deleted") {
      kind.recordOrphan(ports, object);
      return removeFromIndexes(object);
    }
    if (recordedIdIn(object) !== recordedIdIn(old)) removeFromOrphanLedger(ports, object);
    idOwnership.set(object, kind.claim(object));
    const claims = kind.fieldClaims(object);
    if (old === undefined || object.status !== old.status) fieldOwnership.record(object, claims);
    if (!refersAsBefore(change)) indexReferences(kind, object);
    // The records of another installation are not trusted.
    return externalWrites.record(object, checkInstallation(ports, object) === undefined ? claims : []);
  };

  /**
   * Records a change in all indexes.
   * @returns the ids of the objects of the platform that were written to, and the keys of the objects that come to
   * another connection
   */
  const index = (change: StoreChange): { readonly written: readonly Uuid[]; readonly moved: readonly string[] } => {
    if (refersAsBefore(change)) return { written: updateIndexes(change), moved: [] };
    const key = keyOf(change.object);
    const before = connectionsOf(key);
    const written = updateIndexes(change);
    const isRerouted = change.type !== "updated" || !isDeepStrictEqual(connectionsOf(key), before);
    return { written, moved: isRerouted ? indexReferencesBelow(key) : [] };
  };

  /**
   * Returns the time until the first verification. Objects of one parent share a turn where the platform lists them, as
   * they share its lists.
   */
  const untilFirstVerification = (object: KubeObject): Ms => {
    const { cache, clock, random, windows } = deps;
    const found = route(object);
    const isListed = found.is === "found" && member(member(cache.get(found.key)?.status, "surface"), "name") === "Full";
    const parentId = isListed ? recordedIdentityIn(object, "parentId") : undefined;
    if (parentId === undefined) return random() * windows.pollMs;
    return untilGroupPhase(windows.pollMs, parentId, clock.monotonic());
  };

  /** Returns the time until the next change by a schedule, so that a restart of the operator does not delay it. */
  const untilRunChange = (object: KubeObject): Ms => {
    const at = nonEmptyText(member(member(object.status, "nextRunChange"), "at"));
    const left = Date.parse(at ?? "") - deps.clock.now().getTime();
    return Number.isNaN(left) ? Infinity : Math.max(0, left);
  };

  /** Queues an object. Objects of the first list with nothing pending are spread over the poll interval. */
  const queue = (object: KubeObject, initial: boolean): void => {
    const routine = initial && hasNothingPending(object) && kinds.has(object.kind);
    const key = keyText(keyOf(object));
    if (routine)
      enqueue(key, { afterMs: Math.min(untilFirstVerification(object), untilRunChange(object)), urgent: false });
    else wake(key);
  };

  return {
    connections,
    /** Returns the connection that an object uses, or why it has none. */
    route,
    /** Stores what only this process knows, once no reconcile is running any more. */
    flush: (): Promise<void> => flush(ports),
    /**
     * Handles a webhook delivery about these objects of a connection. Its content is not trusted: the resources that
     * represent the objects are reconciled.
     * @returns how many resources represent the objects
     */
    enqueueDelivered: (connection: ObjectKey, ids: readonly Uuid[]): number =>
      enqueueDelivered(ports, enqueue, connection, ids),
    reconcile: async (key: ObjectKey): Promise<Ms | undefined> => {
      const reconcile = reconcilers.get(key.kind);
      return await reconcile?.(key);
    },
    /** Must be called for every change of the store, in order. `initial`: the change is part of the first list. */
    changed: (change: StoreChange, initial: boolean): void => {
      const { object } = change;
      const key = keyOf(object);
      const parents = change.type === "deleted" ? dependencies.references(key) : [];
      const { written, moved } = index(change);
      if (needsReconcile(change)) queue(object, initial);
      if (initial) return;
      spreadOver(ports, enqueue, moved);
      for (const id of written) idOwnership.recorders(id).forEach(wake);
      for (const parent of parents) if (isBeingDeleted(deps.cache, parent)) wake(parent);
      if (affectsDependents(change)) wakeDependents(ports, key);
      if (changesRefusal(change)) connections.wakeWaiting(key);
      if (changesFinalizer(change)) wakeConnection(ports, object);
      if (changesDefaults(change)) spreadOver(ports, enqueue, dependencies.dependents(key));
    },
  };
}

/** Reports whether the operator's finalizer was added or removed: a connection is kept while an object has it. */
function changesFinalizer(change: StoreChange): boolean {
  const before = change.type === "updated" && hasFinalizer(change.old);
  return (change.type !== "deleted" && hasFinalizer(change.object)) !== before;
}

/** Wakes the connection of an object whose finalizer changed, if the connection's own finalizer may change too. */
function wakeConnection({ cache, route, wake }: Ports, object: KubeObject): void {
  const found = route(object);
  const connection = found.is === "found" ? cache.get(found.key) : undefined;
  if (connection === undefined || (hasFinalizer(object) && hasFinalizer(connection))) return;
  wake(keyText(keyOf(connection)));
}

/** Removes an orphan from the orphan ledger once an existing resource has recorded it. */
function removeFromOrphanLedger({ orphans, installation }: Ports, object: KubeObject): void {
  const id = recordedIdIn(object);
  if (id === undefined || object.metadata.deletionTimestamp !== undefined) return;
  orphans.found({ id, kind: object.kind, installation, ...recordedTenant(object) });
}

/** Reports whether a parent is being deleted, and so may wait for the deletion of its children. */
function isBeingDeleted(cache: Cache, key: string): boolean {
  return cache.get(parseKey(key))?.metadata.deletionTimestamp !== undefined;
}

/** Wakes dependents that are not settled or are being deleted. Changes of a parent do not matter to other dependents. */
function wakeDependents(ports: Ports, key: ObjectKey): void {
  for (const object of existing(ports, ports.dependencies.dependents(key))) {
    if (!isSettled(object) || object.metadata.deletionTimestamp !== undefined) ports.wake(keyText(keyOf(object)));
  }
}

/** A change that affects many objects queues them over this time. */
const SPREAD_MS = 60_000;

function spreadOver({ random, windows }: Ports, enqueue: Enqueue, keys: readonly string[]): void {
  const within = Math.min(SPREAD_MS, windows.pollMs);
  for (const key of keys) enqueue(key, { afterMs: random() * within, urgent: false });
}

function existing({ cache }: Ports, keys: readonly string[]): readonly KubeObject[] {
  return keys.flatMap((key) => cache.get(parseKey(key)) ?? []);
}

/**
 * Returns the references by name together with the connection that is or would be used, and the optional references
 * apart from them.
 */
function refersTo<Api extends RatedApi>(
  kinds: ConnectionKinds,
  kind: Bound<Api>,
  object: KubeObject,
  found: ConnectionRoute,
): readonly [firmly: readonly ObjectKey[], loosely: readonly ObjectKey[]] {
  const namespace = object.metadata.namespace ?? "";
  const named = kind
    .references(object)
    .flatMap(({ kind: target, name, optional }) =>
      name === undefined ? [] : [{ optional, key: { kind: target, namespace, name } }],
    );
  const loosely = named.flatMap(({ optional, key }) => (optional === true ? [key] : []));
  const firmly = named.flatMap(({ optional, key }) => (optional === true ? [] : [key]));
  return [[...firmly, ...connectionsFor(kinds, object, found)], loosely];
}

/**
 * Reports whether the references of an object are those of before: its spec names them, and the connection of its record
 * counts while its parent is gone.
 */
function refersAsBefore(change: StoreChange): boolean {
  if (change.type !== "updated" || change.object.spec !== change.old.spec) return false;
  return recordedIdentityIn(change.object, "connectionUid") === recordedIdentityIn(change.old, "connectionUid");
}

function isConnection({ namespaced, cluster }: ConnectionKinds, kind: string): boolean {
  return kind === namespaced || kind === cluster;
}

/** Reports whether a connection serves all of its namespace that names none, instead of the cluster's default. */
function isDefaultOfNamespace(kinds: ConnectionKinds, key: ObjectKey): boolean {
  const [ofNamespace] = defaultConnections(kinds, key.namespace);
  return ofNamespace !== undefined && keyText(ofNamespace) === keyText(key);
}

function connectionsFor(kinds: ConnectionKinds, object: KubeObject, found: ConnectionRoute): readonly ObjectKey[] {
  if (found.is === "found") return [found.key];
  const own = namedConnection(kinds, object);
  return own === undefined ? defaultConnections(kinds, object.metadata.namespace ?? "") : [own];
}

/**
 * Returns the Secrets of a namespace that connections and the operator itself use, each with the title of one user.
 * Those of connections of the cluster, and the key of the installation, are in the operator's namespace.
 */
function secretsInUse<Api extends RatedApi>(
  { cache, connectionKinds, operatorNamespace }: ProvidedPorts,
  kinds: readonly BoundConnection<Api>[],
  namespace: string,
): ReadonlyMap<string, string> {
  const isOperators = namespace === operatorNamespace;
  const ofCluster = isOperators ? cache.list(connectionKinds.cluster) : [];
  const connections = [...cache.list(connectionKinds.namespaced, namespace), ...ofCluster];
  const theirs = connections.flatMap((object) => {
    const title = `${object.kind} "${object.metadata.name}"`;
    return (kinds.find(({ kind }) => kind === object.kind)?.secrets(object) ?? []).map(
      (name) => [name, title] as const,
    );
  });
  return new Map([...theirs, ...(isOperators ? [[INSTALLATION_KEY, "the operator itself"] as const] : [])]);
}

/**
 * Returns a function that finds the connection of an object through its parents. A child whose parent is gone keeps the
 * connection that it is recorded with, which its deletion needs. The limit of the depth ends a cycle of references,
 * which no kind allows.
 */
function router<Api extends RatedApi>(
  { cache, connectionKinds }: ProvidedPorts,
  kinds: ReadonlyMap<string, Bound<Api>>,
): (object: KubeObject) => ConnectionRoute {
  const follow = (object: KubeObject, depth: number): ConnectionRoute => {
    const parent = kinds.get(object.kind)?.references(object)[0];
    const above =
      parent?.name === undefined || depth === 0
        ? undefined
        : cache.get({ kind: parent.kind, namespace: object.metadata.namespace ?? "", name: parent.name });
    const isOrphan = parent?.name !== undefined && above === undefined;
    const recorded = isOrphan ? recordedConnection(cache, connectionKinds, object) : undefined;
    const inherited = above === undefined ? recorded : follow(above, depth - 1);
    return connectionFor(cache, connectionKinds, object, inherited);
  };
  return (object) => follow(object, 8);
}

/** Returns the connection that an object without a connectionRef is recorded with, if it exists. */
function recordedConnection(cache: Cache, kinds: ConnectionKinds, object: KubeObject): ConnectionRoute | undefined {
  const uid = recordedIdentityIn(object, "connectionUid");
  if (uid === undefined || namedConnection(kinds, object) !== undefined) return undefined;
  const all = [...cache.list(kinds.namespaced, object.metadata.namespace ?? ""), ...cache.list(kinds.cluster)];
  const found = all.find(({ metadata }) => metadata.uid === uid);
  return found && { is: "found", key: keyOf(found) };
}
