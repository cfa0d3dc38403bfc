/** How the engine gets its platform clients. */
import type { Connect } from "../engine/connections.ts";
import type { Clock } from "../kube/types.ts";
import type { CallRecord } from "../platform/caller.ts";
import { connectPlatform, type Platform } from "../platform/index.ts";
import type { Transport } from "../platform/transport.ts";
import type { Config } from "./config.ts";
import type { Redactor } from "./secrets.ts";

/**
 * For a connection that names no budget. Deployed services of this family answer 429 beyond about 1,000 requests an
 * hour: a small burst makes a first apply quick, and polling settled objects every 10 minutes stays far below.
 */
const DEFAULT_RATE = { requestsPerSecond: 5, burst: 10 } as const;

export interface PlatformsOptions {
  readonly config: Pick<Config, "allowedPlatformHosts" | "allowInsecurePlatform" | "deadlines"> &
    Partial<Pick<Config, "workers">>;
  readonly version: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly redactor: Redactor;
  readonly onCall: (connection: string, call: CallRecord) => void;
  /** The namespace that the work at hand is for. */
  readonly lane?: () => string;
  /** Asked right before each call: one that has lost its lease makes none. Always unless told. */
  readonly mayCall?: () => boolean;
  /** Further headers of the request at hand. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** In place of HTTP. */
  readonly transport?: Transport;
}

export interface Platforms {
  readonly connect: Connect<Platform>;
  /** The longest pause of all open connections, in milliseconds. */
  pausedMs(): number;
}

/** @returns the maker of platform clients, which knows those that are open. */
export function createPlatforms(options: PlatformsOptions): Platforms {
  const { config, clock, random, redactor, version } = options;
  const open = new Set<Platform>();
  return {
    connect: (settings, token, name) => {
      const platform = connectPlatform({
        baseUrl: settings.baseUrl,
        pathPrefix: settings.pathPrefix,
        organizationId: settings.organizationId,
        scheme: settings.scheme,
        token: () => {
          const value = token();
          redactor.hold(`token/${name}`, [value]);
          return value;
        },
        rate: {
          requestsPerSecond: settings.requestsPerSecond ?? DEFAULT_RATE.requestsPerSecond,
          burst: settings.burst ?? DEFAULT_RATE.burst,
        },
        allowedHosts: config.allowedPlatformHosts,
        allowInsecure: config.allowInsecurePlatform,
        deadlines: config.deadlines,
        // No worker waits for the calls of others to end.
        ...(config.workers === undefined ? {} : { connections: config.workers }),
        ...(options.transport === undefined ? {} : { transport: options.transport }),
        ...(options.lane === undefined ? {} : { lane: options.lane }),
        ...(options.mayCall === undefined ? {} : { mayCall: options.mayCall }),
        ...(options.headers === undefined ? {} : { headers: options.headers }),
        version,
        clock,
        random,
        onCall: (call) => {
          options.onCall(name, call);
        },
      });
      const known: Platform = {
        ...platform,
        close: async () => {
          open.delete(known);
          await platform.close();
        },
      };
      open.add(known);
      return known;
    },
    pausedMs: () => Math.max(0, ...[...open].map((platform) => platform.budget().pausedMs)),
  };
}
