/** Widgets behind a connection whose platform fails. */
import type { ApiFailure } from "../../../src/platform/transport/errors.ts";
import { engineBench, type Bench } from "./env.ts";
import { apiError } from "./fake-platform.ts";

const MINUTE = 60_000;

/** A bench with settled widgets, w0 and on. */
export async function withFleet(size: number): Promise<Bench> {
  const bench = engineBench();
  await bench.run(5_000);
  for (let index = 0; index < size; index += 1) bench.widget(`w${index}`);
  await bench.run(15 * MINUTE);
  return bench;
}

/** Fails every call of the platform. @returns what ends that */
export function outage(bench: Bench, failure: ApiFailure = { is: "Server" }, status = 503): () => void {
  const down = (): Promise<void> => Promise.reject(apiError("list", failure, status));
  const up = (): Promise<void> => Promise.resolve();
  bench.world.hooks = { before: down, after: up };
  return () => {
    bench.world.hooks = { before: up, after: up };
  };
}

export const writesOf = (bench: Bench, kind: string): number =>
  bench.cluster.writes.filter(({ key }) => key.startsWith(`${kind}/`)).length;
export const callsSince = (bench: Bench, since: number): number => bench.world.calls.length - since;
