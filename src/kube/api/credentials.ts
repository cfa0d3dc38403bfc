import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import type { RequestOptions } from "node:https";

import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { Agent, type Dispatcher, ProxyAgent } from "undici";

import { KubeError } from "./errors.ts";
import { member, stringMember } from "./json.ts";
import { type ConfigSource, DEADLINES } from "./transport.ts";
import type { Clock } from "./types.ts";
import { createWatchConnections, type WatchConnections } from "./watch-connections.ts";

/** How long resolved credentials are used before files and plugins are read again. */
const CREDENTIALS_MS = 10_000;
/** Idle connections live longer than the 2 s between two lease renewals, and less than a load balancer's 60 s. */
const KEEP_ALIVE_MS = 30_000;
/** The number of concurrent calls, each on a connection of its own; further ones wait. */
const CALL_CONNECTIONS = 16;

/** The headers and connections of a request. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly calls: Dispatcher;
  readonly watches: Dispatcher;
}

interface Pools {
  readonly calls: Dispatcher;
  readonly watches: WatchConnections;
}

/**
 * @param first the configuration of `source` as it is now
 * @returns the credentials and connections of the API server. `credentials` caches them for ten seconds, and throws
 * KubeError "Unauthorized" if they cannot be read.
 */
export function createSession(source: ConfigSource, first: KubeConfig, clock: Clock) {
  let config = first;
  let token = takeTokenFile(config, clock);
  let pools: (Pools & { readonly key: string }) | undefined;
  let held: { readonly at: number; readonly credentials: Promise<Credentials> } | undefined;
  let current: Credentials | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;

  const resolve = async (): Promise<Credentials> => {
    const { headers, ...connection } = await resolveCredentials(config, token);
    const key = createHash("sha256").update(JSON.stringify(connection)).digest("hex");
    if (pools?.key !== key) {
      // Calls end within their deadline, watches within their timeoutSeconds.
      void pools?.calls.close();
      void pools?.watches.dispatcher.close();
      pools = { key, ...createPools(connection, clock) };
    }
    current = { headers, calls: pools.calls, watches: pools.watches.dispatcher };
    return current;
  };

  return {
    credentials: async (): Promise<Credentials> => {
      if (held === undefined || clock.monotonic() - held.at >= CREDENTIALS_MS) {
        held = { at: clock.monotonic(), credentials: resolve() };
      }
      const resolving = held;
      try {
        return await resolving.credentials;
      } catch {
        if (held === resolving) held = undefined;
        // The error may quote the output of an exec plugin, so it is left out.
        throw new KubeError("Unauthorized", 0, "the credentials of the API server cannot be read");
      }
    },
    /**
     * Makes `credentials` read them again after the API server refused `used`, at most once in ten seconds.
     * @returns whether `credentials` may return new credentials now
     */
    renew: (used: Credentials): boolean => {
      if (current !== used) return true;
      if (clock.monotonic() - renewedAt < CREDENTIALS_MS) return false;
      renewedAt = clock.monotonic();
      try {
        config = loadKubeConfig(source);
        token = takeTokenFile(config, clock);
      } catch {
        // Whoever replaces the file may not be done; the 401 is reported.
        return false;
      }
      held = undefined;
      return true;
    },
    /** As `KubeClient.watchSilenceMs`. */
    watchSilenceMs: (): number | undefined => pools?.watches.silentMs(),
    close: async (): Promise<void> => {
      const closing = pools;
      pools = undefined;
      await Promise.all([closing?.calls.destroy(), closing?.watches.dispatcher.destroy()]);
    },
  };
}

/** @throws Error when there is no usable configuration; the message says what is missing */
export function loadKubeConfig(source: ConfigSource): KubeConfig {
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

/** Removes the token file from the user, so that client-node does not read it. @returns a function that reads it */
function takeTokenFile(config: KubeConfig, clock: Clock): (() => Promise<string>) | undefined {
  const user = config.getCurrentUser();
  const path = stringMember(member(user?.authProvider, "config"), "tokenFile");
  if (user === null || path === undefined) return undefined;
  config.users = config.users.map((other) => (other === user ? { ...user, authProvider: undefined } : other));
  return fileToken(path, clock);
}

type Resolved = Awaited<ReturnType<typeof resolveCredentials>>;

async function resolveCredentials(config: KubeConfig, token: (() => Promise<string>) | undefined) {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const headers: [string, string][] = Object.entries(options.headers ?? {}).map(([name, value]) => [
    name,
    String(value),
  ]);
  if (typeof options.auth === "string") {
    headers.push(["Authorization", `Basic ${Buffer.from(options.auth).toString("base64")}`]);
  }
  if (token !== undefined) headers.push(["Authorization", `Bearer ${await token()}`]);
  const { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized = true } = options;
  return {
    headers: Object.fromEntries(headers),
    tls: { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized },
    proxy: config.getCurrentCluster()?.proxyUrl,
  };
}

function createPools({ tls, proxy }: Omit<Resolved, "headers">, clock: Clock): Pools {
  const options = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Signals set the deadlines; a watch may be silent for as long as its reflector allows.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const connect = {
    ...tls,
    timeout: DEADLINES.lease,
    // Of several addresses of a host, each but the last is tried for so long; Node's 250 ms give up a slow address.
    autoSelectFamilyAttemptTimeout: DEADLINES.lease / 2,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
  };
  const calls = { ...options, allowH2: false, connections: CALL_CONNECTIONS };
  if (proxy === undefined) {
    return { calls: new Agent({ ...calls, connect }), watches: createWatchConnections(options, connect, clock) };
  }
  const through = { uri: proxy, allowH2: false, requestTls: connect };
  return {
    calls: new ProxyAgent({ ...calls, ...through }),
    watches: { dispatcher: new ProxyAgent({ ...options, ...through }), silentMs: () => undefined },
  };
}

/** How long a token is used before the file is checked again; kubelet rotates it long before it expires. */
const CHECK_MS = 10_000;

/**
 * Reads the bearer token of a file that another process rotates. client-node's source is not used, as it measures age
 * by the wall clock: a step of one hour back keeps an expired token for an hour.
 * @returns a function that returns the token, from memory while the file was checked less than 10 s ago or has not
 * changed. It throws when the file cannot be read and no token is in memory.
 */
export function fileToken(path: string, clock: Clock): () => Promise<string> {
  let held: { readonly token: string; readonly mtimeMs: number } | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;

  return async () => {
    if (held !== undefined && clock.monotonic() - checkedAt < CHECK_MS) return held.token;
    try {
      const { mtimeMs } = await stat(path);
      checkedAt = clock.monotonic();
      if (held?.mtimeMs !== mtimeMs) held = { token: (await readFile(path, "utf8")).trim(), mtimeMs };
      return held.token;
    } catch (error) {
      if (held !== undefined) return held.token;
      throw error;
    }
  };
}
