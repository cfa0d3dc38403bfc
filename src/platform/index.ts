/** The platform as the rest of the operator sees it. */
import { applications } from "./areas/applications.ts";
import { blueprints } from "./areas/blueprints.ts";
import { catalogue } from "./areas/catalogue.ts";
import { clusters } from "./areas/clusters.ts";
import { databases } from "./areas/databases.ts";
import { deployments } from "./areas/deployments.ts";
import { environments } from "./areas/environments.ts";
import { organization } from "./areas/organization.ts";
import { projects } from "./areas/projects.ts";
import { services } from "./areas/services.ts";
import { templates } from "./areas/templates.ts";
import { variables } from "./areas/variables.ts";
import { webhooks } from "./areas/webhooks.ts";
import {
  type Caller,
  type CallRecord,
  createCaller,
  type Deadlines,
  DEFAULT_DEADLINES,
  heldBack,
} from "./client/caller.ts";
import { type Capabilities, createCapabilities } from "./client/capabilities.ts";
import { isUuidOfAnyCase } from "./codec/paths.ts";
import type { Budget } from "./rate/gate.ts";
import { createGates, type Gates } from "./rate/gates.ts";
import type { Priority } from "./rate/line.ts";
import type { Ceiling } from "./rate/pacer.ts";
import { addressFilter, checkedBase } from "./transport/address.ts";
import type { Clock } from "./transport/clock.ts";
import { ApiError, type Effect } from "./transport/errors.ts";
import { createTransport } from "./transport/http.ts";
import type { Transport } from "./transport/transport.ts";

export interface PlatformOptions {
  /** Scheme, host and optional port. */
  readonly baseUrl: string;
  /** "" or e.g. "/api/v1". */
  readonly pathPrefix: string;
  readonly organizationId: string;
  /** Which operations the user says the platform offers; learned from its answers unless told. */
  readonly surface?: "Auto" | "Documented" | "Full";
  readonly scheme: "Token" | "Bearer";
  /** The token as it is now; one newline at its end is ignored. Asked at each request, so that it may change. */
  readonly token: () => string;
  /** What the user allows at most; the platform's own limit is found out. */
  readonly rate?: Ceiling | undefined;
  /** Shared with all others who may send with the same token; the client's own unless told. */
  readonly gates?: Gates;
  /** Host names, `*.suffix`, addresses or CIDR blocks; no host name means every public host. */
  readonly allowedHosts: readonly string[];
  /** Lets plain http and loopback, link-local and private addresses stand. */
  readonly allowInsecure: boolean;
  /** PEM; replaces the built-in authorities. */
  readonly ca?: string;
  /** Of the operator, for User-Agent. */
  readonly version: string;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** The platform refuses requests (429) from now on, or does no longer and did for so many milliseconds. */
  readonly onLimited?: (isLimited: boolean, sinceMs: number) => void;
  /** Told of every request, and of every one that the gate held back. Must not throw. */
  readonly onCall?: (call: CallRecord) => void;
  /**
   * Asked at each call on whose behalf it is made: where the budget is short, all take turns. One for all unless told.
   */
  readonly lane?: () => string;
  /** Asked at each call how urgent it is; "high" unless told. */
  readonly priority?: () => Priority;
  /**
   * Reports whether a call with this effect may be sent now. It is called after the wait for the rate gate, and again
   * with "read" when the bytes go out. By default every call may be.
   */
  readonly mayCall?: (effect: Effect) => boolean;
  /** Further headers of the request at hand, in lower case: none unless told. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** Where they differ from DEFAULT_DEADLINES. */
  readonly deadlines?: Partial<Deadlines>;
  /** Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Concurrent connections, default 8. */
  readonly connections?: number;
  /** In place of HTTP, e.g. to a platform in the same process. */
  readonly transport?: Transport;
}

type Areas = ReturnType<typeof areas>;

/**
 * One connection. Every method throws ApiError and nothing else. Ids that are no UUIDs and inputs that no platform
 * could understand are Refused before any request.
 */
