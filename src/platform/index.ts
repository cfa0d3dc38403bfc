/** The client of the platform: the operations of all areas over one connection. */
import { applications } from "./areas/applications.ts";
import { blueprints } from "./areas/blueprints.ts";
import { clusters } from "./areas/clusters.ts";
import { databases } from "./areas/databases.ts";
import { environments } from "./areas/environments.ts";
import { catalogReads, organization } from "./areas/organization.ts";
import { projects } from "./areas/projects.ts";
import { deployments } from "./areas/service-status.ts";
import { services } from "./areas/services.ts";
import { templates } from "./areas/templates.ts";
import { secrets, variables } from "./areas/variables.ts";
import { webhooks } from "./areas/webhooks.ts";
import { type Caller, type CallerOptions, createCaller, DEFAULT_DEADLINES, type Deadlines } from "./client/caller.ts";
import { type CacheBudget, createCacheBudget } from "./client/read-cache.ts";
import type { ApiEndpoint, Content } from "./client/request.ts";
import { ofText } from "./codec/decode.ts";
import { isRead, type OperationName } from "./codec/operations.ts";
import { isUuidOfAnyCase } from "./codec/paths.ts";
import { createGates, type Gates } from "./rate/gate.ts";
import type { Ceiling } from "./rate/pacer.ts";
import { addressFilter, type AddressRules, checkedBase, checkProxy } from "./transport/address.ts";
import type { Network, Proxy } from "./transport/connect.ts";
import { ApiError } from "./transport/errors.ts";
import { createTransport, type Transport } from "./transport/http.ts";

export interface PlatformOptions
  extends
    AddressRules,
    Pick<ApiEndpoint, "organizationId" | "scheme" | "token">,
    Pick<CallerOptions, "clock" | "random" | "turn" | "mayCall" | "onCall"> {
  /** Scheme, host and optional port. */
  readonly baseUrl: string;
  /** "" or e.g. "/api/v1". */
  readonly pathPrefix: string;
  /** The limits that the user sets; the platform's own limit is learned from its answers. */
  readonly rate?: Ceiling | undefined;
  /** Shared with all clients that may use the same token; by default not shared. */
  readonly gates?: Gates;
  /** The budget of cached answers of all clients of the process; by default not shared. */
  readonly cacheBudget?: CacheBudget;
  /** The proxy, if any. A trusted one (named in the operator's own configuration) may have any address. */
  readonly proxy?: (Pick<Proxy, "url" | "from"> & { readonly isTrusted: boolean }) | undefined;
  /** Certificates and the proxy's credentials, as they are now; none by default. */
  readonly network?: () => Network;
  /** The operator's version, for User-Agent. */
  readonly version: string;
  /**
   * Called when the platform starts to limit requests, and when it accepts one again, with the milliseconds in between.
   */
  readonly onLimited?: (isLimited: boolean, sinceMs: number) => void;
  /** Overrides single members of DEFAULT_DEADLINES. */
  readonly deadlines?: Partial<Deadlines>;
  /** Concurrent connections, default 8. */
  readonly connections?: number;
  /** Replaces HTTP, e.g. for a platform in the same process. */
  readonly transport?: Transport;
}

/**
 * One connection. Every method throws ApiError and nothing else. Ids that are no UUIDs and inputs that no platform
 * could understand are Refused before any request.
 */
export type Platform = ReturnType<typeof connectPlatform>;

/**
 * Connects to a platform; sends nothing yet.
 * @throws ApiError "Refused" for a base URL, prefix, proxy or organization that is not allowed.
 */
