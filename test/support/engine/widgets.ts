import { member } from "../../../src/kube/api/json.ts";
import type { Json } from "../../../src/kube/api/types.ts";
import type { ApiFailure } from "../../../src/platform/transport/errors.ts";
import { engineEnv, type Env, type EnvOptions } from "./env.ts";
import { apiError, type Op, type Remote } from "./fake-platform.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export type Spec = { readonly [key: string]: Json };

export const DELETE = { lifecycle: { deletionPolicy: "Delete" } } as const;

export async function started(options?: EnvOptions): Promise<Env> {
  const env = engineEnv(options);
  await env.run(5_000);
  return env;
}

export async function applied(spec: Spec = {}, meta: Parameters<Env["widget"]>[2] = {}): Promise<Env> {
  const env = await started();
  env.widget("a", spec, meta);
  await env.run(5_000);
  return env;
}

/** An environment on a surface, with the widget "a" and optional defaults of its connection. */
export async function on(surface: "Documented" | "Full", spec: Spec, defaults?: Spec): Promise<Env> {
  const env = engineEnv({ bare: true });
  env.world.surface = surface;
  env.cluster.secret("token", { token: "token-1" });
  env.cluster.create("Link", "default", { surface, ...(defaults === undefined ? {} : { defaults }) });
  await env.run(1_000);
  env.widget("a", spec);
  await env.run(10_000);
  return env;
}

export async function withFleet(size: number, spec: Spec = {}): Promise<Env> {
  const env = await started();
  for (let index = 0; index < size; index += 1) env.widget(`w${index}`, spec);
  await env.run(15 * MINUTE);
  return env;
}

export const LOST: Refusal = [{ is: "OutcomeUnknown" }, 504];

type Refusal = readonly [failure: ApiFailure, status: number];

/**
 * Fails the calls of some operations, or of all. Other hooks of the platform are removed.
 * @param how by default before their effect, and each of them
 * @returns a function that ends this
 */
export function fail(
  env: Env,
  ops: readonly Op[] | "all",
  [failure, status]: Refusal,
  how: { readonly when?: "before" | "after"; readonly times?: number } = {},
): () => void {
  const { when = "before" } = how;
  let { times = Number.POSITIVE_INFINITY } = how;
  const succeed = (): Promise<void> => Promise.resolve();
  const refuse = ({ op }: { readonly op: Op }): Promise<void> => {
    if (times === 0 || (ops !== "all" && !ops.includes(op))) return succeed();
    times -= 1;
    return Promise.reject(apiError(op, failure, status));
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

export const remote = (env: Env): Remote => [...env.world.remotes.values()][0]!;
export const effects = (env: Env): readonly string[] => env.world.effects.map(({ op }) => op);
export const status = (env: Env, name: string): Json | undefined => member(env.cluster.get("Widget", "a").status, name);
export const ready = (env: Env): string | undefined =>
  env.conditions("Widget", "a").find((one) => one.startsWith("Ready"));
export const writesOf = (env: Env, kind: string): number =>
  env.cluster.writes.filter(({ key }) => key.startsWith(`${kind}/`)).length;
export const callsSince = (env: Env, since: number): number => env.world.calls.length - since;

export const polled = async (env: Env): Promise<void> => await env.run(HOUR);
