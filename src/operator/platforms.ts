/** Creates the engine's platform clients, and those of commands. */
import type { Config, PlatformRules } from "../config/config.ts";
import { type AccessSource, readNetwork } from "../engine/connections/access.ts";
import type { Connect } from "../engine/connections/connections.ts";
import type { ConnectionSettings, NetworkAccess, WaySettings } from "../engine/contract/connection.ts";
import { parseKey } from "../engine/contract/keys.ts";
import type { StatusReason } from "../engine/contract/kind.ts";
import { createRedactor, type Redactor } from "../observability/secrets.ts";
import { type CallRecord, DEFAULT_DEADLINES } from "../platform/client/caller.ts";
import { createCacheBudget } from "../platform/client/read-cache.ts";
import { connectPlatform, type Platform, type PlatformOptions } from "../platform/index.ts";
import { createGates } from "../platform/rate/gate.ts";
import type { RequestPriority } from "../platform/rate/pacer.ts";
import { bypassesProxy } from "../platform/transport/address.ts";

/** The options of all clients, and the callbacks for their calls. */
export interface PlatformsOptions extends Pick<
  PlatformOptions,
  "version" | "clock" | "random" | "connections" | "turn" | "mayCall" | "transport"
> {
  readonly config: Pick<Config, "deadlines"> & PlatformRules;
  readonly redactor: Redactor;
  readonly onCall: (connection: string, call: CallRecord) => void;
  /** Called when a rate gate may have room again. */
  readonly onRoom?: () => void;
  /** Called when a connection's rate gate pauses, and when the platform accepts requests again, with the duration. */
  readonly onLimited?: (connection: string, isLimited: boolean, sinceMs: number) => void;
}

export type Platforms = ReturnType<typeof createPlatforms>;

/** @returns the factory of platform clients, with the state of those that are open */
export function createPlatforms({ config, redactor, onCall, onRoom, onLimited, ...shared }: PlatformsOptions) {
  const open = new Map<string, Platform>();
  const gates = createGates({ clock: shared.clock, random: shared.random, ...(onRoom && { onChange: onRoom }) });
  const cacheBudget = createCacheBudget();
  return {
    connect: ((settings, token, name, network) => {
      let held: string | undefined;
      // A connection of the cluster serves all namespaces.
      const namespace = name === "" ? "" : parseKey(name).namespace;
      const way = wayTo(settings, config, network);
      const platform = connectPlatform({
        ...shared,
        // Listed one by one, so that the author of a connection can set no other option.
        baseUrl: settings.baseUrl,
        pathPrefix: settings.pathPrefix,
        organizationId: settings.organizationId,
        scheme: settings.scheme,
        token: () => {
          const value = token();
          if (value !== held) redactor.hold(namespace, `token of ${name}`, value);
          held = value;
          return value;
        },
        proxy: way.proxy,
        network: () => {
          const now = way.network();
          holdProxy(redactor, way.proxy?.isTrusted === true ? "" : namespace, name, now.proxyCredentials);
          return now;
        },
        rate: { requestsPerSecond: settings.requestsPerSecond, burst: settings.burst },
        gates,
        cacheBudget,
        onLimited: (isLimited, sinceMs) => onLimited?.(name, isLimited, sinceMs),
        allowedHosts: config.allowedPlatformHosts,
        allowInsecure: config.allowInsecurePlatform,
        deadlines: config.deadlines,
        onCall: (call) => {
          onCall(name, call);
        },
      });
      const known: Platform = {
        ...platform,
        close: async () => {
          if (open.get(name) === known) open.delete(name);
          await platform.close();
        },
      };
      open.set(name, known);
      return known;
    }) satisfies Connect<Platform>,
    /** The budgets of all rate gates. */
    budgets: () => gates.all().map((gate) => gate.budget()),
    /** The rate gate of a connection's token; "" while it is not open. */
    gateOf: (connection: string) => open.get(connection)?.gateId() ?? "",
    /** Reports whether work could soon send a request through a rate gate. */
    hasRoom: (gate: string, priority: RequestPriority) => gates.byId(gate)?.hasRoom(priority) ?? true,
    /** Records that work that needs a rate gate has started. */
    expect: (gate: string) => gates.byId(gate)?.expect(),
    /** Rejects all requests that wait at a rate gate, now and later. */
    stop: () => {
      for (const gate of gates.all()) gate.close();
    },
  };
}

/** Registers the secret parts of "user:password". */
function holdProxy(redactor: Redactor, namespace: string, connection: string, credentials: string | undefined): void {
  if (credentials === undefined) return;
  redactor.hold(namespace, `proxy of ${connection}`, credentials);
  redactor.hold(namespace, `password of the proxy of ${connection}`, credentials.slice(credentials.indexOf(":") + 1));
}

/** How a client reaches its platform. */
type Way = Pick<PlatformOptions, "proxy"> & { readonly network: () => NetworkAccess };

/**
 * Decides how a platform is reached: through the proxy of its connection, else through the operator's proxy, unless the
 * host is in the operator's NO_PROXY list.
 * @param network the current content of the objects that the connection refers to
 */
export function wayTo(
  { baseUrl, proxy }: WaySettings,
  { platformProxy, platformNoProxy = [] }: PlatformRules,
  network: () => NetworkAccess,
): Way {
  if (proxy !== undefined) return { proxy: { url: proxy.url, from: "spec.proxy", isTrusted: false }, network };
  if (platformProxy === undefined || bypassesProxy(baseUrl, platformNoProxy)) return { network };
  const { url, credentials: proxyCredentials } = platformProxy;
  return {
    proxy: { url, from: "--platform-proxy", isTrusted: true },
    network: () => ({ ca: network().ca, proxyCredentials }),
  };
}

/** Returns the `Connect` of a command: its rate gates are not shared, and its calls are not recorded. */
export function connectOf({
  rules,
  ...options
}: Pick<PlatformsOptions, "version" | "clock" | "random"> & { readonly rules: PlatformRules }): Connect<Platform> {
  const config = { ...rules, deadlines: DEFAULT_DEADLINES };
  return createPlatforms({ ...options, config, redactor: createRedactor(), onCall: () => {} }).connect;
}

/**
 * Opens the platform of a connection for a command.
 * @returns the platform, or why an object that the connection refers to cannot be used
 * @throws KubeError, ApiError "Refused"
 */
export async function openPlatform(
  place: Pick<AccessSource, "reader" | "namespace">,
  settings: ConnectionSettings,
  token: string,
  options: Parameters<typeof connectOf>[0],
): Promise<Platform | StatusReason> {
  const network = await readNetwork({ ...place, maxAgeMs: 0 }, settings);
  if ("reason" in network) return network;
  return connectOf(options)(
    settings,
    () => token,
    "",
    () => network,
  );
}
