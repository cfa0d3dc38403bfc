import { describe, expect, it } from "vitest";

import { engineBench, INSTALLATION } from "../../../test/support/engine/env.ts";
import { uuid } from "../../../test/support/engine/fake-platform.ts";
import { EXTERNAL_ID, FINALIZER, INSTALLATION as INSTALLATION_KEY, RESOLVE } from "../../api/names.ts";
import { entryOf } from "../contract/types.ts";

const POLL = 11 * 60_000;

describe("an id that the user gives", () => {
  it("is recorded once the kind has taken the object over", async () => {
    const bench = engineBench();
    const { id } = bench.world.add("theirs", { note: "old" });
    bench.widget("a", { externalId: id, note: "new" });
    await bench.run(5_000);
    expect(bench.cluster.get("Widget", "a").status).toMatchObject({ externalId: id });
    expect(bench.world.remotes.get(id)?.note).toBe("new");
    expect(bench.world.count("create")).toBe(0);
  });

  it("is never recorded while the kind refuses it, however often it looks", async () => {
    const bench = engineBench();
    bench.world.surface = "Documented";
    const { id } = bench.world.add("victim");
    bench.widget("thief", { externalId: id, note: "mine now", commit: "evil" });
    for (let polls = 0; polls < 3; polls += 1) {
      await bench.run(POLL);
      expect(bench.conditions("Widget", "thief")).toContain("Stalled=True/NotObservable");
      expect(bench.cluster.get("Widget", "thief").status).not.toHaveProperty("externalId");
    }
    expect(bench.world.effects).toEqual([]);
  });

  it("speaks for no entry of the object while the kind refuses it", async () => {
    const bench = engineBench();
    bench.world.surface = "Documented";
    const { id } = bench.world.add("victim");
    bench.widget("thief", { externalId: id, entry: "KEY" });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "thief")).toContain("Stalled=True/NotObservable");
    bench.widget("owner", { into: entryOf(id, "KEY") });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "owner")).toContain("Ready=True/Available");
  });

  it("is refused when it differs from the recorded one", async () => {
    const bench = engineBench();
    bench.widget("a");
    await bench.run(5_000);
    const other = bench.world.add("other");
    bench.cluster.spec("Widget", "a", { name: "a", externalId: other.id, note: "x" });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/InvalidSpec");
    expect(bench.world.count("update")).toBe(0);
  });

  it("of an object that was never taken over deletes nothing", async () => {
    const bench = engineBench();
    const { id } = bench.world.add("victim");
    bench.cluster.annotate("Link", "default", { "platform-operator.io/paused": "true" });
    bench.widget(
      "thief",
      { externalId: id, explode: "plan", lifecycle: { deletionPolicy: "Delete" } },
      { finalizers: [FINALIZER] },
    );
    await bench.run(1_000);
    bench.cluster.annotate("Link", "default", { "platform-operator.io/paused": null });
    bench.cluster.remove("Widget", "thief");
    await bench.run(POLL);
    expect(bench.cluster.find("Widget", "thief")).toBeUndefined();
    expect(bench.world.effects).toEqual([]);
    expect(bench.world.remotes.has(id)).toBe(true);
    expect(bench.events.some(({ reason, type }) => reason === "Orphaned" && type === "Warning")).toBe(true);
  });
});

describe("an object of the same name", () => {
  it.each([
    ["under a connection of the namespace is taken over", {}, "Ready=True/Available"],
    [
      "under a parent that nobody manages here is not",
      { parentRef: { externalId: uuid(9) } },
      "Stalled=True/NameConflict",
    ],
    ["is not where the user forbids it", { lifecycle: { adoptionPolicy: "Never" } }, "Stalled=True/NameConflict"],
  ])("%s", async (_, spec, told) => {
    const bench = engineBench();
    bench.world.add("a");
    bench.widget("a", spec);
    await bench.run(5_000);
    expect(bench.conditions("Widget", "a")).toContain(told);
    expect(bench.world.count("create")).toBe(0);
  });
});

