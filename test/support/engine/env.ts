/** The engine with widgets, on a cluster and a platform in memory. */
import { RESOLVE } from "../../../src/api/names.ts";
import { bind, bindConnection } from "../../../src/engine/bind.ts";
import type { OrphanChange } from "../../../src/engine/orphans/ledger.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { Json, JsonObject, ObjectMeta } from "../../../src/kube/api/types.ts";
import { ApiError, type ApiFailure } from "../../../src/platform/transport/errors.ts";
import { answerIn } from "../kube/answer.ts";
import { manualClock } from "../kube/clock.ts";
import { MINUTE } from "../platform/durations.ts";
import { memoryOrphans, memoryConfigMaps } from "../platform/orphans.ts";
import { makeHarness, type Op, type Remote, type WidgetApi } from "./fake-platform.ts";
import { engineHarness, type Harness } from "./harness.ts";
import { aKey } from "./keys.ts";
import { widget } from "./kinds.ts";
import { clusterLink, link } from "./links.ts";

export const INSTALLATION: string = "installation-1";

export type Env = ReturnType<typeof engineEnv>;

interface EnvOptions {
  /** What the platform offers; "Full" by default. */
  readonly surface?: "Documented" | "Full";
  /** The spec of the connection; null for no connection and no Secret. */
  readonly link?: JsonObject | null;
  /** The kind behind "Widget". */
  readonly kind?: typeof widget;
}

const TYPES = [link, clusterLink, widget].map(({ resource: { kind, plural, scope } }) => ({
  group: "test",
  version: "v1",
  kind,
  plural,
  namespaced: scope === "Namespaced",
}));

export function engineEnv({ surface = "Full", link: of = {}, kind = widget }: EnvOptions = {}) {
  const clock = manualClock();
  const world = makeHarness();
  world.surface = surface;
  const harness: Harness<WidgetApi> = engineHarness<WidgetApi>({
    clock,
    types: TYPES,
    kinds: () => ({ connections: [bindConnection(link), bindConnection(clusterLink)], managed: [bind(kind)] }),
    connectionKinds: { namespaced: "Link", cluster: "ClusterLink" },
    namespaces: {
      get: async () => {
        await env.beforeNamespace();
        return { uid: env.namespaceUid, labels: {}, terminating: env.isTerminating };
      },
    },
    outputs: {
      configMap: () => env.output(),
      secret: () => env.output(),
      isAsWritten: () => Promise.resolve(true),
    },
    fence: { mayWrite: () => env.leader, leading: () => env.leader },
    process: () => {
      const orphans = memoryOrphans(clock, env.configMaps, env.orphans);
      void orphans.load();
      const releases = { isRunning: (namespace: string) => env.running.has(namespace) };
      const release = { operatorNamespace: env.operatorNamespace, releases };
      return { connect: () => world.api(), orphans, installation: env.installation, key: env.key, ...release };
    },
  });
  const { cluster } = harness;
  const orphans: OrphanChange[] = [];
  const env = Object.assign(harness, {
    world,
    /** The ConfigMaps of the orphan ledger, and its reported changes. */
    configMaps: memoryConfigMaps(),
    orphans,
    namespaceUid: "ns",
    /** Whether the namespace is being deleted. */
    isTerminating: false,
    /** Called before each read of the namespace; may take time. */
    beforeNamespace: (): Promise<void> => Promise.resolve(),
    leader: true,
    /** The uid of kube-system, for the next process. */
    installation: INSTALLATION,
    /** The key of the installation, for the next process. */
    key: aKey(),
    /** The namespace of the operator, for the next process. */
    operatorNamespace: "operator",
    /** The namespaces of the releases of the operator that run. */
    running: new Set<string>(),
    /** Fails the output ConfigMap. */
    output: () => Promise.resolve("1"),
    writes: (of: string, name: string): number => {
      const { namespace = "" } = cluster.get(of, name).metadata;
      return cluster.writes.filter(({ key }) => key === `${of}/${namespace}/${name}`).length;
    },
    widget: (name: string, spec: JsonObject = {}, meta: Partial<ObjectMeta> = {}): void => {
      cluster.create("Widget", name, { name, ...spec }, meta);
    },
  });
  env.restart();
  if (of !== null) {
    cluster.secret("token", { token: "token-1" });
    cluster.create("Link", "default", of);
  }
  return env;
}

