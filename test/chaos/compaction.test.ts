/** A control plane without a watch cache that compacts etcd often, so that old resource versions really expire. */
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { defaults, project } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { changesSince } from "./stale-cache.ts";
import type { Watch } from "./tap/call.ts";

/** Longer than two compaction intervals: the first records the revision up to which the second compacts. */
const HELD_MS = 30_000;

const controlPlane = await ownControlPlane({
  // The watch cache would serve revisions that etcd has compacted.
  apiServerFlags: { "min-request-timeout": "5", "etcd-compaction-interval": "10s", "watch-cache": "false" },
});

describe("a watch whose resourceVersion etcd has compacted", { timeout: 300_000 }, () => {
  let env: ChaosEnv;
  /** The number of 410 answers and events of each kind. */
  const expired = new Map<string, number>();
  let newest: Watch | undefined;

  beforeAll(async () => {
    const countExpired = (plural: string) => expired.set(plural, (expired.get(plural) ?? 0) + 1);
    env = await openChaosEnv({
      surface: "full",
      controlPlane,
      interceptor: {
        onAnswer: ({ what }, { status }) => {
          if (status === 410) countExpired(what.split(" ").at(-1) ?? "");
        },
        onWatch: (watch) => {
          if (watch.plural === "platformprojects") newest = watch;
          watch.rewrite = (line) => {
            if (line.startsWith('{"type":"ERROR"') && line.includes('"code":410')) countExpired(watch.plural);
            return [line];
          };
        },
      },
    });
  });
  afterAll(() => env[Symbol.asyncDispose]());

  it("[B4] is followed by a list, and no event is lost", async ({ task }) => {
    await env.ready(...defaults(env), project("before"));
    const since = env.calls.length;
    expired.clear();
    const held = newest;
    held?.hold();
    const names = Array.from({ length: 5 }, (_, index) => `compacted-${index}`);
    for (const name of names) {
      await env.apply(project(name));
      await sleep(HELD_MS / names.length);
    }
    // The operator watches from its last version; the buffered events are never sent.
    held?.end();
    for (const name of names) await env.waitFor("PlatformProject", name, { status: "True" }, 120_000);
    const lists = env.calls.filter(({ k, what }) => k > since && what === "kube LIST platformprojects").length;
    expect(lists).toBeGreaterThanOrEqual(1);
    expect(lists).toBeLessThanOrEqual(expired.get("platformprojects") ?? 0);
    expect(changesSince(env, since).toSorted()).toEqual(names.map((name) => `createProject ${name}`));
    figure(task, `0 events lost, ${lists} lists after ${expired.get("platformprojects") ?? 0} compacted versions`);
  });
});
