/**
 * The open connections: their clients, tokens, and errors, which are reported once, on the connection
 * (docs/architecture.md §5, §10).
 */
import { keyOf } from "../../kube/api/objects.ts";
import type { Clock, KubeObject, ObjectKey, Reader } from "../../kube/api/types.ts";
import { ApiError, sentenceOf } from "../../platform/transport/errors.ts";
import { keyText } from "../contract/keys.ts";
import type { ConnectionSettings, Ms, RatedApi, Surface, Why } from "../contract/kind.ts";
import { createMassChangeLimit, type MassChangeLimit } from "./mass-change-limit.ts";
import type { ReceiverKeys } from "./receiver-keys.ts";

/** Makes a client. It asks for the token at every request, as the token may be rotated. */
export type Connect<Api> = (settings: ConnectionSettings, token: () => string, name: string) => Api;

export interface Connection<Api = RatedApi> {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly generation: number;
  readonly settings: ConnectionSettings;
  /** Host and port of the base URL. */
  readonly host: string;
  readonly api: Api;
  readonly brake: MassChangeLimit;
  readonly token: () => string;
  /** Why the connection cannot be used now; undefined when the last probe succeeded. Set before the first probe. */
  trouble: Why | undefined;
  /** As the status reports it; undefined while nothing is known. */
  surface: Surface | undefined;
  probedAt: Ms | undefined;
  nextProbeAt: Ms;
  failures: number;
  /** Since when probes fail without a usable answer of the platform, on the monotonic clock. */
  failingSince: Ms | undefined;
  /** Since when the token is rejected while nothing is left to fix it in; for the deletion of its users. */
  barredAt: Ms | undefined;
  /** Keys of objects with pending work that wait for the connection, and of those that lacked a scope. */
  readonly waiting: Set<string>;
  readonly denied: Set<string>;
  /** The keys that prove a delivery; undefined while none is expected. */
  receiver: ReceiverKeys | undefined;
  /** Keys of all objects that use the connection. */
  readonly users: Set<string>;
}

export type Opened<Api> =
  | { readonly is: "open"; readonly connection: Connection<Api> }
  | { readonly is: "closed"; readonly why: Why };

export interface Connections<Api> {
  /** Opens the connection that an object describes, with the current token of its Secret. */
  open(object: KubeObject, settings: ConnectionSettings): Promise<Opened<Api>>;
  /** Reads the Secret again if that is due. Without a Secret, users keep the last good token. */
  refresh(connection: Connection<Api>): Promise<void>;
  /** Returns a connection that is or was open, even if its object or Secret is gone: for the deletion of its users. */
  last(key: ObjectKey): Connection<Api> | undefined;
  byUid(uid: string): Connection<Api> | undefined;
  /** Returns all open connections. */
  all(): readonly Connection<Api>[];
  /** Requests a probe: a user failed in a way that may be the connection's fault. */
  suspect(connection: Connection<Api>): void;
  /** Registers an object with pending work that waits for a connection, which may not be open yet. */
  waitFor(key: ObjectKey, userKey: string): void;
  /** Wakes everything that waits, after a successful probe. */
  recovered(connection: Connection<Api>): void;
  /** Forgets a deleted user. */
  forget(userKey: string): void;
  closeAll(): Promise<void>;
}

/** How long a replaced client serves the calls under way: longer than the longest deadline. */
const RETIRE_MS = 30_000;

/** The age at which a connection's Secret is read again (docs/architecture.md §10). */
const SECRET_MAX_AGE_MS = 30_000;

/** Dependencies of the registry. */
export interface ConnectionsDeps<Api> {
  readonly reader: Reader;
  readonly clock: Clock;
  readonly connect: Connect<Api>;
  /** The namespace of the Secrets of cluster-scoped connections. */
  readonly operatorNamespace: string;
  readonly wake: (keyText: string) => void;
}

