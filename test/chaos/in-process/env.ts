/**
 * One run's world: an API server and a platform in memory, one clock, and between them the operator, which may be
 * killed.
 */
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
import { createGate, type Gate, type Side } from "./gate.ts";
import { startOperator, type Operator } from "./operator.ts";
import type { InProcessPlatform, Platforms } from "./platform.ts";

/** How long a killed operator stays away. */
const RESTART_MS = 1_000;
/** Turns without time going by after which something runs in circles. */
const HOT = 2_000;

export interface ChaosEnv {
  readonly clock: ManualClock;
  readonly cluster: MemoryApiServer;
  readonly platform: InProcessPlatform;
  readonly gate: Gate;
  /** What the operator's kinds threw and no table knows. */
  readonly internal: readonly unknown[];
  /**
   * Lets time pass until `done`, which is asked after every change.
   * @returns false when that is not so within `ms`
   */
  until(done: () => boolean, ms: number): Promise<boolean>;
  /** How many passes of the operator that runs now began or ended. */
  passes(): number;
}

export interface ChaosOptions {
  /** One, unless told: then everything happens in one order. */
  readonly workers?: number;
  /** Waited for before each request to the platform; an answer takes the place of the platform's. */
  readonly ahead?: (request: HttpRequest, clock: ManualClock) => Promise<HttpAnswer | undefined>;
}

/** @returns a bed whose operator runs already. */
export function createChaosEnv(platforms: Platforms, plan: Plan, { workers = 1, ahead }: ChaosOptions = {}): ChaosEnv {
  const clock = manualClock();
  const cluster = memoryApiServer(() => clock.now());
  const platform = platforms.fresh(plan.surface, clock);
  const internal: unknown[] = [];
  let operator: Operator | undefined;
  const random = drawn();
  let news: StoreChange[] = [];
  cluster.onChange = (change) => {
    news.push(change);
  };

  const gate = createGate(plan, clock, () => {
    operator?.end();
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
      internal: (error) => internal.push(error),
      request: (request) => {
        if (request.method === "GET") return gate.read(process, () => cluster.answer(request));
        const what = `${request.method} ${request.path}`;
        return gate.pass(process, { with: "cluster", what, writes: true }, clusterSide(cluster, request));
      },
      exchange: async (request) => {
        const instead = await ahead?.(request, clock);
        if (instead !== undefined) return instead;
        const writes = request.method !== "GET";
        const what = `${request.method} ${new URL(request.url).pathname}`;
        return await gate.pass(process, { with: "platform", what, writes }, platformSide(platform, request));
      },
    });
    news = [];
    operator = started;
  };
  start();

  const activity = (): number => gate.trace.length + cluster.version() + (operator?.passes() ?? 0);

  /** Everybody has gone as far as they come without time going by. */
  const idle = async (): Promise<void> => {
    for (let turns = 0; turns < HOT * workers; turns += 1) {
      const before = activity();
      await settle();
      const told = news;
      news = [];
      for (const each of told) operator?.told(each);
      if (gate.underWay() === 0 && activity() === before && told.length === 0) return;
    }
    throw new Error("something runs in circles");
  };

  return {
    clock,
    cluster,
    platform,
    gate,
    internal,
    passes: () => operator?.passes() ?? 0,
    until: async (done, ms) => {
      let isOver = false;
      const cancel = clock.after(ms, () => {
        isOver = true;
      });
      let looked = -1;
      for (;;) {
        await idle();
        if (looked !== activity() && done()) break;
        if (isOver) return false;
        looked = activity();
        clock.step(ms);
      }
      cancel();
      return true;
    },
  };
}

function clusterSide(cluster: MemoryApiServer, request: KubeRequest): Side<Json> {
  const work = (): Promise<Json> => Promise.resolve().then(() => cluster.answer(request));
  return {
    work,
    isSafe: false,
    deadlineMs: 10_000,
    told: (fault) => {
      switch (fault) {
        case "409":
          touch(cluster, request.path);
          return cluster.answer(request);
        case "500":
        case "502":
          throw new KubeError("Server", Number(fault), "made up");
        case "429":
          throw new KubeError("TooManyRequests", 429, "made up", 1_000);
        case "cut":
        case "lost":
        case "slow":
        case "half":
          throw new KubeError(fault === "slow" ? "Timeout" : "Unreachable", 0, "made up");
        default:
          return fault satisfies never;
      }
    },
  };
}

/** Somebody else writes the object, which is no business of ours. */
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

function platformSide(platform: InProcessPlatform, request: HttpRequest): Side<HttpAnswer> {
  const plain = (status: number, headers: Readonly<Record<string, string>> = {}): HttpAnswer => ({
    status,
    text: '{"message":"made up"}',
    header: (name) => new Map(Object.entries(headers)).get(name),
  });
  return {
    work: () => platform.exchange(request),
    isSafe: request.method !== "POST" || request.url.endsWith("/import"),
    deadlineMs: request.deadlineMs,
    told: (fault, real) => {
      switch (fault) {
        case "500":
        case "502":
          return plain(Number(fault));
        case "429":
          return plain(429, { "x-ratelimit-reset": "2" });
        case "half":
          return { ...(real ?? plain(200)), text: (real?.text ?? "{").slice(0, (real?.text.length ?? 0) / 2) };
        case "slow":
          throw new TransportError("deadline", "made up");
        case "cut":
        case "lost":
        case "409":
          throw new TransportError("interrupted", "made up");
        default:
          return fault satisfies never;
      }
    },
  };
}
