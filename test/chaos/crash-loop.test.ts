/** Kills the operator repeatedly while it creates many objects. */
import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { effort } from "../support/env/effort.ts";
import { database, defaults, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { effects } from "./effects.ts";
import { openChaosEnv } from "./env.ts";
import { randomNumbers } from "./in-process/choose.ts";

/** Each tree with its database has four resources. */
const TREES = 13;
const LOOP_MS = 120_000;

describe("[A6] an operator that is killed every two seconds", () => {
  it(
    "creates and deploys everything once, with one list of each kind per start",
    { timeout: 600_000 },
    async ({ task }) => {
      const random = randomNumbers(effort.seed);
      await using env = await openChaosEnv({ surface: "full", windows: { landingMs: 4_000 } });
      const names = Array.from({ length: TREES }, (_, index) => `shop-${index}`);
      await env.apply(...defaults(env));
      for (const name of names) await env.apply(...tree(env, name), database(name, name));
      const until = performance.now() + LOOP_MS;
      let starts = 1;
      while (performance.now() < until) {
        await sleep(1_000 + random() * 2_000);
        await env.kill();
        await env.start();
        starts += 1;
      }
      for (const name of names) {
        await env.waitFor("PlatformApplication", name, { status: "True" });
        await env.waitFor("PlatformDatabase", name, { status: "True" });
      }
      const operations = ["Project", "Environment", "Application", "Database"].map((kind) => `create${kind}`);
      const once = [...operations, "deployApplication", "deployDatabase"];
      expect(effects(env).toSorted()).toEqual(once.flatMap((one) => names.map(() => one)).toSorted());
      const lists = Map.groupBy(
        env.calls.filter(({ what }) => what.startsWith("kube LIST")),
        ({ what }) => what,
      );
      expect(Math.max(...[...lists.values()].map(({ length }) => length))).toBeLessThanOrEqual(starts);
      figure(task, `${starts} starts with ${TREES * 4} resources, 1 list of each kind per start`);
    },
  );
});