export function createConnections<Api extends RatedApi>(deps: ConnectionsDeps<Api>): Connections<Api> {
  const open = new Map<string, Connection<Api>>();
  const tokens = new Map<string, string>();
  const waiting = new Map<string, Set<string>>();
  const retired = new Set<Api>();

  const wakeAll = (keys: Set<string>): void => {
    for (const key of keys) deps.wake(key);
    keys.clear();
  };

  const secretOf = (key: ObjectKey, settings: ConnectionSettings, maxAgeMs: Ms): Promise<TokenRead> =>
    readToken(deps.reader, key.namespace === "" ? deps.operatorNamespace : key.namespace, settings, maxAgeMs);

  /** Puts a token into use. A new one lets every refused object try again. */
  const take = (id: string, token: string): void => {
    const rotated = tokens.has(id) && tokens.get(id) !== token;
    tokens.set(id, token);
    const known = open.get(id);
    if (!rotated || known === undefined) return;
    known.nextProbeAt = 0;
    wakeAll(known.denied);
    deps.wake(id);
  };

  const waitingFor = (id: string): Set<string> => {
    const keys = waiting.get(id) ?? new Set();
    waiting.set(id, keys);
    return keys;
  };

  /** Closing a client ends its calls, and one of them may be a create. */
  const retire = (api: Api): void => {
    retired.add(api);
    deps.clock.after(RETIRE_MS, () => {
      retired.delete(api);
      void api.close();
    });
  };

  return {
    open: async (object, settings) => {
      const key = keyOf(object);
      const id = keyText(key);
      const known = open.get(id);
      const read = await secretOf(key, settings, 0);
      if (read.is === "missing") {
        // Once there is a token again the connection has to be probed, even if the token is the old one.
        if (known !== undefined) Object.assign(known, { trouble: read.why, nextProbeAt: 0 });
        return { is: "closed", why: read.why };
      }
      take(id, read.token);
      if (
        known !== undefined &&
        known.uid === object.metadata.uid &&
        known.generation === (object.metadata.generation ?? 0)
      ) {
        return { is: "open", connection: known };
      }
      const made = tryMake(object, settings, () => tokens.get(id) ?? "", known, { ...deps, waiting: waitingFor(id) });
      if (made instanceof ApiError) return { is: "closed", why: refusedAddress(made) };
      if (known !== undefined) retire(known.api);
      open.set(id, made);
      return { is: "open", connection: made };
    },
    refresh: async (connection) => {
      const read = await secretOf(connection.key, connection.settings, SECRET_MAX_AGE_MS);
      if (read.is === "found") take(keyText(connection.key), read.token);
      else deps.wake(keyText(connection.key));
    },
    last: (key) => open.get(keyText(key)),
    byUid: (uid) => [...open.values()].find((connection) => connection.uid === uid),
    all: () => [...open.values()],
    suspect: (connection) => {
      if (connection.trouble !== undefined) return;
      // At most one requested probe a second.
      connection.nextProbeAt = (connection.probedAt ?? -1_000) + 1_000;
      deps.wake(keyText(connection.key));
    },
    waitFor: (key, userKey) => {
      waitingFor(keyText(key)).add(userKey);
    },
    recovered: (connection) => {
      connection.trouble = undefined;
      connection.failures = 0;
      connection.failingSince = undefined;
      connection.barredAt = undefined;
      wakeAll(connection.waiting);
    },
    forget: (userKey) => {
      const sets = [...open.values()].flatMap(({ users, denied }) => [users, denied]);
      for (const set of [...sets, ...waiting.values()]) set.delete(userKey);
    },
    closeAll: async () => {
      const clients = [...retired, ...[...open.values()].map(({ api }) => api)];
      await Promise.all(clients.map(async (api) => await api.close()));
    },
  };
}

function make<Api extends RatedApi>(
  object: KubeObject,
  settings: ConnectionSettings,
  token: () => string,
  known: Connection<Api> | undefined,
  deps: ConnectionsDeps<Api> & { readonly waiting: Set<string> },
): Connection<Api> {
  const key = keyOf(object);
  return {
    key,
    uid: object.metadata.uid,
    generation: object.metadata.generation ?? 0,
    settings,
    host: hostOf(settings.baseUrl),
    api: deps.connect(settings, token, keyText(key)),
    brake: known?.brake ?? createMassChangeLimit(deps.clock),
    token,
    trouble: { reason: "Progressing", message: "The connection was not probed yet." },
    surface: undefined,
    probedAt: undefined,
    nextProbeAt: 0,
    failures: 0,
    failingSince: undefined,
    barredAt: undefined,
    waiting: deps.waiting,
    denied: new Set(),
    receiver: known?.receiver,
    users: known?.users ?? new Set(),
  };
}

/** @returns the error where the client refuses the address */
function tryMake<Api extends RatedApi>(...how: Parameters<typeof make<Api>>): Connection<Api> | ApiError {
  try {
    return make(...how);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function refusedAddress(error: ApiError): Why {
  const message = `The operator does not connect to spec.baseUrl: ${sentenceOf(error)} Fix the address, or allow it with the flag --allowed-platform-hosts or --allow-insecure-platform.`;
  return { reason: "InvalidSpec", message };
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : "";
}

type TokenRead = { readonly is: "found"; readonly token: string } | { readonly is: "missing"; readonly why: Why };

async function readToken(
  reader: Reader,
  namespace: string,
  settings: ConnectionSettings,
  maxAgeMs: Ms,
): Promise<TokenRead> {
  const { name, key } = settings.tokenSecret;
  const secret = await reader.secret(namespace, name, maxAgeMs);
  const token = secret?.data.get(key);
  if (token !== undefined && token !== "") return { is: "found", token };
  const what = secret === undefined ? "does not exist" : `has no key "${key}", or it is empty`;
  return {
    is: "missing",
    why: {
      reason: "CredentialsMissing",
      message: `Secret "${name}" in namespace "${namespace}" ${what}. Create it with the platform's token under the key "${key}".`,
    },
  };
}
