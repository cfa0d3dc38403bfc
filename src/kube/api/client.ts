import { setImmediate } from "node:timers";

import { Agent, type Dispatcher } from "undici";

import { deadline, type Deadline } from "./clock.ts";
import { createSession, type Credentials, loadKubeConfig } from "./credentials.ts";
import { KubeError, statusError } from "./errors.ts";
import { isObject, parseJson, stringMember, tryParseJson } from "./json.ts";
import { type ConfigSource, DEADLINES, type KubeClient, type KubeQuery, type KubeRequest } from "./transport.ts";
import type { Clock, Json } from "./types.ts";

export interface ClientOptions {
  readonly config: ConfigSource;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Called after every request, for metrics and log. */
  readonly onRequest?: (request: EndedRequest) => void;
}

/** A request that was answered or abandoned, or an attempt to open a watch. It holds no query, header or body. */
export interface EndedRequest {
  /** The answer's status; "<error>" without an answer, as controller-runtime counts it. */
  readonly code: string;
  /** WATCH for a watch. */
  readonly method: string;
  /** Host and port of the API server. */
  readonly host: string;
  readonly path: string;
  readonly durationMs: number;
}

export interface ConnectedClient extends KubeClient {
  /** Host and port of the API server. */
  readonly host: string;
  /** The namespace of the kubeconfig's context, or the pod's own. */
  readonly namespace: string | undefined;
  /** Ends all connections, open watches included. */
  close(): Promise<void>;
}

/**
 * Connects to the API server through client-node's KubeConfig and two shared undici pools, because client-node itself
 * opens a TLS connection for every request and gives it no deadline. Calls use HTTP/1.1, so that they spread over the
 * servers of an HA control plane; watches share connections of HTTP/2.
 * @returns the client, which has sent nothing yet
 * @throws Error when there is no usable configuration; the message says what is missing.
 */
export function createKubeClient(options: ClientOptions): ConnectedClient {
  const { config: source, ...rest } = options;
  const config = loadKubeConfig(source);
  const server = new URL(config.getCurrentCluster()?.server ?? "");
  const session = createSession(source, config, options.clock);
  const root = server.pathname.replace(/\/+$/, "");
  return {
    host: server.host,
    namespace: config.getContextObject(config.getCurrentContext())?.namespace,
    ...clientOver({ origin: server.origin, root, session }, rest),
  };
}

/** The address of a proxy on this machine that signs each request in to the API server, as `kubectl proxy` does. */
export interface ProxyEndpoint {
  /** The unix socket of the proxy; a TCP port in `origin` without one. */
  readonly socketPath?: string;
  readonly origin: string;
  /** The path in front of every path, without a slash at its end. */
  readonly root: string;
}

/**
 * @param limitMs the deadline of every call and of the opening of every watch, in place of the usual ones: the proxy may
 * have to ask a person for credentials first
 * @returns a client that sends its requests to a proxy, without credentials of its own
 */
export function createProxiedClient(
  { socketPath, ...address }: ProxyEndpoint,
  options: Omit<ClientOptions, "config"> & { readonly limitMs: number },
): KubeClient & Pick<ConnectedClient, "close"> {
  const agent = new Agent({
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(socketPath === undefined ? {} : { connect: { socketPath } }),
  });
  const credentials = { headers: {}, calls: agent, watches: agent };
  const session: Session = {
    credentials: async () => credentials,
    renew: () => false,
    watchSilenceMs: () => undefined,
    close: () => agent.destroy(),
  };
  return clientOver({ ...address, session }, options);
}

type Session = ReturnType<typeof createSession>;

interface Server {
  readonly origin: string;
  /** The path in front of every path, without a slash at its end. */
  readonly root: string;
  readonly session: Session;
}

