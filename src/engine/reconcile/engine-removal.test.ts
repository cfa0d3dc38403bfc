import { describe, expect, it } from "vitest";

import { engineBench, type Bench } from "../../../test/support/engine/env.ts";
import { apiError, type Remote } from "../../../test/support/engine/fake-platform.ts";
import { FINALIZER, INTENT } from "../../api/names.ts";

const MINUTE = 60_000;
const DELETE = { lifecycle: { deletionPolicy: "Delete" } };

async function with1(spec: Parameters<Bench["widget"]>[1]): Promise<Bench> {
  const bench = engineBench();
  await bench.run(1_000);
  bench.widget("a", spec);
  await bench.run(5_000);
  return bench;
}

const remote = (bench: Bench): Remote | undefined => [...bench.world.remotes.values()][0];
const farewells = (bench: Bench): readonly string[] =>
  bench.events.filter(({ action }) => action === "Delete").map(({ type, reason }) => `${type} ${reason}`);

describe("the end of an object", () => {
  it.each([
    ["Retain", "READY", []],
    ["Stop", "STOPPED", ["Normal Orphaned"]],
    ["Delete", undefined, ["Normal Deleted"]],
  ])("under deletionPolicy %s leaves the platform's object %s", async (deletionPolicy, state, events) => {
    const bench = await with1({ lifecycle: { deletionPolicy } });
    bench.cluster.remove("Widget", "a");
    await bench.run(5_000);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(remote(bench)?.state).toBe(state);
    expect(farewells(bench)).toEqual(events);
  });

  it("follows a policy that was changed before", async () => {
    const bench = await with1(DELETE);
    expect(bench.cluster.get("Widget", "a").metadata.finalizers).toEqual([FINALIZER]);
    bench.cluster.spec("Widget", "a", { name: "a" });
    await bench.run(5_000);
    expect(bench.cluster.get("Widget", "a").metadata.finalizers).toEqual([]);
    bench.cluster.spec("Widget", "a", { name: "a", ...DELETE });
    await bench.run(5_000);
    expect(bench.cluster.get("Widget", "a").metadata.finalizers).toEqual([FINALIZER]);
  });

  it("does not come while nobody understands the windows in which it may", async () => {
    const bench = await with1(DELETE);
    const windows = (schedule: string) => ({
      lifecycle: { ...DELETE.lifecycle, syncWindows: { kind: "Allow", windows: [{ schedule, duration: "24h" }] } },
    });
    bench.cluster.spec("Widget", "a", { name: "a", ...windows("0 25 * * *") });
    bench.cluster.remove("Widget", "a");
    await bench.run(5 * MINUTE);
    expect(remote(bench)?.state).toBe("READY");
    expect(bench.conditions("Widget", "a")).toContain("Ready=False/InvalidSpec");
    expect(farewells(bench)).toEqual([]);
    bench.cluster.spec("Widget", "a", { name: "a", ...windows("0 0 * * *") });
    await bench.run(5 * MINUTE);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(bench.world.remotes.size).toBe(0);
  });

  it("leaves other people's finalizers alone", async () => {
    const bench = engineBench();
    bench.widget("a", DELETE, { finalizers: ["other/one"] });
    await bench.run(5_000);
    bench.cluster.remove("Widget", "a");
    await bench.run(5_000);
    expect(bench.cluster.get("Widget", "a").metadata.finalizers).toEqual(["other/one"]);
    expect(bench.world.remotes.size).toBe(0);
    const passes = bench.passes.length;
    await bench.run(30 * MINUTE);
    expect(bench.passes.filter(({ key }) => key.includes("Widget")).length).toBeLessThan(passes + 5);
  });

  it("waits for children, and comes with the last of them", async () => {
    const bench = await with1(DELETE);
    bench.widget("child", { parentRef: { name: "a" }, ...DELETE });
    await bench.run(5_000);
    bench.cluster.remove("Widget", "a");
    await bench.run(MINUTE);
    expect(bench.conditions("Widget", "a")).toContain("Ready=False/WaitingForChildren");
    expect(bench.world.remotes.size).toBe(2);
    const writes = bench.cluster.writes.length;
    await bench.run(30 * MINUTE);
    expect(bench.cluster.writes.length).toBe(writes);
    bench.cluster.remove("Widget", "child");
    await bench.run(1_000);
    expect(bench.cluster.all().filter(({ kind }) => kind === "Widget")).toEqual([]);
    expect(bench.world.remotes.size).toBe(0);
  });

  it("goes on after a restart, however long it has been waiting", async () => {
    const bench = await with1(DELETE);
    bench.widget("child", { parentRef: { name: "a" }, ...DELETE });
    await bench.run(5_000);
    bench.cluster.remove("Widget", "a");
    await bench.run(60 * MINUTE);
    bench.cluster.remove("Widget", "child");
    bench.restart("newest first");
    await bench.run(10_000);
    expect(bench.world.remotes.size).toBe(0);
    expect(farewells(bench)).toEqual(["Normal Deleted", "Normal Deleted"]);
  });

  it("honours neither a pause nor a missing parent", async () => {
    const bench = await with1({});
    bench.widget("child", { parentRef: { name: "a" }, ...DELETE });
    await bench.run(5_000);
    bench.cluster.remove("Widget", "a");
    bench.cluster.annotate("Widget", "child", { "platform-operator.io/paused": "true" });
    await bench.run(5_000);
    bench.cluster.remove("Widget", "child");
    await bench.run(5_000);
    expect([...bench.world.remotes.values()].map(({ name }) => name)).toEqual(["a"]);
  });

  it("says why where the platform cannot delete, and does not hang", async () => {
    const bench = engineBench();
    bench.world.surface = "Documented";
    bench.widget("a", DELETE);
    await bench.run(5_000);
    bench.cluster.remove("Widget", "a");
    await bench.run(5_000);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(farewells(bench)).toEqual(["Warning Orphaned"]);
  });

  it("leaves an object alone that another resource holds, whatever its own status says", async () => {
    const bench = await with1({});
    bench.clock.shiftWall(60_000);
    bench.widget("b", { externalId: remote(bench)?.id ?? "", ...DELETE }, { finalizers: [FINALIZER] });
    bench.cluster.status("Widget", "b", bench.cluster.get("Widget", "a").status);
    bench.cluster.remove("Widget", "b");
    await bench.run(5_000);
    expect(bench.cluster.find("Widget", "b")).toBeUndefined();
    expect(bench.world.remotes.size).toBe(1);
    expect(farewells(bench)).toEqual(["Warning Orphaned"]);
  });

  it("of what was never created needs nobody", async () => {
    const bench = await with1({ parentRef: { name: "nobody" }, ...DELETE });
    bench.cluster.remove("Widget", "a");
    await bench.run(5_000);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(farewells(bench)).toEqual([]);
  });
});

