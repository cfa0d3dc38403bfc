import { describe, expect, it } from "vitest";

import { engineBench, type Bench } from "../../../test/support/engine/env.ts";
import { apiError } from "../../../test/support/engine/fake-platform.ts";
import { conditionOf } from "../contract/status.ts";

const MINUTE = 60_000;
const PARENT = { parentRef: { name: "parent" } };

/** What refers to something that does not exist, and what brings that about. */
const CASES: readonly (readonly [
  what: string,
  spec: Parameters<Bench["widget"]>[1],
  reason: string,
  mend: (bench: Bench) => void,
])[] = [
  ["parent", PARENT, "ParentNotFound", (bench) => bench.widget("parent")],
  [
    "Secret",
    { secret: { name: "content", key: "text" } },
    "DependencyNotReady",
    (bench) => bench.cluster.secret("content", { text: "x" }),
  ],
  [
    "connection",
    { connectionRef: { name: "second" } },
    "ConnectionNotReady",
    (bench) => bench.cluster.create("Link", "second", {}),
  ],
  [
    "right to use the connection",
    { connectionRef: { kind: "ClusterLink", name: "shared" } },
    "ConnectionNotReady",
    (bench) => bench.cluster.spec("ClusterLink", "shared", { allowedNamespaces: ["team"] }),
  ],
];

const waiting = (reason: string): unknown =>
  expect.arrayContaining([`Ready=False/${reason}`, "Reconciling=True/Progressing"]);
const stalled = (reason: string): unknown =>
  expect.arrayContaining([`Ready=False/${reason}`, `Stalled=True/${reason}`]);

async function startedBench(): Promise<Bench> {
  const bench = engineBench();
  bench.cluster.create("ClusterLink", "shared", { allowedNamespaces: [] });
  await bench.run(5_000);
  return bench;
}

describe("what is referred to and does not exist", () => {
  it.each(CASES)("stalls after ten minutes, and is still waited for: %s", async (_what, spec, reason, mend) => {
    const bench = await startedBench();
    bench.widget("child", spec);
    await bench.run(9 * MINUTE);
    expect(bench.conditions("Widget", "child")).toEqual(waiting(reason));
    await bench.run(2 * MINUTE);
    expect(bench.conditions("Widget", "child")).toEqual(stalled(reason));
    expect(bench.conditions("Widget", "child").join(" ")).not.toContain("Reconciling");
    const writes = bench.cluster.writes.length;
    await bench.run(30 * MINUTE);
    expect(bench.cluster.writes.length).toBe(writes);
    mend(bench);
    await bench.run(40_000);
    expect(bench.conditions("Widget", "child")).toContain("Ready=True/Available");
    expect(bench.conditions("Widget", "child").join(" ")).not.toContain("Stalled");
  });

  it.each(CASES)("has its ten minutes counted across restarts: %s", async (_what, spec, reason) => {
    const bench = await startedBench();
    bench.widget("child", spec);
    for (let restarts = 0; restarts < 4; restarts += 1) {
      await bench.run(2 * MINUTE);
      bench.restart();
    }
    await bench.run(MINUTE);
    expect(bench.conditions("Widget", "child")).toEqual(waiting(reason));
    await bench.run(2 * MINUTE);
    expect(bench.conditions("Widget", "child")).toEqual(stalled(reason));
    bench.restart();
    const writes = bench.cluster.writes.length;
    await bench.run(5 * MINUTE);
    expect(bench.conditions("Widget", "child")).toEqual(stalled(reason));
    expect(bench.cluster.writes.length).toBe(writes);
  });

  it("is no longer told the moment it is there, even if that is not ready", async () => {
    const bench = await startedBench();
    bench.widget("child", PARENT);
    await bench.run(11 * MINUTE);
    expect(bench.conditions("Widget", "child")).toEqual(stalled("ParentNotFound"));
    bench.widget("parent", { secret: { name: "content", key: "text" } });
    await bench.run(100);
    expect(bench.conditions("Widget", "child")).toEqual(waiting("ParentNotReady"));
    // What exists is waited for without an end.
    await bench.run(60 * MINUTE);
    expect(bench.conditions("Widget", "child")).toEqual(waiting("ParentNotReady"));
  });

  it("has ten minutes of its own after another change of the spec, and after something else was missing", async () => {
    const bench = await startedBench();
    bench.widget("child", PARENT);
    await bench.run(9 * MINUTE);
    bench.cluster.spec("Widget", "child", { name: "child", parentRef: { name: "other" } });
    await bench.run(9 * MINUTE);
    expect(bench.conditions("Widget", "child")).toEqual(waiting("ParentNotFound"));
    bench.widget("other");
    await bench.run(MINUTE);
    expect(bench.conditions("Widget", "child")).toContain("Ready=True/Available");
    bench.cluster.remove("Widget", "other");
    await bench.run(MINUTE);
    expect(conditionOf(bench.cluster.get("Widget", "child"), "Stalled")).toBeUndefined();
  });

  it("on the platform, as it answers a create with 404, stalls as well; the create is tried as often as before", async () => {
    const bench = await startedBench();
    let isGone = true;
    bench.world.hooks.before = ({ op }) =>
      isGone && op === "create" ? Promise.reject(apiError(op, { is: "NotFound" }, 404)) : Promise.resolve();
    bench.widget("child", { parentRef: { externalId: "00000000-0000-4000-8000-00000000dead" } });
    await bench.run(9 * MINUTE);
    expect(bench.conditions("Widget", "child")).toEqual(waiting("ParentNotFound"));
    await bench.run(6 * MINUTE);
    expect(bench.conditions("Widget", "child")).toEqual(stalled("ParentNotFound"));
    isGone = false;
    await bench.run(5 * MINUTE);
    expect(bench.conditions("Widget", "child")).toContain("Ready=True/Available");
  });
});
