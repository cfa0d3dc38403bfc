/** Opens the connections to the platform: directly or through a proxy, and only to addresses that are allowed. */
import { lookup, type LookupAddress, type LookupOptions } from "node:dns";
import { Socket } from "node:net";
import { createSecureContext } from "node:tls";

import { buildConnector, Pool } from "undici";

import { TransportError } from "./errors.ts";

/** Settings from Secrets and ConfigMaps, which may change while a client is in use. */
export interface Network {
  /** CA certificates in PEM; they replace the built-in ones, for the platform and for a proxy that has an https URL. */
  readonly ca?: string | undefined;
  /** "user:password" for the proxy. */
  readonly proxyCredentials?: string | undefined;
}

/** A forward proxy. The client opens a tunnel through it (CONNECT, RFC 9110 §9.3.6) for http as well as for https. */
export interface Proxy {
  /** Scheme, host and port, without credentials. */
  readonly url: string;
  /** Where it is configured, for messages, e.g. "spec.proxy". */
  readonly from: string;
  /** Reports whether a connection to the proxy may use an address that DNS returned. */
  readonly allowAddress: (address: string) => boolean;
  /** Whether the proxy may resolve a platform's name that does not resolve here, whose address is then not checked. */
  readonly mayResolve: boolean;
}

export interface ConnectOptions {
  readonly connectTimeoutMs: number;
  /** Reports whether a connection to the platform may use an address that DNS returned. */
  readonly allowAddress: (address: string) => boolean;
  readonly proxy?: Proxy | undefined;
  /** Resolves host names; `dns.lookup` by default. */
  readonly lookup?: Lookup;
}

/** The time limit of a DNS lookup for a host that the proxy resolves itself. */
const LOOKUP_MS = 1_000;
const REFUSED_ADDRESS = "ERR_REFUSED_ADDRESS";
export const TOO_LATE = "ERR_TOO_LATE";

/** Certificate errors that mean an unknown authority. */
const UNKNOWN_AUTHORITY = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** What the codes mean that a wrong address or a firewall causes. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ["CERT_HAS_EXPIRED", "its certificate has expired"],
  ["EAI_AGAIN", "the DNS server does not answer for its host name"],
  ["ECONNREFUSED", "nothing listens at its host and port"],
  ["ENOTFOUND", "its host name does not resolve"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another host name"],
  ["UND_ERR_CONNECT_TIMEOUT", "its host does not answer, or a firewall drops the request"],
  ...[...UNKNOWN_AUTHORITY].map(
    (code) => [code, "no trusted authority signed its certificate; see spec.caBundle"] as const,
  ),
]);

