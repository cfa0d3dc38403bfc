/** Minutes, or hours, of churn: nothing of the process grows. */
import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { effort } from "../support/env/effort.ts";
import { defaults, project, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { openChaosEnv } from "./env.ts";
import { figuresOf, type ProcessFigures } from "./process-figures.ts";
import type { Watch } from "./tap/call.ts";

const CHURN_MS = 5_000;
/** Until connections, caches and the compiler have settled. */
const WARM_MS = 60_000;
const DELETED = { lifecycle: { deletionPolicy: "Delete" } };
/** What a heap may seem to grow by in an hour when looked at for minutes only, in MiB. */
const NOISE_MB = 5;

/** The least of each third: what is left after garbage was collected. */
function lows(values: readonly number[]): readonly [early: number, late: number] {
  const third = Math.ceil(values.length / 3);
  return [Math.min(...values.slice(0, third)), Math.min(...values.slice(-third))];
}

describe("[D8] churn", () => {
  it(
    "of watches, connections and objects leaves descriptors and memory as they are",
    { timeout: effort.soakMinutes * 60_000 + 300_000 },
    async ({ task }) => {
      await using env = await openChaosEnv({ surface: "full" });
      await env.apply(...defaults(env), ...tree(env, "stays"));
      const watches = new Set<Watch>();
      env.interceptor = { onWatch: (watch) => void watches.add(watch) };
      const seen: ProcessFigures[] = [];
      const began = performance.now();
      const until = began + effort.soakMinutes * 60_000;
      let rounds = 0;
      for (; performance.now() < until; rounds += 1) {
        const name = `comes-and-goes-${rounds % 5}`;
        await env.apply(project(name, DELETED));
        await env.waitFor("PlatformProject", name, { status: "True" }, 60_000);
        // Half of the watches are closed as a server closes them, half are reset.
        for (const [index, watch] of [...watches].entries()) {
          if (index % 2 === 0) watch.end();
          else watch.reset();
        }
        watches.clear();
        await env.remove("PlatformProject", name);
        await env.waitGone("PlatformProject", name, 60_000);
        await sleep(CHURN_MS);
        if (performance.now() - began > WARM_MS) seen.push(await figuresOf(env.operator));
      }
      await env.waitFor("PlatformApplication", "stays", { status: "True" }, 60_000);
      const counts = seen.map(({ descriptors }) => descriptors);
      const [early, late] = lows(counts);
      expect(Math.abs(late - early)).toBeLessThanOrEqual(5);
      const [heapBefore, heapAfter] = lows(seen.map(({ heapMb }) => heapMb));
      const [rssBefore, rssAfter] = lows(seen.map(({ residentMb }) => residentMb));
      expect(heapAfter - heapBefore).toBeLessThanOrEqual(NOISE_MB + effort.soakMinutes / 60);
      expect(env.platform.world().projects.size).toBe(1);
      const grew = (before: number, after: number): string => `${before.toFixed(0)} to ${after.toFixed(0)} MiB`;
      figure(
        task,
        `${effort.soakMinutes} min, ${rounds} rounds of all watches cut: ${Math.min(...counts)} to ${Math.max(...counts)} descriptors, heap ${grew(heapBefore, heapAfter)}, resident ${grew(rssBefore, rssAfter)}`,
        rounds,
      );
    },
  );
});