function clientOver(
  { origin, root, session }: Server,
  options: Omit<ClientOptions, "config"> & { readonly limitMs?: number },
) {
  const { clock, limitMs } = options;
  const isProxied = limitMs !== undefined;
  const { host } = new URL(origin);
  const stopwatch = (method: string, path: string): ((code: string) => void) => {
    const start = clock.monotonic();
    return (code) => options.onRequest?.({ code, method, host, path, durationMs: clock.monotonic() - start });
  };

  const send = (pool: Dispatcher, used: Credentials, request: KubeRequest, signal: AbortSignal) =>
    pool.request({
      origin,
      path: pathOf(root, request.path, request.query),
      method: request.method,
      headers: headersOf(used, options.userAgent, request),
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal,
    });

  const exchange = async (used: Credentials, request: KubeRequest): Promise<Json> => {
    const what = `${request.method} ${request.path}`;
    const limit = deadline(clock, limitMs ?? request.timeoutMs ?? DEADLINES.call, request.signal);
    const ended = stopwatch(request.method, request.path);
    let code = "<error>";
    try {
      const answer = await send(used.calls, used, request, limit.signal);
      code = String(answer.statusCode);
      return await readAnswer(what, answer, isProxied);
    } catch (error) {
      throw asKubeError(error, what, limit);
    } finally {
      limit.done();
      ended(code);
    }
  };

  return {
    request: async (request: KubeRequest): Promise<Json> => {
      const used = await session.credentials();
      try {
        return await exchange(used, request);
      } catch (error) {
        // The authentication filter answers 401 before anything else, and a certificate is checked before anything is
        // sent, so nothing was executed.
        if (!isCredentialsProblem(error) || !session.renew(used)) throw error;
        return exchange(await session.credentials(), request);
      }
    },
    stream: async function* stream({ opened, ...request }: Parameters<KubeClient["stream"]>[0]) {
      const what = `WATCH ${request.path}`;
      const used = await session.credentials();
      const open = deadline(clock, limitMs ?? DEADLINES.list, request.signal);
      const ended = stopwatch("WATCH", request.path);
      let code = "<error>";
      let isOpen = false;
      try {
        const answer = await send(used.watches, used, { method: "GET", ...request }, oneTurnLater(open.signal));
        code = String(answer.statusCode);
        if (answer.statusCode !== 200) await readAnswer(what, answer, isProxied);
        open.hold();
        isOpen = true;
        ended(code);
        opened?.();
        yield* answer.body;
      } catch (error) {
        const failure = asKubeError(error, what, open);
        if (!isOpen) {
          ended(code);
          if (isCredentialsProblem(failure)) session.renew(used);
        }
        throw failure;
      } finally {
        open.done();
      }
    },
    watchSilenceMs: () => session.watchSilenceMs(),
    close: (): Promise<void> => session.close(),
  };
}

/**
 * Returns a signal that fires one turn of the event loop after `signal`. undici 8 does not reset an HTTP/2 stream that is
 * aborted in the turn in which it is sent: the server keeps the watch, Node makes another stream of its answer, and the
 * error of the closed connection ends the process, as nothing listens to that stream.
 */
function oneTurnLater(signal: AbortSignal): AbortSignal {
  if (signal.aborted) return signal;
  const later = new AbortController();
  signal.addEventListener("abort", () => setImmediate(() => later.abort()), { once: true });
  return later.signal;
}

/** Codes of Node and OpenSSL for a certificate of the server that does not match the authority of the kubeconfig. */
const CERTIFICATE = /: (CERT_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|DEPTH_ZERO_SELF|SELF_SIGNED|ERR_TLS_CERT)/;

/** Reports whether other credentials, or another certificate authority, may succeed where `error` arose. */
function isCredentialsProblem(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  return error.failure === "Unauthorized" || (error.failure === "Unreachable" && CERTIFICATE.test(error.message));
}

const METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

function headersOf(used: Credentials, userAgent: string, request: KubeRequest): Record<string, string> {
  const accept = request.metadataOnly ? METADATA_ONLY : "application/json";
  const headers: Record<string, string> = { ...used.headers, accept, "user-agent": userAgent };
  const type = request.method === "PATCH" ? "application/merge-patch+json" : "application/json";
  if (request.body !== undefined) headers["content-type"] = type;
  return headers;
}

/** @returns the path of a request with its query; `root` has no trailing slash, paths.ts has validated `path` */
function pathOf(root: string, path: string, query: KubeQuery | undefined): string {
  if (query === undefined) return root + path;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value));
  }
  return search.size === 0 ? root + path : `${root}${path}?${search.toString()}`;
}

/**
 * @returns the parsed body of a 2xx answer, null when it is empty.
 * @throws KubeError for every other answer, SyntaxError for a body that is not JSON.
 */
async function readAnswer(what: string, answer: Dispatcher.ResponseData, isProxied: boolean): Promise<Json> {
  const { statusCode: code, headers } = answer;
  const body = await answer.body.text();
  if (code >= 200 && code < 300) return body === "" ? null : parseJson(body);
  const retryAfter = headers["retry-after"];
  const status = tryParseJson(body);
  // kubectl proxy says in plain text why it could not send the request (apimachinery: proxy.UpgradeAwareHandler).
  if (isProxied && code === 500 && !isObject(status)) {
    throw new KubeError("Unreachable", 0, `${what}: the proxy could not send it`, undefined, [], body.trim());
  }
  throw statusError(what, code, status, typeof retryAfter === "string" ? retryAfter : undefined);
}

/**
 * Maps an error of an exchange to a KubeError. Only codes of a fixed set go into the message: the text of an error can
 * quote what was sent (E2).
 */
function asKubeError(error: unknown, what: string, limit: Deadline): KubeError {
  if (error instanceof KubeError) return error;
  if (limit.expired()) return new KubeError("Timeout", 0, `${what}: no answer within the deadline`);
  if (limit.signal.aborted) return new KubeError("Unreachable", 0, `${what}: canceled`);
  if (error instanceof SyntaxError) return new KubeError("BadResponse", 0, `${what}: the answer is not JSON`);
  const code = error instanceof Error ? (stringMember(error, "code") ?? error.name) : "unknown";
  const failure = code.endsWith("_TIMEOUT") || code === "ETIMEDOUT" ? "Timeout" : "Unreachable";
  return new KubeError(failure, 0, `${what}: ${/^[A-Za-z_0-9]{1,64}$/.test(code) ? code : "failed"}`);
}
