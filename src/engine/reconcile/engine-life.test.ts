import { describe, expect, it } from "vitest";

import { engineBench, type Bench } from "../../../test/support/engine/env.ts";
import { EXTERNAL_ID, FINALIZER, INTENT } from "../../api/names.ts";

const POLL = 11 * 60_000;

async function started(options?: Parameters<typeof engineBench>[0]): Promise<Bench> {
  const bench = engineBench(options);
  await bench.run(5_000);
  return bench;
}

/** The order of Kubernetes writes and platform changes from here on. */
function record(bench: Bench): string[] {
  const order: string[] = [];
  bench.cluster.hooks.after = (write) => {
    if (write.key.startsWith("Widget/")) order.push(write.what);
    return Promise.resolve();
  };
  bench.world.hooks.after = ({ op }) => {
    if (op !== "list" && op !== "get" && op !== "ping") order.push(`${op}!`);
    return Promise.resolve();
  };
  return order;
}

describe("a create", () => {
  it("is written down before and after it is sent, and told once", async () => {
    const bench = await started();
    const order = record(bench);
    bench.widget("a");
    await bench.run(5_000);
    expect(order).toEqual(["checked", "create!", "outcome", "status"]);
    const { metadata, status } = bench.cluster.get("Widget", "a");
    const [id] = bench.world.remotes.keys();
    expect(metadata.annotations?.[EXTERNAL_ID]).toBe(id);
    expect(metadata.annotations).not.toHaveProperty([INTENT]);
    expect(status).toMatchObject({ externalId: id, observedGeneration: 1, identity: { host: "platform.example" } });
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });

  it("with a deployment costs four writes, a redeployment two", async () => {
    const bench = await started();
    const order = record(bench);
    bench.widget("a", { commit: "c1" });
    await bench.run(5_000);
    expect(order).toEqual(["checked", "create!", "outcome", "status", "deploy!", "status"]);
    order.length = 0;
    bench.cluster.spec("Widget", "a", { name: "a", commit: "c2" });
    await bench.run(5_000);
    expect(order).toEqual(["status", "deploy!", "status"]);
    expect(bench.cluster.get("Widget", "a").status).toMatchObject({ observedGeneration: 2 });
  });

  it("takes the finalizer along with the intent where a policy needs it", async () => {
    const bench = await started();
    const order = record(bench);
    bench.widget("a", { lifecycle: { deletionPolicy: "Delete" } });
    await bench.run(5_000);
    expect(order).toEqual(["checked", "create!", "outcome", "status"]);
    expect(bench.cluster.get("Widget", "a").metadata.finalizers).toEqual([FINALIZER]);
  });

  it("waits for a parent without a word while both are fresh, and is woken by it", async () => {
    const bench = await started();
    bench.widget("child", { parentRef: { name: "parent" } });
    bench.widget("parent");
    await bench.run(3_000);
    expect(bench.conditions("Widget", "child")).toContain("Ready=True/Available");
    expect(bench.writes("Widget", "child")).toBe(3);
    const [parent, child] = [...bench.world.remotes.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(child?.parentId).toBe(parent?.id);
  });

  it("says which parent is missing when it stays missing", async () => {
    const bench = await started();
    bench.widget("child", { parentRef: { name: "nobody" } });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "child")).toContain("Ready=False/ParentNotFound");
    const before = bench.writes("Widget", "child");
    await bench.run(9 * 60_000);
    expect(bench.writes("Widget", "child")).toBe(before);
  });
});

describe("the steady state", () => {
  it("writes nothing, neither to the platform nor to Kubernetes", async () => {
    const bench = await started();
    bench.widget("a", { commit: "c1" });
    bench.widget("b", { parentRef: { name: "a" }, note: "n" });
    await bench.run(POLL);
    const writes = bench.cluster.writes.length;
    const effects = bench.world.effects.length;
    const status = JSON.stringify(bench.cluster.get("Widget", "a"));
    const passes = bench.passes.length;
    await bench.run(6 * POLL);
    expect(bench.cluster.writes.length).toBe(writes);
    expect(bench.world.effects.length).toBe(effects);
    expect(JSON.stringify(bench.cluster.get("Widget", "a"))).toBe(status);
    expect(bench.passes.length - passes).toBeLessThan(3 * 8);
  });

  it("survives a restart without a write", async () => {
    const bench = await started();
    bench.widget("a", { commit: "c1" });
    await bench.run(POLL);
    const writes = bench.cluster.writes.length;
    bench.restart();
    await bench.run(2 * POLL);
    expect(bench.cluster.writes.length).toBe(writes);
    expect(bench.world.count("deploy")).toBe(1);
  });

  it("of children is not disturbed by their parent's news, nor that of a connection by the end of its users", async () => {
    const bench = await started();
    bench.widget("parent", { note: "n" });
    for (let index = 0; index < 30; index += 1) bench.widget(`c${index}`, { parentRef: { name: "parent" } });
    await bench.run(2 * POLL);
    const passesOf = (part: string): number => bench.passes.filter(({ key }) => key.includes(part)).length;
    const before = { children: passesOf("/c"), links: passesOf("Link/") };
    bench.cluster.spec("Widget", "parent", { name: "parent", note: "m" });
    await bench.run(100);
    expect(passesOf("/c")).toBe(before.children);
    for (let index = 0; index < 30; index += 1) bench.cluster.remove("Widget", `c${index}`);
    await bench.run(100);
    expect(passesOf("Link/")).toBe(before.links);
  });

  it("always has a next look", async () => {
    const bench = await started();
    bench.widget("good", { commit: "c1" });
    bench.widget("orphan", { parentRef: { name: "nobody" } });
    bench.cluster.create("Widget", "wrong", { name: 7 });
    bench.widget("torn", { explode: "plan" });
    bench.widget("quiet", {}, { annotations: { "platform-operator.io/paused": "true" } });
    await bench.run(60_000);
    for (const name of ["good", "orphan", "wrong", "torn", "quiet"]) {
      expect(bench.due("Widget", name), name).toBeGreaterThan(0);
    }
    expect(bench.due("Link", "default")).toBeGreaterThan(0);
  });
});