export interface Platform extends Areas {
  /**
   * Takes the rate token of a POST before its intent is written (docs/architecture.md §6); the next POST that may
   * happen only once then takes none.
   * @throws ApiError "RateLimited" or "OverBudget" with the time to wait.
   */
  reserve(): Promise<void>;
  /** What is known of the operations beyond the specification. */
  readonly capabilities: Capabilities;
  /**
   * For how long the platform has refused requests (429), and when the next may be sent; undefined while it does not.
   */
  limited(): { readonly sinceMs: number; readonly leftMs: number } | undefined;
  /** Tells the token's rate gate apart from all others. */
  gateId(): string;
  /** Answers reads from the platform alone, not from what it said before: it was heard to have changed. */
  refresh(): void;
  /** What the rate gate has left, for metrics. */
  budget(): Budget;
  /** The platform's clock: its last `Date` header and the time since. Undefined before the first answer. */
  serverNow(): Date | undefined;
  /** Ends all connections; calls under way fail. */
  close(): Promise<void>;
}

/**
 * Connects to a platform; sends nothing yet.
 * @throws ApiError "Refused" for a base URL, prefix or organization that is not allowed.
 */
export function connectPlatform(options: PlatformOptions): Platform {
  const { clock, random, organizationId, scheme, token } = options;
  const base = checkedBase(options.baseUrl, options.pathPrefix, options);
  if (!isUuidOfAnyCase(organizationId))
    throw new ApiError("connect", { is: "Refused" }, 0, "organizationId is not a UUID");
  const gates = options.gates ?? createGates({ clock, random });
  const { rate: ceiling = {}, onLimited: limited = () => {} } = options;
  const { gate, id, leave } = gates.join({ origin: new URL(base).origin, token, ceiling, limited });
  const lane = options.lane ?? (() => "");
  const priority = options.priority ?? (() => "high");
  const transport = options.transport ?? overHttp(options);
  const capabilities = createCapabilities(options.surface ?? "Auto", clock);
  let told: { readonly date: Date; readonly at: number } | undefined;
  const caller = createCaller({
    target: {
      base,
      organizationId,
      scheme,
      token,
      userAgent: `platform-operator/${options.version}`,
      more: options.headers ?? (() => ({})),
    },
    deadlines: { ...DEFAULT_DEADLINES, ...options.deadlines },
    gate,
    lane,
    priority,
    mayCall: options.mayCall ?? (() => true),
    transport,
    capabilities,
    clock,
    random,
    onCall: (call) => options.onCall?.(call),
    onServerDate: (date) => {
      told = { date, at: clock.monotonic() };
    },
  });
  return {
    ...areas(caller),
    reserve: async () => {
      const reserved = gate();
      const waitMs = await reserved.reserve(priority(), lane());
      if (waitMs > 0) throw heldBack("reserve", waitMs, reserved.budget());
    },
    capabilities,
    limited: () => {
      const { pausedMs, refusedMs } = gate().budget();
      return pausedMs === 0 && refusedMs === 0 ? undefined : { sinceMs: refusedMs, leftMs: pausedMs };
    },
    gateId: id,
    refresh: () => {
      caller.refresh();
    },
    budget: () => gate().budget(),
    serverNow: () => told && new Date(told.date.getTime() + clock.monotonic() - told.at),
    close: () => {
      leave();
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
    databases: databases(caller),
    blueprints: blueprints(caller),
    deployments: deployments(caller),
    clusters: clusters(caller),
    templates: templates(caller),
    catalogue: catalogue(caller),
    organization: organization(caller),
    webhooks: webhooks(caller),
  };
}

function overHttp(options: PlatformOptions): Transport {
  return createTransport({
    connections: options.connections ?? 8,
    connectTimeoutMs: options.connectTimeoutMs ?? 5000,
    ca: options.ca,
    mayCall: () => options.mayCall?.("read") ?? true,
    allowAddress: addressFilter(options),
  });
}