describe("[K1] the end of an object whose connection is", () => {
  it("down: it waits, however long, and deletes then", async () => {
    const bench = await with1(DELETE);
    bench.world.hooks.before = ({ op }) => Promise.reject(apiError(op, { is: "Server" }, 503));
    bench.cluster.remove("Widget", "a");
    await bench.run(60 * MINUTE);
    expect(bench.conditions("Widget", "a")).toContain("Ready=False/ConnectionNotReady");
    bench.world.hooks.before = () => Promise.resolve();
    await bench.run(20_000);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(bench.world.remotes.size).toBe(0);
  });

  it("without its Secret: the last good token serves", async () => {
    const bench = await with1(DELETE);
    bench.cluster.secret("token", undefined);
    bench.cluster.annotate("Link", "default", { "platform-operator.io/reconcile-requested-at": "1" });
    await bench.run(MINUTE);
    bench.cluster.remove("Widget", "a");
    await bench.run(5_000);
    expect(bench.world.remotes.size).toBe(0);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
  });

  it("gone: the client that is still open serves", async () => {
    const bench = await with1(DELETE);
    bench.cluster.remove("Link", "default");
    bench.cluster.secret("token", undefined);
    bench.cluster.remove("Widget", "a");
    await bench.run(5_000);
    expect(bench.world.remotes.size).toBe(0);
  });

  it.each(["connection", "Secret"] as const)("gone with the process (%s): it lets go with a warning", async (what) => {
    const bench = await with1(DELETE);
    if (what === "connection") bench.cluster.remove("Link", "default");
    bench.cluster.secret("token", undefined);
    bench.restart();
    bench.cluster.remove("Widget", "a");
    await bench.run(4 * MINUTE);
    expect(bench.cluster.find("Widget", "a")).toBeDefined();
    bench.clock.shiftWall(-86_400_000);
    await bench.run(3 * MINUTE);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(farewells(bench)).toEqual(["Warning Orphaned"]);
    expect(bench.world.remotes.size).toBe(1);
  });
});

describe("the end of an object with an open intent", () => {
  it.each([
    ["Full", "after", 0, "Normal Deleted"],
    ["Full", "before", 0, undefined],
    ["Documented", "after", 1, "Warning Orphaned"],
  ] as const)("(%s, lost %s) traces first", async (surface, when, left, farewell) => {
    const bench = engineBench();
    bench.world.surface = surface;
    await bench.run(1_000);
    const fail = ({ op }: { readonly op: string }): Promise<void> =>
      op === "create" ? Promise.reject(apiError(op, { is: "OutcomeUnknown" }, 0)) : Promise.resolve();
    bench.world.hooks = { ...bench.world.hooks, [when]: fail };
    bench.widget("a", DELETE);
    await bench.run(0);
    bench.cluster.remove("Widget", "a");
    await bench.run(3 * MINUTE);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(bench.world.remotes.size).toBe(left);
    expect(farewells(bench)).toEqual(farewell === undefined ? [] : [farewell]);
  });

  it.each([
    ["of another version", '{"v":2}', "Delete"],
    ["that became Retain", '{"v":2}', "Retain"],
  ])("%s lets go with a warning", async (_, intent, deletionPolicy) => {
    const bench = engineBench();
    bench.widget(
      "a",
      { lifecycle: { deletionPolicy } },
      { finalizers: [FINALIZER], annotations: { [INTENT]: intent } },
    );
    await bench.run(5_000);
    bench.cluster.remove("Widget", "a");
    await bench.run(10 * MINUTE);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(farewells(bench)).toEqual(["Warning Orphaned"]);
  });

  it("of an action waits for it and deletes", async () => {
    const bench = await with1(DELETE);
    bench.world.hooks.before = ({ op }) =>
      op === "deploy" ? Promise.reject(apiError(op, { is: "OutcomeUnknown" }, 0)) : Promise.resolve();
    bench.cluster.spec("Widget", "a", { name: "a", commit: "c1", ...DELETE });
    await bench.run(100);
    bench.cluster.remove("Widget", "a");
    await bench.run(2 * MINUTE);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(bench.world.remotes.size).toBe(0);
  });
});