/** Errors before the request is sent: the platform certainly never received it. All CERT_* are of this kind. */
const NEVER_SENT = new Set([
  ...UNKNOWN_AUTHORITY,
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  TOO_LATE,
  "UND_ERR_CONNECT_TIMEOUT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** Opens connections to the platform. `close` ends the connections to the proxy that are not a tunnel yet. */
export interface Connector {
  readonly connect: buildConnector.connector;
  readonly close: () => Promise<void>;
}

/** @returns the connector of `options` with the certificates and credentials of `network` */
export function createConnector(options: ConnectOptions, network: Network): Connector {
  const { connectTimeoutMs: timeout, allowAddress, proxy, lookup: resolve } = options;
  const tls = {
    allowH2: false,
    timeout,
    // Of several addresses of a host, each but the last is tried for so long. Node's 250 ms give up a slow address for
    // one without a route.
    autoSelectFamilyAttemptTimeout: timeout / 2,
    // Set explicitly, as NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment applies otherwise.
    rejectUnauthorized: true,
    ...(network.ca !== undefined && { secureContext: createSecureContext({ ca: network.ca }) }),
  };
  if (proxy === undefined) {
    return {
      connect: buildConnector({ ...tls, lookup: guardedLookup(allowAddress, resolve) }),
      close: () => Promise.resolve(),
    };
  }
  const pool = new Pool(proxy.url, {
    connect: buildConnector({ ...tls, lookup: guardedLookup(proxy.allowAddress, resolve) }),
  });
  const encrypt = buildConnector(tls);
  const tunnel = async (target: buildConnector.Options): Promise<Socket> => {
    await checkTarget(target.hostname, allowAddress, proxy.mayResolve);
    const socket = await openTunnel(pool, proxy, target, network.proxyCredentials, timeout);
    if (target.protocol !== "https:") return socket;
    return await new Promise<Socket>((resolve, reject) => {
      encrypt({ ...target, httpSocket: socket }, (error, encrypted) => {
        if (error === null) resolve(encrypted);
        else reject(connectError(`the platform through the proxy of ${proxy.from}`, error));
      });
    });
  };
  const open = async (target: buildConnector.Options, done: buildConnector.Callback): Promise<void> => {
    let socket: Socket;
    try {
      socket = await tunnel(target);
    } catch (error) {
      done(error instanceof Error ? error : connectError("the platform", error), null);
      return;
    }
    done(null, socket);
  };
  return {
    connect: (target, done) => {
      void open(target, done);
    },
    close: () => pool.destroy(),
  };
}

/** @returns the error of an exchange that ended before anything was sent; undefined for any other */
export function failedToConnect(error: unknown): TransportError | undefined {
  if (error instanceof TransportError) return error;
  const { code, syscall } = codesOf(error);
  if (code === REFUSED_ADDRESS) return addressError("the host");
  const isBefore = NEVER_SENT.has(code) || code.startsWith("CERT_") || syscall === "connect";
  return isBefore ? connectError("the platform", error) : undefined;
}

function connectError(to: string, error: unknown): TransportError {
  const { code, name } = codesOf(error);
  const meaning = MEANINGS.get(code);
  const because = meaning === undefined ? "" : `: ${meaning}`;
  return new TransportError("connect", `no connection to ${to} (${code === "" ? name : code})${because}`);
}

function addressError(what: string): TransportError {
  return new TransportError("address", `${what} resolves to an address that is not public`);
}

/** The parts of a library's error that may be shown: its message may hold hosts, headers or bodies. */
export function codesOf(error: unknown): { readonly name: string; readonly code: string; readonly syscall: string } {
  if (!(error instanceof Error)) return { name: "unknown", code: "", syscall: "" };
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    name: error.name,
    code: "code" in error ? text(error.code) : "",
    syscall: "syscall" in error ? text(error.syscall) : "",
  };
}

/** Asks the proxy for a tunnel to the target. @throws TransportError */
async function openTunnel(
  pool: Pool,
  { from }: Proxy,
  { host, hostname, port, protocol }: buildConnector.Options,
  credentials: string | undefined,
  timeoutMs: number,
): Promise<Socket> {
  const usualPort = protocol === "https:" ? "443" : "80";
  const path = port === "" ? `${host ?? hostname}:${usualPort}` : (host ?? `${hostname}:${port}`);
  const authorization = credentials && {
    "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}`,
  };
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = pool.connect({ path, headers: { host: path, ...authorization }, signal });
  const { statusCode, socket } = await answer.catch((error: unknown) => {
    const what = `the proxy of ${from}`;
    throw codesOf(error).code === REFUSED_ADDRESS ? addressError(what) : connectError(what, error);
  });
  if (statusCode === 200 && socket instanceof Socket) return socket;
  socket.on("error", () => {}).destroy();
  throw new TransportError("connect", refusal(statusCode, from, credentials !== undefined));
}

function refusal(status: number, from: string, hasCredentials: boolean): string {
  // RFC 9110 §15.5.8 has 407; tinyproxy answers wrong credentials with 401.
  if (status !== 407 && status !== 401) return `the proxy of ${from} opens no connection to the platform (${status})`;
  const what = hasCredentials ? "rejects the user name or the password" : "asks for a user name and a password";
  return `the proxy of ${from} ${what} (${status})`;
}

/**
 * Checks a target before the proxy is asked for it. Refuses a name that resolves here to an address that is not
 * allowed, since the proxy chooses one, and, unless the proxy may resolve it, one that does not resolve here in time.
 * @throws TransportError "address" or "connect"
 */
function checkTarget(hostname: string, allow: (address: string) => boolean, mayResolve: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const unresolved = (code: string): void => {
      if (mayResolve) resolve();
      else reject(new TransportError("connect", unresolvedMessage(code)));
    };
    AbortSignal.timeout(LOOKUP_MS).addEventListener("abort", () => {
      unresolved("timeout");
    });
    lookup(hostname.replaceAll(/[[\]]/g, ""), { all: true }, (error, addresses) => {
      if (error !== null) unresolved(codesOf(error).code);
      else if (addresses.length > 0 && addresses.every(({ address }) => allow(address))) resolve();
      else reject(addressError("the host"));
    });
  });
}

function unresolvedMessage(code: string): string {
  return `the host does not resolve here (${code}), so its address cannot be checked: name the host in --allowed-platform-hosts to let the proxy resolve it`;
}

export type Lookup = (
  host: string,
  options: LookupOptions & { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;
type LookupDone = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Returns a function like `dns.lookup` that leaves out addresses that are not allowed, and fails when no other is left.
 * Every lookup is checked, because the answer of a DNS server may change at any time.
 */
export function guardedLookup(allow: (address: string) => boolean, resolve: Lookup = lookup) {
  return (host: string, options: LookupOptions, done: LookupDone): void => {
    resolve(host, { ...options, all: true }, (error, all) => {
      if (error !== null) return done(error, []);
      const addresses = all.filter(({ address }) => allow(address));
      const [first] = addresses;
      if (first === undefined) {
        return done(Object.assign(new Error("refused address"), { code: REFUSED_ADDRESS }), []);
      }
      return options.all === true ? done(null, addresses) : done(null, first.address, first.family);
    });
  };
}
