/** HTTP over undici. No other file of the platform client uses undici. */
import { lookup, type LookupAddress, type LookupOptions } from "node:dns";
import type { Socket } from "node:net";

import { Agent, buildConnector, request } from "undici";

import { TransportError } from "./errors.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent for operations without a body: then no content type is sent either. */
  readonly body?: string;
  /** Milliseconds for the whole exchange, from connecting to the last byte. */
  readonly deadlineMs: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** At most 4 MiB. */
  readonly text: string;
  /** Returns a header by its lower-case name; the first one if it came twice. */
  header(name: string): string | undefined;
}

export interface Transport {
  /** @throws TransportError for everything but an answer */
  exchange(request: HttpRequest): Promise<HttpAnswer>;
  /** Ends all connections at once. */
  close(): Promise<void>;
}

export interface HttpOptions {
  /** Concurrent connections; further requests wait within their deadline. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** CA certificates in PEM; they replace the built-in ones. */
  readonly ca: string | undefined;
  /**
   * Asked right before anything is sent: a request that waited for a connection, or was frozen with the process, may be
   * too late.
   */
  readonly mayCall: () => boolean;
  /** Reports whether a connection may use an address that DNS returned. */
  readonly allowAddress: (address: string) => boolean;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const REFUSED_ADDRESS = "ERR_REFUSED_ADDRESS";
const TOO_LATE = "ERR_TOO_LATE";

/** Errors before the request is sent: the platform certainly never received it. All CERT_* are of this kind. */
const NEVER_SENT = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  TOO_LATE,
  "UND_ERR_CONNECT_TIMEOUT",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** Creates one pool of HTTP/1.1 connections to one platform. Redirects are answers like others. */
export function createTransport(options: HttpOptions): Transport {
  const agent = new Agent({
    allowH2: false,
    connections: options.connections,
    maxResponseSize: MAX_BODY_BYTES,
    connect: connector(options),
  });
  return { exchange: (call) => exchange(agent, call), close: () => agent.destroy() };
}

function connector({ connectTimeoutMs, allowAddress, ca, mayCall }: HttpOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    lookup: guardedLookup(allowAddress),
    // Set explicitly, as NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment applies otherwise.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  });
  return (target, done) => {
    connect(target, (error, socket) => {
      if (error !== null) return done(error, null);
      return done(null, guarded(socket, mayCall));
    });
  };
}

/**
 * @returns the socket, which refuses to send once `mayCall` is false: checked as near to the system call as JavaScript
 * allows
 */
function guarded<S extends Socket>(socket: S, mayCall: () => boolean): S {
  socket.write = new Proxy(socket.write.bind(socket), {
    apply: (write, self, parts): unknown => {
      if (!mayCall()) throw Object.assign(new Error("too late"), { code: TOO_LATE });
      return Reflect.apply(write, self, parts);
    },
  });
  return socket;
}

async function exchange(agent: Agent, { method, url, headers, body, deadlineMs }: HttpRequest): Promise<HttpAnswer> {
  try {
    // undici's own timers are coarse, and none of them ends a body that arrives byte by byte.
    const signal = AbortSignal.timeout(deadlineMs);
    const answer = await request(url, { dispatcher: agent, method, headers, body: body ?? null, signal });
    const text = await answer.body.text();
    const header = (name: string) => [answer.headers[name]].flat()[0];
    return { status: answer.statusCode, text, header };
  } catch (error) {
    throw transportError(error, deadlineMs);
  }
}

function transportError(error: unknown, deadlineMs: number): TransportError {
  const { name, code, syscall } = traits(error);
  if (code === REFUSED_ADDRESS) {
    return new TransportError("address", "the host resolves to a loopback, link-local or private address");
  }
  if (NEVER_SENT.has(code) || code.startsWith("CERT_") || syscall === "connect") {
    return new TransportError("connect", `no connection to the platform (${code})`);
  }
  if (name === "TimeoutError") return new TransportError("deadline", `no answer within ${deadlineMs} ms`);
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    return new TransportError("tooLarge", `the answer is larger than ${MAX_BODY_BYTES} bytes`);
  }
  return new TransportError("interrupted", `the exchange with the platform broke off (${code === "" ? name : code})`);
}

function traits(error: unknown): { readonly name: string; readonly code: string; readonly syscall: string } {
  if (!(error instanceof Error)) return { name: "unknown", code: "", syscall: "" };
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    name: error.name,
    code: "code" in error ? text(error.code) : "",
    syscall: "syscall" in error ? text(error.syscall) : "",
  };
}

type LookupDone = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Calls `dns.lookup`, and refuses an answer with an address that is not allowed. DNS may return anything, at any time.
 */
function guardedLookup(allow: (address: string) => boolean) {
  return (host: string, options: LookupOptions, done: LookupDone): void => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, []);
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => allow(address))) {
        return done(Object.assign(new Error("refused address"), { code: REFUSED_ADDRESS }), []);
      }
      return options.all === true ? done(null, addresses) : done(null, first.address, first.family);
    });
  };
}
