/** A stale cache (Sieve: "time traveling") changes nothing on the platform. */
import { describe, expect, it } from "vitest";

import { FINALIZER } from "../../src/api/names.ts";
import { effort } from "../support/env/effort.ts";
import { COMMIT, defaults, deploying, NEXT_COMMIT, project, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { changesSince, createStaleCache, type Snapshot, snapshot } from "./stale-cache.ts";

/** Longer than a create takes on a busy machine: late creates are another class. */
const WINDOWS = { landingMs: 20_000 };
const DELETE = { lifecycle: { deletionPolicy: "Delete" } };

/** The objects that differ between the snapshot and the current state. */
const STALE = ["platformprojects/again", "platformprojects/late", "platformprojects/shop", "platformapplications/shop"];

/**
 * Returns a snapshot in which one object is being deleted, one is new, one changes and one is deployed. Afterwards it
 * replaces the first two by objects of the same name.
 */
async function createHistory(env: ChaosEnv): Promise<Snapshot> {
  await env.ready(...defaults(env), project("again", DELETE), ...tree(env, "shop"));
  await env.kill();
  await env.remove("PlatformProject", "again");
  expect((await env.get("PlatformProject", "again")).metadata.finalizers).toEqual([FINALIZER]);
  await env.apply(project("late"));
  await env.patch("PlatformApplication", "shop", deploying(NEXT_COMMIT));
  await env.patch("PlatformProject", "shop", { spec: { description: "old" } });
  const past = await snapshot(env);
  await env.patch("PlatformProject", "again", { metadata: { finalizers: null } });
  await env.remove("PlatformProject", "late");
  await env.apply(project("again", DELETE), project("late"));
  await env.patch("PlatformProject", "shop", { spec: { description: "new" } });
  return past;
}

/** Starts the operator and waits until all objects are Ready. */
async function catchUp(env: ChaosEnv): Promise<void> {
  await env.start();
  for (const name of ["again", "late", "shop"]) await env.waitFor("PlatformProject", name, { status: "True" });
  await env.waitFor("PlatformApplication", "shop", { status: "True" });
  await env.patch("PlatformApplication", "shop", deploying(COMMIT));
  await env.waitFor("PlatformApplication", "shop", { status: "True" });
}

/** `make test` runs the first: a running operator knows its connection and could act at once. */
const ways = effort.few(["while it runs", "after a restart"] as const);

describe("[B1] a list from the past", () => {
  it.concurrent.for(ways)("%s changes nothing on the platform", async (way, { task, expect }) => {
    await using env = await openChaosEnv({ surface: "full", windows: WINDOWS });
    const past = await createHistory(env);
    const cache = createStaleCache();
    env.interceptor = cache;
    await catchUp(env);
    const since = env.calls.length;
    if (way === "after a restart") await env.kill();
    cache.serve(past);
    if (way === "after a restart") await env.start();
    // The operator has read each stale object from the API server.
    const calls = () => env.calls.slice(since).map(({ what }) => what);
    const reads = STALE.map((object) => `kube GET ${object}`);
    await expect.poll(calls, { timeout: 20_000, interval: 50 }).toEqual(expect.arrayContaining(reads));
    cache.restore();
    await env.ready(project("next"));
    expect(changesSince(env, since)).toEqual(["createProject next"]);
    // The operator still follows the objects that were stale.
    for (const name of ["again", "late", "shop"]) {
      await env.patch("PlatformProject", name, { spec: { description: "newest" } });
      await env.waitFor("PlatformProject", name, { status: "True" });
    }
    const names = [...env.platform.world().projects.values()].map(({ name }) => name);
    expect(names.toSorted()).toEqual(["again", "late", "next", "shop"]);
    figure(task, "0 changes of the platform by a stale cache");
  });
});
