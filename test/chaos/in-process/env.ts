/** The environment of one run: an API server and a platform in memory, a clock, and an operator that can be killed. */
import { KubeError } from "../../../src/kube/api/errors.ts";
import type { KubeRequest } from "../../../src/kube/api/transport.ts";
import type { Json } from "../../../src/kube/api/types.ts";
import type { StoreChange } from "../../../src/kube/watch/store.ts";
import { TransportError } from "../../../src/platform/transport/errors.ts";
import type { HttpAnswer, HttpRequest } from "../../../src/platform/transport/http.ts";
import { drawn } from "../../support/engine/harness.ts";
import { memoryApiServer, type MemoryApiServer } from "../../support/kube/api-server.ts";
import { manualClock, settle, type ManualClock } from "../../support/kube/clock.ts";
import type { Plan } from "./faults.ts";
import { type Backend, createGate } from "./gate.ts";
import { startOperator, type Operator } from "./operator.ts";
import type { InProcessPlatform, Platforms } from "./platform.ts";

/** The delay between a kill and the restart. */
const RESTART_MS = 1_000;
/** The number of turns per worker at one time of the clock beyond which the operator is in a hot loop. */
const MAX_TURNS = 2_000;

export interface ChaosOptions {
  /** 1 by default, which makes the order of all calls deterministic. */
  readonly workers?: number;
  /** Runs before each request to the platform; a returned answer replaces the platform's. */
  readonly intercept?: (request: HttpRequest, clock: ManualClock) => Promise<HttpAnswer | undefined>;
}

export type ChaosEnv = ReturnType<typeof createChaosEnv>;

/** Returns an environment with a running operator. */
export function createChaosEnv(platforms: Platforms, plan: Plan, { workers = 1, intercept }: ChaosOptions = {}) {
  const clock = manualClock();
  const cluster = memoryApiServer(() => clock.now());
  const platform = platforms.reset(plan.surface, clock);
  const internalErrors: unknown[] = [];
  let operator: Operator | undefined;
  const random = drawn();
  let events: StoreChange[] = [];
  cluster.onChange = (change) => {
    events.push(change);
  };

  const gate = createGate(plan, clock, () => {
    operator?.stop();
    operator = undefined;
    clock.after(RESTART_MS, start);
  });

  const start = (): void => {
    const process = { alive: true };
    const started = startOperator({
      process,
      workers,
      clock,
      random,
      objects: cluster.all(),
      onInternalError: (error) => internalErrors.push(error),
      request: (request) => {
        if (request.method === "GET") return gate.read(process, () => cluster.answer(request));
        const exchange = { server: "cluster", request: `${request.method} ${request.path}`, writes: true } as const;
        return gate.exchange(process, exchange, clusterBackend(cluster, request));
      },
      exchange: async (request) => {
        const { method, url } = request;
        const replacement = await intercept?.(request, clock);
        if (replacement !== undefined) return replacement;
        const name = `${method} ${new URL(url).pathname}`;
        const exchange = { server: "platform", request: name, writes: method !== "GET" } as const;
        return await gate.exchange(process, exchange, platformBackend(platform, request));
      },
    });
    events = [];
    operator = started;
  };
  start();

  const activity = (): number => gate.trace.length + cluster.version() + (operator?.reconciles() ?? 0);

  /** Runs everything that needs no advance of the clock. */
  const idle = async (): Promise<void> => {
    for (let turns = 0; turns < MAX_TURNS * workers; turns += 1) {
      const before = activity();
      await settle();
      const delivered = events;
      events = [];
      for (const event of delivered) operator?.onEvent(event);
      if (gate.inFlight() === 0 && activity() === before && delivered.length === 0) return;
    }
    throw new Error("hot loop: calls or reconciles do not end");
  };

  return {
    clock,
    cluster,
    platform,
    gate,
    /** Errors that the operator reported as InternalError. */
    internalErrors,
    /** Advances the clock until `done`, which is evaluated after every change. @returns false after `ms` */
    until: async (done: () => boolean, ms: number): Promise<boolean> => {
      let isTimedOut = false;
      const cancel = clock.after(ms, () => {
        isTimedOut = true;
      });
      let evaluatedAt = -1;
      for (;;) {
        await idle();
        if (evaluatedAt !== activity() && done()) break;
        if (isTimedOut) return false;
        evaluatedAt = activity();
        clock.step(ms);
      }
      cancel();
      return true;
    },
  };
}

function clusterBackend(cluster: MemoryApiServer, request: KubeRequest): Backend<Json> {
  const execute = (): Promise<Json> => Promise.resolve().then(() => cluster.answer(request));
  return {
    execute,
    isRepeatable: false,
    deadlineMs: 10_000,
    fail: (fault) => {
      switch (fault) {
        case "409":
          touch(cluster, request.path);
          return cluster.answer(request);
        case "500":
        case "502":
          throw new KubeError("Server", Number(fault), "injected");
        case "429":
          throw new KubeError("TooManyRequests", 429, "injected", 1_000);
        case "cut":
        case "lost":
        case "slow":
        case "half":
          throw new KubeError(fault === "slow" ? "Timeout" : "Unreachable", 0, "injected");
        default:
          return fault satisfies never;
      }
    },
  };
}

/** Adds a label to the object, as another client. */
function touch(cluster: MemoryApiServer, path: string): void {
  const object = cluster.all().find(({ metadata, kind }) => {
    const [plural = "", name] = path
      .replace(/\/status$/, "")
      .split("/")
      .slice(-2);
    return metadata.name === name && plural.startsWith(kind.toLowerCase().slice(0, -1));
  });
  if (object !== undefined) {
    cluster.patch(object.kind, object.metadata.name, {
      metadata: { labels: { touched: cluster.version().toString() } },
    });
  }
}

function platformBackend(platform: InProcessPlatform, request: HttpRequest): Backend<HttpAnswer> {
  const answerOf = (status: number, headers: Readonly<Record<string, string>> = {}): HttpAnswer => ({
    status,
    text: '{"message":"injected"}',
    header: (name) => new Map(Object.entries(headers)).get(name),
  });
  return {
    execute: () => platform.exchange(request),
    isRepeatable: request.method !== "POST" || request.url.endsWith("/import"),
    deadlineMs: request.deadlineMs,
    fail: (fault, answer = answerOf(200)) => {
      switch (fault) {
        case "500":
        case "502":
          return answerOf(Number(fault));
        case "429":
          return answerOf(429, { "x-ratelimit-reset": "2" });
        case "half":
          return { ...answer, text: answer.text.slice(0, answer.text.length / 2) };
        case "slow":
          throw new TransportError("deadline", "injected");
        case "cut":
        case "lost":
        case "409":
          throw new TransportError("interrupted", "injected");
        default:
          return fault satisfies never;
      }
    },
  };
}
