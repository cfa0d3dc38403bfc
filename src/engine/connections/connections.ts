/**
 * The open connections: their clients, tokens, and errors, which are reported once, on the connection
 * (docs/project/architecture.md §5, §10).
 */
import { isDeepStrictEqual } from "node:util";

import { member, stringMember } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { Clock, JsonObject, KubeObject, ObjectKey } from "../../kube/api/types.ts";
import type { Reader } from "../../kube/watch/readers.ts";
import { ApiError, sentenceOf } from "../../platform/transport/errors.ts";
import type { ConnectionSettings, NetworkAccess } from "../contract/connection.ts";
import { keyText } from "../contract/keys.ts";
import type { Ms, RatedApi, Surface, StatusReason } from "../contract/kind.ts";
import { type ConnectionAccess, readAccess } from "./access.ts";
import { createMassChangeLimit, type MassChangeLimit } from "./mass-change-limit.ts";

/** Creates a client, which asks for token and network at every request, as both may change. */
export type Connect<Api> = (
  settings: ConnectionSettings,
  token: () => string,
  name: string,
  network: () => NetworkAccess,
) => Api;

export interface Connection<Api = RatedApi> {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly generation: number;
  readonly settings: ConnectionSettings;
  /** Host and port of the base URL. */
  readonly host: string;
  readonly api: Api;
  readonly massChangeLimit: MassChangeLimit;
  readonly token: () => string;
  /**
   * The token, credentials and certificates that were last read with these settings. A replaced client keeps its own.
   */
  readonly access: { now: ConnectionAccess };
  /**
   * Why the connection cannot be used now: it is not probed yet, the last probe failed, a Secret or ConfigMap is not
   * usable, or a mass change is held; undefined if it can be used.
   */
  notReadyReason: StatusReason | undefined;
  /**
   * Why writes fail although reads pass: a firewall or proxy answers the last write in place of the platform. Undefined
   * once a write passes.
   */
  interceptedWrite?: StatusReason | undefined;
  /** What the platform offers; undefined while that is undecided, which counts as Documented. */
  surface?: Surface | undefined;
  /** The surface is undecided, and the first project of the organization will decide it. */
  lacksProject?: boolean | undefined;
  /** The value of the annotation `resolve` at the last probe. */
  answer?: string | undefined;
  probedAt?: Ms | undefined;
  nextProbeAt: Ms;
  failures: number;
  /** Since when probes fail without a usable answer of the platform, on the monotonic clock. */
  failingSince?: Ms | undefined;
  /**
   * Keys of objects with pending work that wait for the connection, and of objects that were denied a request (403).
   */
  readonly waiting: Set<string>;
  readonly denied: Set<string>;
  /** Keys of all objects that use the connection. An object that uses another connection is removed. */
  readonly users: Set<string>;
}

export type Opened<Api> =
  | { readonly is: "open"; readonly connection: Connection<Api> }
  | { readonly is: "closed"; readonly why: StatusReason };

export type Connections<Api extends RatedApi> = ReturnType<typeof createConnections<Api>>;

/** How long a replaced client serves the calls under way: longer than the longest deadline. */
const RETIRE_MS = 30_000;

/** The age at which a connection's Secrets and ConfigMap are read again (docs/project/architecture.md §10). */
const SECRET_MAX_AGE_MS = 30_000;

/** The dependencies of `createConnections`. */
export interface ConnectionsDeps<Api> {
  readonly reader: Reader;
  readonly clock: Clock;
  readonly connect: Connect<Api>;
  /** The namespace of the Secrets of cluster-scoped connections. */
  readonly operatorNamespace: string;
  readonly wake: (keyText: string) => void;
  /** Reports whether a connection's object exists or an object refers to it. */
  readonly isNeeded: (connection: ObjectKey) => boolean;
}

