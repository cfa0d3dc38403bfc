/** Thousands of objects on a real API server. */
import { describe, expect, it } from "vitest";

import { isSettled } from "../../src/engine/contract/status.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { defaults } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { shop, SHOP, SHOP_CHANGES } from "../support/services/fixtures.ts";
import { openChaosEnv, type ChaosEnv } from "./env.ts";
import { figuresOf } from "./process-figures.ts";

const OBJECTS = 1_000;
/** 327 were measured on a machine with 24 GiB; the heap grows with the available memory. */
const RESIDENT_MB = 450;
const CONCURRENCY = 20;

/** Calls `act` for each manifest, up to CONCURRENCY at a time. */
async function forEach(manifests: readonly Manifest[], act: (manifest: Manifest) => Promise<void>): Promise<void> {
  const left = manifests.values();
  const worker = async (): Promise<void> => {
    for (const manifest of left) await act(manifest);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** Waits until `done`. @returns the seconds since `from` */
async function until(env: ChaosEnv, from: number, done: (objects: readonly KubeObject[]) => boolean): Promise<number> {
  const objects = async (): Promise<readonly KubeObject[]> =>
    (await Promise.all(Object.keys(SHOP_CHANGES).map((kind) => env.list(kind)))).flat();
  await expect.poll(async () => done(await objects()), { timeout: 240_000, interval: 1_000 }).toBe(true);
  return (performance.now() - from) / 1_000;
}

describe("[D5] thousands of objects on a real API server", () => {
  it("are created, changed, adopted by a new process and deleted", { timeout: 900_000 }, async ({ task }) => {
    await using env = await openChaosEnv({ surface: "full", windows: { pollMs: 600_000, firstLookMs: 60_000 } });
    await env.apply(...defaults(env));
    const shops = Array.from({ length: OBJECTS / SHOP }, (_, index) => shop(env, `shop-${index}`)).flat();
    const areReady = (objects: readonly KubeObject[]): boolean =>
      objects.length === OBJECTS && objects.every(isSettled);

    const began = performance.now();
    await forEach(shops, (manifest) => env.apply(manifest));
    const created = await until(env, began, areReady);
    const changing = performance.now();
    await forEach(shops, ({ kind, metadata }) => env.patch(kind, metadata.name, { spec: SHOP_CHANGES[kind] ?? {} }));
    const changed = await until(env, changing, areReady);
    const peak = await figuresOf(env.operator);

    await env.kill();
    const k = env.calls.length;
    const restarted = performance.now();
    await env.start();
    await env.annotate("PlatformProject", "shop-0", { "platform-operator.io/reconcile-requested-at": "now" });
    await env.waitFor("PlatformProject", "shop-0", ({ status }) => JSON.stringify(status).includes('"now"'), 60_000);
    const synced = (performance.now() - restarted) / 1_000;
    const lists = env.calls.slice(k).filter(({ what }) => what.startsWith("kube LIST platformprojects"));
    expect(lists.length).toBeLessThanOrEqual(1 + Math.ceil(OBJECTS / 500));

    const deleting = performance.now();
    await forEach(shops, ({ kind, metadata }) => env.remove(kind, metadata.name));
    const deleted = await until(env, deleting, ({ length }) => length === 0);
    expect(env.platform.world().projects.size).toBe(0);
    expect(peak.peakMb).toBeLessThan(RESIDENT_MB);
    figure(
      task,
      `${OBJECTS} objects on a real API server: created, changed, deleted in ${[created, changed, deleted].map((seconds) => seconds.toFixed(0)).join(", ")} s; a new process works after ${synced.toFixed(1)} s; at most ${peak.peakMb.toFixed(0)} MiB resident (heap ${peak.heapMb.toFixed(0)}), event loop p99 ${peak.lagMs.toFixed(0)} ms`,
    );
  });
});
