import { createHash } from "node:crypto";
import type { RequestOptions } from "node:https";
import type { ConnectionOptions } from "node:tls";

import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { Agent, ProxyAgent, request as send, type Dispatcher } from "undici";

import { deadline } from "./clock.ts";
import { KubeError, isKube } from "./errors.ts";
import { member, stringMember } from "./json.ts";
import { fileToken, type TokenSource } from "./token.ts";
import { DEADLINES, type KubeClient, type KubeRequest } from "./transport.ts";
import type { Clock, Json } from "./types.ts";
import { asKubeError, readAnswer, urlOf } from "./wire.ts";

/** How long resolved credentials are used before files and plugins are read again. */
const CREDENTIALS_MS = 10_000;
/** Idle connections live longer than the 2 s between two lease renewals, and less than a load balancer's 60 s. */
const KEEP_ALIVE_MS = 30_000;
/** The number of concurrent calls; further ones wait. Watches have connections of their own. */
const CALL_CONNECTIONS = 16;

/** Where the address of the API server and the credentials come from. */
export type ConfigSource =
  | { readonly from: "file"; readonly path: string; readonly context?: string }
  | { readonly from: "cluster" }
  /** As kubectl: $KUBECONFIG, ~/.kube/config, then the cluster that the process runs in. */
  | { readonly from: "default"; readonly context?: string };

export interface ClientOptions {
  readonly config: ConfigSource;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Called after every request, for metrics and log. */
  readonly onRequest?: (request: EndedRequest) => void;
}

/** A request that was answered or abandoned, or a watch that was opened. No query, no header, no body. */
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
  /** The kubeconfig's context. */
  readonly context: string;
  /** The namespace of the kubeconfig's context, or the pod's own. */
  readonly namespace: string | undefined;
  /** Ends all connections, open watches included. */
  close(): Promise<void>;
}

interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly calls: Dispatcher;
  readonly watches: Dispatcher;
}

interface Session {
  credentials(): Promise<Credentials>;
  /** Renews the credentials after the API server refused `used`. @returns whether other ones are available now */
  renew(used: Credentials): boolean;
  close(): Promise<void>;
}

/**
 * Connects to the API server through client-node's KubeConfig and two shared undici pools: stock client-node opens
 * a TLS connection for every request and gives it no deadline.
 * HTTP/1.1 on purpose: calls spread over the servers of an HA control plane, and a watch whose connection died
 * takes no other watch with it and reconnects on a new socket.
 * @throws Error when there is no usable configuration; the message says what is missing.
 */
export function createKubeClient(options: ClientOptions): ConnectedClient {
  const { clock } = options;
  const config = loadConfig(options.config);
  const server = new URL(config.getCurrentCluster()?.server ?? "");
  const base = server.origin + server.pathname.replace(/\/+$/, "");
  const session = createSession(options, config);
  const stopwatch = (method: string, path: string): ((code: string) => void) => {
    const start = clock.monotonic();
    return (code) =>
      options.onRequest?.({ code, method, host: server.host, path, durationMs: clock.monotonic() - start });
  };

  const exchange = async (used: Credentials, request: KubeRequest): Promise<Json> => {
    const what = `${request.method} ${request.path}`;
    const limit = deadline(clock, request.timeoutMs ?? DEADLINES.call, request.signal);
    const ended = stopwatch(request.method, request.path);
    let code = "<error>";
    try {
      const answer = await send(urlOf(base, request.path, request.query), {
        dispatcher: used.calls,
        method: request.method,
        headers: headersOf(used, options.userAgent, request),
        body: request.body === undefined ? null : JSON.stringify(request.body),
        signal: limit.signal,
      });
      code = String(answer.statusCode);
      return readAnswer(what, answer.statusCode, answer.headers["retry-after"], await answer.body.text());
    } catch (error) {
      throw asKubeError(error, what, limit);
    } finally {
      limit.done();
      ended(code);
    }
  };

  return {
    host: server.host,
    context: config.getCurrentContext(),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace,
    request: async (request) => {
      const used = await session.credentials();
      try {
        return await exchange(used, request);
      } catch (error) {
        // 401 comes from the authentication filter, ahead of everything else: nothing was executed.
        if (!isKube(error, "Unauthorized") || !session.renew(used)) throw error;
        return exchange(await session.credentials(), request);
      }
    },
    stream: async function* stream(request) {
      const what = `WATCH ${request.path}`;
      const used = await session.credentials();
      const open = deadline(clock, DEADLINES.list, request.signal);
      const ended = stopwatch("WATCH", request.path);
      let code = "<error>";
      let isOpen = false;
      try {
        const answer = await send(urlOf(base, request.path, request.query), {
          dispatcher: used.watches,
          method: "GET",
          headers: headersOf(used, options.userAgent),
          signal: open.signal,
        });
        code = String(answer.statusCode);
        if (answer.statusCode !== 200) {
          if (answer.statusCode === 401) session.renew(used);
          readAnswer(what, answer.statusCode, answer.headers["retry-after"], await answer.body.text());
        }
        open.hold();
        isOpen = true;
        ended(code);
        yield* answer.body;
      } catch (error) {
        if (!isOpen) ended(code);
        throw asKubeError(error, what, open);
      } finally {
        open.done();
      }
    },
    close: () => session.close(),
  };
}

