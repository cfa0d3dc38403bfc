/** Widgets behind a connection whose platform fails. */
import type { ApiFailure } from "../../../src/platform/transport/errors.ts";
import { engineEnv, type Env } from "./env.ts";
import { apiError } from "./fake-platform.ts";

const MINUTE = 60_000;

/** An environment with settled widgets w0, w1 and so on. */
export async function withFleet(size: number): Promise<Env> {
  const env = engineEnv();
  await env.run(5_000);
  for (let index = 0; index < size; index += 1) env.widget(`w${index}`);
  await env.run(15 * MINUTE);
  return env;
}

/** Fails every call of the platform. @returns a function that ends the outage */
export function outage(env: Env, failure: ApiFailure = { is: "Server" }, status = 503): () => void {
  const down = (): Promise<void> => Promise.reject(apiError("list", failure, status));
  const up = (): Promise<void> => Promise.resolve();
  env.world.hooks = { before: down, after: up };
  return () => {
    env.world.hooks = { before: up, after: up };
  };
}

export const writesOf = (env: Env, kind: string): number =>
  env.cluster.writes.filter(({ key }) => key.startsWith(`${kind}/`)).length;
export const callsSince = (env: Env, since: number): number => env.world.calls.length - since;