export function connectPlatform(options: PlatformOptions) {
  const { clock, random, organizationId, scheme, token } = options;
  const base = checkedBase(options.baseUrl, options.pathPrefix, options);
  if (options.proxy?.isTrusted === false) checkProxy(options.proxy.url, options);
  if (!isUuidOfAnyCase(organizationId))
    throw new ApiError("connect", { is: "Refused" }, 0, "organizationId is not a UUID");
  const gates = options.gates ?? createGates({ clock, random });
  const { rate: ceiling = {}, onLimited = () => {} } = options;
  const { gate, id, leave } = gates.join({ origin: new URL(base).origin, token, ceiling, onLimited });
  const transport = options.transport ?? overHttp(options);
  let observed: { readonly date: Date; readonly at: number } | undefined;
  const userAgent = `platform-operator/${options.version}`;
  const callerWith = (target: ApiEndpoint): Caller =>
    createCaller({
      ...options,
      target,
      deadlines: { ...DEFAULT_DEADLINES, ...options.deadlines },
      gate,
      transport,
      cacheBudget: options.cacheBudget ?? createCacheBudget(),
      onServerDate: (date) => {
        observed = { date, at: clock.monotonic() };
      },
    });
  const target = { base, organizationId, scheme, token, userAgent };
  const caller = callerWith(target);
  const other = { Token: "Bearer", Bearer: "Token" } as const satisfies Record<ApiEndpoint["scheme"], string>;
  const byOtherScheme = projects(callerWith({ ...target, scheme: other[scheme] }));
  return {
    ...areas(caller),
    /**
     * Makes one call of any operation.
     * @param ids the ids of the path, in its order
     * @returns the body of the answer as it is; "" for an empty one
     */
    call: (name: OperationName, ids: readonly string[], content: Pick<Content, "query" | "body">): Promise<string> => {
      const whole = { ...content, answer: ofText(({ text }) => text) };
      return isRead(name) ? caller.fetch(name, ids, whole) : caller.write(name, ids, whole);
    },
    /**
     * Makes the documented read of the projects with the other scheme of authentication.
     * @returns the scheme with which the platform accepts the token @throws ApiError where it does not
     */
    otherScheme: async (): Promise<ApiEndpoint["scheme"]> => {
      await byOtherScheme.list();
      return other[scheme];
    },
    reserve: caller.reserve,
    refresh: caller.refresh,
    /**
     * Returns for how long the platform has limited requests, and after how long the next may be sent, in milliseconds;
     * undefined while it accepts requests.
     */
    limited: (): { readonly sinceMs: number; readonly leftMs: number } | undefined => {
      const { pausedMs, refusedMs } = gate().budget();
      return pausedMs === 0 && refusedMs === 0 ? undefined : { sinceMs: refusedMs, leftMs: pausedMs };
    },
    /** Identifies the token's rate gate. */
    gateId: id,
    /** The state of the rate gate, for metrics. */
    budget: () => gate().budget(),
    /** The platform's clock: its last `Date` header and the time since. Undefined before the first answer. */
    serverNow: (): Date | undefined => observed && new Date(observed.date.getTime() + clock.monotonic() - observed.at),
    /** Ends all connections; running calls fail. */
    close: (): Promise<void> => {
      leave();
      caller.refresh();
      return transport.close();
    },
  };
}

function areas(caller: Caller) {
  return {
    projects: projects(caller),
    environments: environments(caller),
    services: services(caller),
    applications: applications(caller),
    variables: variables(caller),
    secrets: secrets(caller),
    databases: databases(caller),
    blueprints: blueprints(caller),
    deployments: deployments(caller),
    clusters: clusters(caller),
    templates: templates(caller),
    catalog: catalogReads(caller),
    organization: organization(caller),
    webhooks: webhooks(caller),
  };
}

function overHttp(options: PlatformOptions): Transport {
  const { proxy } = options;
  const allowAddress = addressFilter(options);
  const mayResolve = options.allowInsecure || options.allowedHosts.length > 0;
  return createTransport({
    connections: options.connections ?? 8,
    connectTimeoutMs: 5_000,
    network: options.network ?? (() => ({})),
    mayCall: () => options.mayCall?.("read") ?? true,
    allowAddress,
    proxy: proxy && { ...proxy, mayResolve, allowAddress: proxy.isTrusted ? () => true : allowAddress },
  });
}
