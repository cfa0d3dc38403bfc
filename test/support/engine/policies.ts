/** The engine's bench with one widget, for what policies make of it. */
import { member } from "../../../src/kube/api/json.ts";
import type { Json } from "../../../src/kube/api/types.ts";
import { engineBench, type Bench } from "./env.ts";
import type { Remote } from "./fake-platform.ts";

export const HOUR = 3_600_000;

export type Spec = { readonly [key: string]: Json };

/** A bench on a surface, with the widget "a" and, if given, the defaults of its connection. */
export async function on(surface: "Documented" | "Full", spec: Spec, defaults?: Spec): Promise<Bench> {
  const bench = engineBench({ bare: true });
  bench.world.surface = surface;
  bench.cluster.secret("token", { token: "token-1" });
  bench.cluster.create("Link", "default", { surface, ...(defaults === undefined ? {} : { defaults }) });
  await bench.run(1_000);
  bench.widget("a", spec);
  await bench.run(10_000);
  return bench;
}

export const remote = (bench: Bench): Remote => [...bench.world.remotes.values()][0]!;
export const effects = (bench: Bench): readonly string[] => bench.world.effects.map(({ op }) => op);
export const status = (bench: Bench, name: string): Json | undefined =>
  member(bench.cluster.get("Widget", "a").status, name);
export const ready = (bench: Bench): string | undefined =>
  bench.conditions("Widget", "a").find((one) => one.startsWith("Ready"));

/** Lets everybody see what is there now. */
export const polled = async (bench: Bench): Promise<void> => await bench.run(HOUR);