function createSession(options: ClientOptions, first: KubeConfig): Session {
  const { clock } = options;
  let config = first;
  let token = takeTokenFile(config, clock);
  let pools: { readonly key: string; readonly calls: Dispatcher; readonly watches: Dispatcher } | undefined;
  let held: { readonly at: number; readonly credentials: Promise<Credentials> } | undefined;
  let current: Credentials | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;

  const resolve = async (): Promise<Credentials> => {
    const { headers, ...connection } = await resolveCredentials(config, token);
    const key = createHash("sha256").update(JSON.stringify(connection)).digest("hex");
    if (pools?.key !== key) {
      // Calls end within their deadline, watches within their timeoutSeconds.
      void pools?.calls.close();
      void pools?.watches.close();
      pools = { key, ...createPools(connection) };
    }
    current = { headers, calls: pools.calls, watches: pools.watches };
    return current;
  };

  return {
    credentials: async () => {
      if (held === undefined || clock.monotonic() - held.at >= CREDENTIALS_MS) {
        held = { at: clock.monotonic(), credentials: resolve() };
      }
      const mine = held;
      try {
        return await mine.credentials;
      } catch {
        if (held === mine) held = undefined;
        // The error may quote the output of an exec plugin, so it is left out.
        throw new KubeError("Unauthorized", 0, "the credentials of the API server cannot be read");
      }
    },
    renew: (used) => {
      if (current !== used) return true;
      if (clock.monotonic() - renewedAt < CREDENTIALS_MS) return false;
      renewedAt = clock.monotonic();
      config = loadConfig(options.config);
      token = takeTokenFile(config, clock);
      held = undefined;
      return true;
    },
    close: async () => {
      const closing = pools;
      pools = undefined;
      await Promise.all([closing?.calls.destroy(), closing?.watches.destroy()]);
    },
  };
}

function loadConfig(source: ConfigSource): KubeConfig {
  const config = new KubeConfig();
  if (source.from === "file") config.loadFromFile(source.path);
  else if (source.from === "cluster") config.loadFromCluster();
  else config.loadFromDefault();
  if (source.from !== "cluster" && source.context !== undefined) config.setCurrentContext(source.context);

  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error(`the kubeconfig has no cluster for context "${config.getCurrentContext()}"`);
  if (source.from === "cluster" && cluster.server.includes("undefined")) {
    throw new Error("this process does not run in a cluster: KUBERNETES_SERVICE_HOST is not set");
  }
  // The fallback of client-node when it found no configuration.
  if (source.from === "default" && config.getCurrentContext() === "loaded-context") {
    throw new Error("no Kubernetes configuration: no $KUBECONFIG, no ~/.kube/config, and not in a cluster");
  }
  return config;
}

/** Removes a token file from the user, so that our own source reads it instead of client-node's. */
function takeTokenFile(config: KubeConfig, clock: Clock): TokenSource | undefined {
  const user = config.getCurrentUser();
  const path = stringMember(member(user?.authProvider, "config"), "tokenFile");
  if (user === null || path === undefined) return undefined;
  config.users = config.users.map((other) => (other === user ? { ...user, authProvider: undefined } : other));
  return fileToken(path, clock);
}

interface Resolved {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: Pick<
    ConnectionOptions,
    "ca" | "cert" | "key" | "pfx" | "passphrase" | "rejectUnauthorized" | "servername"
  >;
  readonly proxy: string | undefined;
}

async function resolveCredentials(config: KubeConfig, token: TokenSource | undefined): Promise<Resolved> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const headers: [string, string][] = Object.entries(options.headers ?? {}).map(([name, value]) => [
    name,
    String(value),
  ]);
  if (typeof options.auth === "string") {
    headers.push(["Authorization", `Basic ${Buffer.from(options.auth).toString("base64")}`]);
  }
  if (token !== undefined) headers.push(["Authorization", `Bearer ${await token.token()}`]);
  const { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized = true } = options;
  return {
    headers: Object.fromEntries(headers),
    tls: { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized },
    proxy: config.getCurrentCluster()?.proxyUrl,
  };
}

function createPools({ tls, proxy }: Omit<Resolved, "headers">): { calls: Dispatcher; watches: Dispatcher } {
  const create = (connections: number | null): Dispatcher => {
    const options = {
      connections,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Signals set the deadlines; a watch may be silent for as long as its reflector allows.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { ...tls, timeout: DEADLINES.lease, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS },
    };
    return proxy === undefined
      ? new Agent(options)
      : new ProxyAgent({ ...options, uri: proxy, requestTls: options.connect });
  };
  return { calls: create(CALL_CONNECTIONS), watches: create(null) };
}

function headersOf(used: Credentials, userAgent: string, request?: KubeRequest): Record<string, string> {
  const headers: Record<string, string> = { ...used.headers, accept: "application/json", "user-agent": userAgent };
  if (request?.body !== undefined) headers["content-type"] = request.contentType ?? "application/json";
  return headers;
}
