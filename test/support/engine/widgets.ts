/** The engine's test environment with one widget. */
import { member } from "../../../src/kube/api/json.ts";
import type { Json } from "../../../src/kube/api/types.ts";
import { engineEnv, type Env } from "./env.ts";
import type { Remote } from "./fake-platform.ts";

export const HOUR = 3_600_000;

export type Spec = { readonly [key: string]: Json };

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

export const remote = (env: Env): Remote => [...env.world.remotes.values()][0]!;
export const effects = (env: Env): readonly string[] => env.world.effects.map(({ op }) => op);
export const status = (env: Env, name: string): Json | undefined => member(env.cluster.get("Widget", "a").status, name);
export const ready = (env: Env): string | undefined =>
  env.conditions("Widget", "a").find((one) => one.startsWith("Ready"));

/** Runs long enough for every object to be polled. */
export const polled = async (env: Env): Promise<void> => await env.run(HOUR);