export const DELETE = { lifecycle: { deletionPolicy: "Delete" } } as const;

export async function started(options?: EnvOptions): Promise<Env> {
  const env = engineEnv(options);
  await env.run(5_000);
  return env;
}

export async function applied(spec: JsonObject = {}, meta: Partial<ObjectMeta> = {}): Promise<Env> {
  const env = await started();
  env.widget("a", spec, meta);
  await env.run(5_000);
  return env;
}

/** An environment on a surface, with the widget "a" and optional defaults of its connection. */
export async function on(surface: "Documented" | "Full", spec: JsonObject, defaults: JsonObject = {}): Promise<Env> {
  const env = await started({ surface, link: { surface, defaults } });
  env.widget("a", spec);
  await env.run(10_000);
  return env;
}

export async function withFleet(size: number, spec: JsonObject = {}): Promise<Env> {
  const env = await started();
  for (let index = 0; index < size; index += 1) env.widget(`w${index}`, spec);
  await env.run(15 * MINUTE);
  return env;
}

/** Gives the answer whose command a condition of the object prints, as its user does. @returns the answer */
export function answer({ cluster }: Env, kind: string, name: string): string {
  const found = answerIn(cluster.get(kind, name));
  cluster.annotate(kind, name, { [RESOLVE]: found });
  return found;
}

type Refusal = readonly [failure: ApiFailure, status: number];

export const LOST: Refusal = [{ is: "OutcomeUnknown" }, 504];

/**
 * Fails the calls of some operations, or of all. Other hooks of the platform are removed.
 * @param how by default before their effect, and each of them
 * @returns a function that ends this
 */
export function fail(
  env: Env,
  ops: readonly Op[] | "all",
  [failure, status]: Refusal,
  how: { readonly when?: "before" | "after"; readonly times?: number; readonly isForeign?: boolean } = {},
): () => void {
  const { when = "before", isForeign = false } = how;
  let { times = Number.POSITIVE_INFINITY } = how;
  const succeed = (): Promise<void> => Promise.resolve();
  const refuse = ({ op }: { readonly op: Op }): Promise<void> => {
    if (times === 0 || (ops !== "all" && !ops.includes(op))) return succeed();
    times -= 1;
    return Promise.reject(new ApiError(op, failure, status, "said the platform", isForeign));
  };
  env.world.hooks = { before: succeed, after: succeed, [when]: refuse };
  return () => {
    times = 0;
  };
}

/** Fails every call of the platform. @returns a function that ends the outage */
export function outage(env: Env, failure: ApiFailure = { is: "Server" }, status = 503): () => void {
  return fail(env, "all", [failure, status]);
}

/** The times of the calls of the platform from now on. */
export function callTimes({ world, clock }: Env): readonly number[] {
  const times: number[] = [];
  const { hooks } = world;
  const before: typeof hooks.before = (call) => {
    times.push(clock.monotonic());
    return hooks.before(call);
  };
  world.hooks = { ...hooks, before };
  return times;
}

/** The shortest time between two calls. */
export function leastGap(times: readonly number[]): number {
  return Math.min(...times.slice(1).map((at, index) => at - (times[index] ?? 0)));
}

export const remote = (env: Env): Remote => [...env.world.remotes.values()][0]!;
export const effects = (env: Env): readonly string[] => env.world.effects.map(({ op }) => op);
export const status = (env: Env, name: string): Json | undefined => member(env.cluster.get("Widget", "a").status, name);
export const ready = (env: Env): string | undefined =>
  env.conditions("Widget", "a").find((one) => one.startsWith("Ready"));
