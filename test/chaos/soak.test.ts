/** Minutes or hours of churn, in which the process must not grow. */
import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { effort } from "../support/env/effort.ts";
import { defaults, project, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { openChaosEnv } from "./env.ts";
import { figuresOf, type ProcessFigures } from "./process-figures.ts";
import type { Watch } from "./tap/call.ts";

const CHURN_MS = 5_000;
/** The time until connections, caches and the compiler are stable. */
const WARM_MS = 60_000;
const DELETED = { lifecycle: { deletionPolicy: "Delete" } };
/** The growth of the heap that a measurement of minutes may show by chance, in MiB. */
const NOISE_MB = 5;

/** Returns the minimum of the first and the last third, as garbage collection lowers single values. */
function lows(values: readonly number[]): readonly [early: number, late: number] {
  const third = Math.ceil(values.length / 3);
  return [Math.min(...values.slice(0, third)), Math.min(...values.slice(-third))];
}

describe("[D8] constant changes", () => {
  it(
    "of watches, connections and objects do not raise the number of descriptors or the memory",
    { timeout: effort.soakMinutes * 60_000 + 300_000 },
    async ({ task }) => {
      await using env = await openChaosEnv({ surface: "full" });
      await env.apply(...defaults(env), ...tree(env, "stays"));
      const watches = new Set<Watch>();
      env.interceptor = { onWatch: (watch) => void watches.add(watch) };
      const samples: ProcessFigures[] = [];
      const began = performance.now();
      const until = began + effort.soakMinutes * 60_000;
      let rounds = 0;
      for (; performance.now() < until; rounds += 1) {
        const name = `churn-${rounds % 5}`;
        await env.ready(project(name, DELETED));
        // Closes half of the watches and resets the others.
        for (const [index, watch] of [...watches].entries()) {
          if (index % 2 === 0) watch.end();
          else watch.reset();
        }
        watches.clear();
        await env.remove("PlatformProject", name);
        await env.waitGone("PlatformProject", name);
        await sleep(CHURN_MS);
        if (performance.now() - began > WARM_MS) samples.push(await figuresOf(env.operator));
      }
      await env.waitFor("PlatformApplication", "stays", { status: "True" });
      const counts = samples.map(({ descriptors }) => descriptors);
      const [early, late] = lows(counts);
      expect(Math.abs(late - early)).toBeLessThanOrEqual(5);
      const [heapBefore, heapAfter] = lows(samples.map(({ heapMb }) => heapMb));
      const [rssBefore, rssAfter] = lows(samples.map(({ residentMb }) => residentMb));
      expect(heapAfter - heapBefore).toBeLessThanOrEqual(NOISE_MB + effort.soakMinutes / 60);
      expect(env.platform.world().projects.size).toBe(1);
      const growth = (before: number, after: number): string => `${before.toFixed(0)} to ${after.toFixed(0)} MiB`;
      figure(
        task,
        `${effort.soakMinutes} min, ${rounds} rounds that end all watches: ${Math.min(...counts)} to ${Math.max(...counts)} descriptors, heap ${growth(heapBefore, heapAfter)}, resident ${growth(rssBefore, rssAfter)}`,
        rounds,
      );
    },
  );
});
