import { describe, expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { applicationOf, environmentOf, projectOf } from "../../../test/support/platform/status-page-objects.ts";
import { createStore } from "../../kube/watch/store.ts";
import { createTrees } from "./tree.ts";

function watched() {
  const store = createStore((error) => {
    throw error;
  });
  const trees = createTrees(store, manualClock());
  store.subscribe(trees.changed);
  const names = async () => (await trees.read()).nodes.map(({ fact, depth }) => `${depth} ${fact.name}`);
  return { store, trees, names };
}

describe("the tree of the caches", () => {
  it("follows every change", async () => {
    const { store, names } = watched();
    expect(await names()).toEqual([]);
    const project = projectOf("web");
    const production = environmentOf("production", "web");
    for (const object of [applicationOf("api", "production"), production, project]) store.upsert(object);
    expect(await names()).toEqual(["0 web", "1 production", "2 api"]);
    store.remove({ ...production, metadata: { ...production.metadata, resourceVersion: "9999999" } });
    expect(await names()).toEqual(["0 web", "0 api"]);
  });

  it("is made once for all that ask, until something changes", async () => {
    const { store, trees } = watched();
    store.upsert(projectOf("web"));
    const [first, second] = await Promise.all([trees.read(), trees.read()]);
    expect(second).toBe(first);
    expect(await trees.read()).toBe(first);
    store.upsert(projectOf("web"));
    expect(await trees.read()).not.toBe(first);
  });

  it("holds what came while it was being made", async () => {
    const store = createStore(() => {});
    let now = 0;
    // Each reading of the clock is later by more than a slice: the tree yields after every object.
    const trees = createTrees(store, { monotonic: () => (now += 100) });
    store.subscribe(trees.changed);
    for (const name of ["a", "b", "c"]) store.upsert(projectOf(name));
    const reading = trees.read();
    store.upsert(projectOf("d"));
    expect((await reading).nodes.map(({ fact }) => fact.name)).toEqual(["a", "b", "c", "d"]);
    expect((await trees.read()).counts).toMatchObject({ ready: 4 });
  });
});