describe("[R1] a lost status", () => {
  it("is found again by the annotation, without a new object or deployment of an adopted one", async () => {
    const bench = engineBench();
    bench.widget("a");
    await bench.run(5_000);
    const [id] = bench.world.remotes.keys();
    bench.cluster.status("Widget", "a", undefined);
    await bench.run(5_000);
    expect(bench.world.count("create")).toBe(0 + 1);
    expect(bench.cluster.get("Widget", "a").status).toMatchObject({ externalId: id });
  });

  it("with an annotation of an object that another resource holds stalls", async () => {
    const bench = engineBench();
    bench.widget("first");
    await bench.run(5_000);
    const [id = ""] = bench.world.remotes.keys();
    bench.widget("copy", {}, { annotations: { [EXTERNAL_ID]: id, [INSTALLATION_KEY]: INSTALLATION } });
    await bench.run(POLL);
    expect(bench.conditions("Widget", "copy")).toContain("Stalled=True/AlreadyManaged");
    expect(bench.cluster.get("Widget", "copy").status).not.toHaveProperty("externalId");
    expect(bench.conditions("Widget", "first")).toContain("Ready=True/Available");
  });

  it("with an annotation that leads to another name stalls and is never recorded", async () => {
    const bench = engineBench();
    const { id } = bench.world.add("somebody");
    bench.widget("a", { note: "x" }, { annotations: { [EXTERNAL_ID]: id } });
    await bench.run(2 * POLL);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/NameConflict");
    expect(bench.world.effects).toEqual([]);
  });
});

describe("[R1] another installation's records", () => {
  it("are observed by nobody until the user says so", async () => {
    const bench = engineBench();
    bench.widget("a", { note: "x" });
    await bench.run(5_000);
    const [id = ""] = bench.world.remotes.keys();
    bench.world.change(id, { note: "theirs" });
    bench.installation = "installation-2";
    bench.restart();
    const effects = bench.world.effects.length;
    await bench.run(POLL);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/ForeignLedger");
    expect(bench.world.effects.length).toBe(effects);
    bench.cluster.annotate("Widget", "a", { [RESOLVE]: "adopt" });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    await bench.run(POLL);
    const { metadata, status } = bench.cluster.get("Widget", "a");
    expect(status).toMatchObject({ identity: { installation: "installation-2" } });
    expect(metadata.annotations?.[INSTALLATION_KEY]).toBe("installation-2");
    expect(metadata.annotations).not.toHaveProperty([RESOLVE]);
  });

  it("can be taken over as a whole by a word on the connection", async () => {
    const bench = engineBench();
    bench.widget("a");
    await bench.run(5_000);
    bench.installation = "installation-2";
    bench.cluster.annotate("Link", "default", { [RESOLVE]: "adopt" });
    bench.restart();
    await bench.run(POLL);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(bench.cluster.get("Widget", "a").status).toMatchObject({ identity: { installation: "installation-2" } });
  });

  it("include an intent that was copied before anything was recorded", async () => {
    const bench = engineBench();
    const intent = { v: 1, uid: "old", installation: "installation-0", attempt: "1-a", op: "create", creates: true };
    bench.widget(
      "a",
      {},
      {
        annotations: {
          "platform-operator.io/intent": JSON.stringify({ ...intent, generation: 1, name: "a", mark: null }),
        },
      },
    );
    await bench.run(POLL);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/ForeignLedger");
    expect(bench.world.effects).toEqual([]);
  });
});

describe("[R1] a place that changed", () => {
  it("of the connection stalls the dependents and writes nothing to the platform", async () => {
    const bench = engineBench();
    bench.widget("a", { note: "x" });
    await bench.run(5_000);
    bench.cluster.spec("Link", "default", { baseUrl: "https://elsewhere.example" });
    bench.cluster.spec("Widget", "a", { name: "a", note: "y" });
    const effects = bench.world.effects.length;
    await bench.run(60_000);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/ConnectionChanged");
    expect(bench.world.effects.length).toBe(effects);
    bench.cluster.spec("Link", "default", {});
    await bench.run(POLL);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(bench.world.remotes.size).toBe(1);
  });

  it("of the parent stalls", async () => {
    const bench = engineBench();
    bench.widget("a", { parentRef: { externalId: uuid(801) } });
    await bench.run(5_000);
    bench.cluster.spec("Widget", "a", { name: "a", note: "y", parentRef: { externalId: uuid(802) } });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/ParentChanged");
    expect(bench.world.count("update")).toBe(0);
  });
});