export function createConnections<Api extends RatedApi>(deps: ConnectionsDeps<Api>) {
  const open = new Map<string, Connection<Api>>();
  const waiting = new Map<string, Set<string>>();
  /** The connection that each object uses or waits for. */
  const usedBy = new Map<string, string>();
  /** Since when a deletion misses a connection that cannot be opened, on the monotonic clock. */
  const missingSince = new Map<string, Ms>();
  const retired = new Set<Api>();

  const wakeAll = (keys: Set<string>): void => {
    for (const key of keys) deps.wake(key);
    keys.clear();
  };

  const accessOf = (
    key: ObjectKey,
    settings: ConnectionSettings,
    maxAgeMs: Ms,
    known: Connection<Api> | undefined,
  ): Promise<ConnectionAccess | StatusReason> => {
    const namespace = key.namespace === "" ? deps.operatorNamespace : key.namespace;
    return readAccess({ reader: deps.reader, namespace, maxAgeMs }, settings, known?.access.now);
  };
  /**
   * Replaces the access by what was read. A changed token, credential or certificate requests a probe and wakes
   * every object that was denied a request.
   */
  const replaceAccess = (connection: Connection<Api>, access: ConnectionAccess): void => {
    if (isDeepStrictEqual(connection.access.now, access)) return;
    connection.access.now = access;
    connection.nextProbeAt = 0;
    wakeAll(connection.denied);
    deps.wake(keyText(connection.key));
  };
  const waitingFor = (id: string): Set<string> => {
    const keys = waiting.get(id) ?? new Set();
    waiting.set(id, keys);
    return keys;
  };

  /** @returns the error where the client refuses the address */
  const connect = (...how: Parameters<Connect<Api>>): Api | ApiError => {
    try {
      return deps.connect(...how);
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  };

  /** Closes a replaced client later: closing it ends its calls, and one of them may be a create. */
  const retire = (api: Api): void => {
    retired.add(api);
    deps.clock.after(RETIRE_MS, () => {
      retired.delete(api);
      void api.close();
    });
  };

  /** Closes a connection that nothing uses or needs any more. */
  const closeUnneeded = (id: string): void => {
    const connection = open.get(id);
    if (connection === undefined || connection.users.size > 0 || deps.isNeeded(connection.key)) return;
    open.delete(id);
    waiting.delete(id);
    retire(connection.api);
  };

  /** Removes an object from a connection. */
  const removeUser = (userKey: string, id: string): void => {
    const connection = open.get(id);
    for (const keys of [waiting.get(id), connection?.users, connection?.denied]) keys?.delete(userKey);
    closeUnneeded(id);
  };

  /** Notes the connection of an object. The object leaves its earlier connection. */
  const assignUser = (userKey: string, id: string): void => {
    const before = usedBy.get(userKey);
    usedBy.set(userKey, id);
    if (before !== undefined && before !== id) removeUser(userKey, before);
  };

  return {
    /**
     * Opens the connection that an object describes, with the current contents of its Secrets and ConfigMap.
     * @returns the connection, or why it cannot be opened
     * @throws KubeError
     */
    async open(object: KubeObject, settings: ConnectionSettings): Promise<Opened<Api>> {
      const key = keyOf(object);
      const id = keyText(key);
      const known = open.get(id);
      const read = await accessOf(key, settings, 0, known);
      if ("reason" in read) {
        // Once the access can be read again, the connection has to be probed, even if the access is unchanged.
        if (known !== undefined) Object.assign(known, { notReadyReason: read, nextProbeAt: 0 });
        return { is: "closed", why: read };
      }
      if (known?.uid === object.metadata.uid && known.generation === (object.metadata.generation ?? 0)) {
        replaceAccess(known, read);
        return { is: "open", connection: known };
      }
      const access = { now: read };
      const token = (): string => access.now.token;
      const api = connect(settings, token, id, () => access.now.network);
      if (api instanceof ApiError) return { is: "closed", why: refusedAddress(api) };
      const how = {
        access,
        token,
        waiting: waitingFor(id),
        massChangeLimit: known?.massChangeLimit ?? createMassChangeLimit(deps.clock),
      };
      const connection = newConnection(object, settings, api, how, known);
      open.set(id, connection);
      if (known !== undefined) {
        retire(known.api);
        wakeAll(known.denied);
      }
      return { is: "open", connection };
    },
    /**
     * Reads Secrets and ConfigMap again if that is due. If one of them is not usable, the connection is reconciled, and
     * its users keep the last good token, credentials and certificates.
     * @throws KubeError
     */
    async refresh(connection: Connection<Api>): Promise<void> {
      const read = await accessOf(connection.key, connection.settings, SECRET_MAX_AGE_MS, connection);
      if (!("reason" in read)) replaceAccess(connection, read);
      else deps.wake(keyText(connection.key));
    },
    /** Returns a connection that is or was open, even if its object or Secret is gone: for a deletion of its users. */
    last: (key: ObjectKey): Connection<Api> | undefined => open.get(keyText(key)),
    byUid: (uid: string): Connection<Api> | undefined =>
      [...open.values()].find((connection) => connection.uid === uid),
    /** Requests a probe, e.g. after a failure that the connection may have caused. */
    requestProbe(connection: Connection<Api>): void {
      if (connection.notReadyReason !== undefined) return;
      // At most one requested probe a second.
      connection.nextProbeAt = (connection.probedAt ?? -1_000) + 1_000;
      deps.wake(keyText(connection.key));
    },
    /**
     * Returns since when deletions in a namespace miss a connection, which does not exist, has no token or does not allow
     * the namespace: now at the first call.
     */
    connectionMissingSince: (namespace: string, key: ObjectKey | undefined): Ms => {
      const id = missingId(namespace, key);
      const since = missingSince.get(id) ?? deps.clock.monotonic();
      missingSince.set(id, since);
      return since;
    },
    /** Ends the time of `connectionMissingSince`: a deletion in the namespace has the connection. */
    connectionFound: (namespace: string, key: ObjectKey): void => {
      missingSince.delete(missingId(namespace, key));
      missingSince.delete(missingId(namespace, undefined));
    },
    /** Registers an object that uses an open connection from now on. */
    use(connection: Connection<Api>, userKey: string): void {
      assignUser(userKey, keyText(connection.key));
      connection.users.add(userKey);
    },
    /** Registers an object with pending work that waits for a connection, which may not be open yet. */
    waitFor: (key: ObjectKey, userKey: string): void => {
      const id = keyText(key);
      assignUser(userKey, id);
      waitingFor(id).add(userKey);
    },
    /** Wakes all objects that wait for a connection, to report the reason for which it cannot be used now. */
    wakeWaiting: (key: ObjectKey): void => {
      const keys = waiting.get(keyText(key));
      if (keys !== undefined) wakeAll(keys);
    },
    /** Wakes all objects that wait, after a successful probe. */
    recovered(connection: Connection<Api>): void {
      connection.notReadyReason = undefined;
      connection.failures = 0;
      connection.failingSince = undefined;
      wakeAll(connection.waiting);
    },
    /** Forgets a deleted object, and closes the connections that nothing needs any more. */
    forget: (goneKey: string): void => {
      const used = usedBy.get(goneKey);
      usedBy.delete(goneKey);
      if (used !== undefined) removeUser(goneKey, used);
      for (const id of open.keys()) closeUnneeded(id);
    },
    closeAll: async (): Promise<void> => {
      const clients = [...retired, ...[...open.values()].map(({ api }) => api)];
      await Promise.all(clients.map(async (api) => await api.close()));
    },
  };
}

function missingId(namespace: string, key: ObjectKey | undefined): string {
  return `${namespace} ${key === undefined ? "" : keyText(key)}`;
}

function newConnection<Api>(
  object: KubeObject,
  settings: ConnectionSettings,
  api: Api,
  how: Pick<Connection<Api>, "access" | "token" | "waiting" | "massChangeLimit">,
  known: Connection<Api> | undefined,
): Connection<Api> {
  return {
    ...how,
    key: keyOf(object),
    uid: object.metadata.uid,
    generation: object.metadata.generation ?? 0,
    settings,
    host: URL.canParse(settings.baseUrl) ? new URL(settings.baseUrl).host : "",
    api,
    notReadyReason: { reason: "Progressing", message: "The connection was not probed yet." },
    nextProbeAt: 0,
    failures: 0,
    denied: new Set(),
    surface: settings.surface === "Auto" ? surfaceIn(object)?.name : settings.surface,
    users: known?.users ?? new Set(),
  };
}

/** What the platform offers, and when that was found, as the status of a connection says it. */
export interface SurfaceStatus extends JsonObject {
  readonly name: Surface;
  readonly foundAt: string;
}

/** Returns the surface that the status of a connection says, perhaps written by an earlier process. */
export function surfaceIn({ status }: KubeObject): SurfaceStatus | undefined {
  const surface = member(status, "surface");
  const name = stringMember(surface, "name");
  const foundAt = stringMember(surface, "foundAt");
  return (name === "Full" || name === "Documented") && foundAt !== undefined ? { name, foundAt } : undefined;
}

function refusedAddress(error: ApiError): StatusReason {
  const field = error.operation === "connectProxy" ? "spec.proxy.url" : "spec.baseUrl";
  const message = `The operator does not connect to ${field}: ${sentenceOf(error)} Fix the address, or allow it with the flag --allowed-platform-hosts or --allow-insecure-platform.`;
  return { reason: "InvalidSpec", message };
}