describe("work that takes long", () => {
  it("tells an intermediate state once it lasts over ten seconds, and the end", async () => {
    const bench = await started();
    bench.world.deployed = "BUSY";
    bench.widget("a", { commit: "c1" });
    await bench.run(5_000);
    expect(bench.writes("Widget", "a")).toBe(3);
    expect(bench.conditions("Widget", "a")).toContain("Reconciling=True/Progressing");
    await bench.run(60_000);
    expect(bench.writes("Widget", "a")).toBe(4);
    const [id = ""] = bench.world.remotes.keys();
    bench.world.change(id, { state: "DEPLOYED" });
    await bench.run(31_000);
    expect(bench.writes("Widget", "a")).toBe(5);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(bench.cluster.get("Widget", "a").status).not.toHaveProperty("intent");
  });

  it("that ends within ten seconds costs no intermediate write", async () => {
    const bench = await started();
    bench.world.deployed = "BUSY";
    bench.widget("a", { commit: "c1" });
    await bench.run(4_000);
    const [id = ""] = bench.world.remotes.keys();
    bench.world.change(id, { state: "DEPLOYED" });
    await bench.run(10_000);
    expect(bench.writes("Widget", "a")).toBe(4);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });

  it("keeps Ready for ten minutes in a state that tells nothing, and then says Unknown", async () => {
    const bench = await started();
    bench.widget("a", { commit: "c1" });
    await bench.run(30_000);
    const [id = ""] = bench.world.remotes.keys();
    bench.world.change(id, { state: "ODD" });
    bench.cluster.annotate("Widget", "a", { "platform-operator.io/reconcile-requested-at": "now" });
    await bench.run(60_000);
    expect(bench.conditions("Widget", "a")).toEqual(
      expect.arrayContaining(["Ready=True/Available", "Synced=True/ReconcileSuccess", "Deployed=Unknown/ODD"]),
    );
    const writes = bench.writes("Widget", "a");
    await bench.run(500_000);
    expect(bench.writes("Widget", "a")).toBe(writes);
    await bench.run(120_000);
    const conditions = bench.conditions("Widget", "a");
    expect(conditions).toContain("Ready=Unknown/UnknownState");
    expect(conditions.some((one) => one.startsWith("Reconciling") || one.startsWith("Stalled"))).toBe(false);
    expect(bench.writes("Widget", "a")).toBe(writes + 1);
  });
});

describe("drift and values", () => {
  it("is corrected without the ledger", async () => {
    const bench = await started();
    bench.widget("a", { note: "mine" });
    await bench.run(5_000);
    const [id = ""] = bench.world.remotes.keys();
    const order = record(bench);
    bench.world.change(id, { note: "theirs" });
    await bench.run(POLL);
    expect(order).toEqual(["update!"]);
    expect(bench.world.remotes.get(id)?.note).toBe("mine");
  });

  it("are sent again when the value changed, not when the Secret was only touched", async () => {
    const bench = await started();
    bench.cluster.secret("values", { a: "one" });
    bench.widget("a", { secret: { name: "values", key: "a" } });
    await bench.run(5_000);
    expect(bench.world.count("import")).toBe(1);
    bench.cluster.secret("values", { a: "one" });
    await bench.run(POLL);
    expect(bench.world.count("import")).toBe(1);
    bench.cluster.secret("values", { a: "two" });
    await bench.run(POLL);
    expect(bench.world.count("import")).toBe(2);
    expect(JSON.stringify(bench.cluster.get("Widget", "a"))).not.toContain("one");
  });

  it("are waited for, and the message names the key and not the value", async () => {
    const bench = await started();
    bench.cluster.secret("values", { other: "hidden" });
    bench.widget("a", { secret: { name: "values", key: "a" } });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=False/DependencyNotReady");
    const text = JSON.stringify(bench.cluster.get("Widget", "a").status);
    expect(text).toContain('has no key \\"a\\"');
    expect(text).not.toContain("hidden");
    bench.cluster.secret("values", { a: "one" });
    await bench.run(31_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });
});
