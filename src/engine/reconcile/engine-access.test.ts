import { describe, expect, it } from "vitest";

import { engineBench, type Bench } from "../../../test/support/engine/env.ts";
import { apiError, type Op } from "../../../test/support/engine/fake-platform.ts";
import { FINALIZER } from "../../api/names.ts";

const MINUTE = 60_000;
const FORBIDDEN = { is: "Forbidden" } as const;

/** Those operations fail so until the returned function is called. */
function refuse(bench: Bench, ops: readonly Op[], failure: Parameters<typeof apiError>[1], status: number): () => void {
  bench.world.hooks.before = ({ op }) =>
    ops.includes(op) ? Promise.reject(apiError(op, failure, status)) : Promise.resolve();
  return () => {
    bench.world.hooks.before = () => Promise.resolve();
  };
}

describe("[C6] a token that may not do something", () => {
  it("stalls the object alone, and a new token brings it back at once", async () => {
    const bench = engineBench();
    bench.widget("good");
    await bench.run(5_000);
    const over = refuse(bench, ["create"], FORBIDDEN, 403);
    bench.widget("a");
    await bench.run(MINUTE);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/PermissionDenied");
    expect(bench.conditions("Widget", "good")).toContain("Ready=True/Available");
    expect(bench.conditions("Link", "default")).toContain("Ready=True/Available");
    const calls = bench.world.calls.filter(({ op }) => op === "create").length;
    await bench.run(8 * MINUTE);
    expect(bench.world.calls.filter(({ op }) => op === "create").length).toBe(calls);
    over();
    bench.cluster.secret("token", { token: "stronger" });
    await bench.run(11_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });

  it("not even look, stalls the connection and no dependent", async () => {
    const bench = engineBench();
    bench.widget("a");
    await bench.run(5_000);
    const writes = bench.writes("Widget", "a");
    const over = refuse(bench, ["ping", "list", "get"], FORBIDDEN, 403);
    await bench.run(15 * MINUTE);
    expect(bench.conditions("Link", "default")).toContain("Stalled=True/PermissionDenied");
    expect(bench.writes("Widget", "a")).toBe(writes);
    over();
    await bench.run(75_000);
    expect(bench.conditions("Link", "default")).toContain("Ready=True/Available");
  });
});

describe("a connection of the cluster", () => {
  it("serves the namespaces that it names, and says so to the others", async () => {
    const bench = engineBench({ bare: true });
    bench.cluster.secret("token", { token: "t" });
    bench.cluster.create("ClusterLink", "default", { allowedNamespaces: ["other"] });
    bench.widget("a");
    await bench.run(MINUTE);
    expect(bench.conditions("Widget", "a")).toContain("Ready=False/ConnectionNotReady");
    expect(bench.world.effects).toEqual([]);
    bench.cluster.spec("ClusterLink", "default", { allowedNamespaces: ["team"] });
    await bench.run(31_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });
});

describe("a trace that fails", () => {
  it("leaves the intent open and is tried again", async () => {
    const bench = engineBench();
    await bench.run(1_000);
    let creates = 0;
    bench.world.hooks.after = ({ op }) => {
      creates += op === "create" ? 1 : 0;
      return op === "create" ? Promise.reject(apiError(op, { is: "OutcomeUnknown" }, 0)) : Promise.resolve();
    };
    bench.widget("a");
    await bench.run(0);
    const over = refuse(bench, ["list"], { is: "BadResponse" }, 200);
    await bench.run(2 * MINUTE);
    expect(creates).toBe(1);
    expect(bench.cluster.get("Widget", "a").status).not.toHaveProperty("externalId");
    over();
    await bench.run(5 * MINUTE);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(bench.world.remotes.size).toBe(1);
  });
});

describe("a process that does not lead", () => {
  it("changes nothing on the platform, and goes on when it leads", async () => {
    const bench = engineBench();
    bench.leader = false;
    bench.widget("a", { note: "n" });
    await bench.run(MINUTE);
    expect(bench.world.effects).toEqual([]);
    expect(bench.cluster.writes.filter(({ what, key }) => what === "checked" && key.startsWith("Widget"))).toEqual([]);
    bench.leader = true;
    await bench.run(31_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });

  it("loses the lease between the intent of an action and its send: sent once, later", async () => {
    const bench = engineBench();
    bench.widget("a");
    await bench.run(5_000);
    bench.cluster.hooks.after = ({ what }) => {
      bench.leader = what !== "status";
      return Promise.resolve();
    };
    bench.cluster.spec("Widget", "a", { name: "a", commit: "c1" });
    await bench.run(100);
    expect(bench.world.calls.filter(({ op }) => op === "deploy")).toEqual([]);
    expect(bench.cluster.get("Widget", "a").status).toHaveProperty("intent");
    bench.cluster.hooks.after = () => Promise.resolve();
    bench.leader = true;
    await bench.run(31_000);
    expect(bench.world.count("deploy")).toBe(1);
    expect(bench.cluster.get("Widget", "a").status).not.toHaveProperty("intent");
  });
});

describe("an object that is taken over", () => {
  it("gets its finalizer in the same write, where a policy needs it", async () => {
    const bench = engineBench();
    const { id } = bench.world.add("a");
    bench.widget("a", { lifecycle: { deletionPolicy: "Delete" } });
    await bench.run(5_000);
    expect(bench.cluster.get("Widget", "a").metadata.finalizers).toEqual([FINALIZER]);
    expect(bench.cluster.get("Widget", "a").status).toMatchObject({ externalId: id });
    expect(bench.writes("Widget", "a")).toBe(2);
  });

  it("while it goes from Kubernetes is dropped without a word", async () => {
    const bench = engineBench();
    await bench.run(1_000);
    bench.world.hooks.after = ({ op }) => {
      if (op === "create") bench.cluster.remove("Widget", "a");
      return Promise.resolve();
    };
    bench.widget("a");
    await bench.run(5_000);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(bench.mutations.at(-1)).toMatchObject({
      op: "create",
      result: "ok",
      id: [...bench.world.remotes.keys()][0],
    });
    await bench.run(30 * MINUTE);
    expect(bench.internal).toEqual([]);
  });

  it("by name, by two resources at once, belongs to one of them", async () => {
    const bench = engineBench();
    bench.world.add("shared");
    bench.cluster.create("Widget", "first", { name: "shared" });
    bench.cluster.create("Widget", "second", { name: "shared" });
    await bench.run(15 * MINUTE);
    const told = ["first", "second"].map((name) => bench.conditions("Widget", name)[0]);
    expect(new Set(told)).toEqual(new Set(["Ready=False/AlreadyManaged", "Ready=True/Available"]));
    expect(bench.world.remotes.size).toBe(1);
  });
});

describe("the end of the process", () => {
  it("closes every client, also one that was replaced", async () => {
    const bench = engineBench();
    await bench.run(1_000);
    bench.cluster.spec("Link", "default", { surface: "Full" });
    await bench.run(1_000);
    await bench.engine.connections.closeAll();
    expect(bench.world.closed).toBe(2);
  });
});
