/** What whoever may edit an object can write into its annotations leads to nothing that the spec does not. */
import { describe, expect, it } from "vitest";

import { engineBench, INSTALLATION, type Bench } from "../../../test/support/engine/env.ts";
import { uuid } from "../../../test/support/engine/fake-platform.ts";
import { EXTERNAL_ID, INSTALLATION as INSTALLATION_KEY, INTENT, RESOLVE } from "../../api/names.ts";

const MINUTE = 60_000;

function forged(bench: Bench, name: string, change: object): string {
  const { uid } = bench.cluster.get("Widget", name).metadata;
  const intent = { v: 1, uid, installation: INSTALLATION, attempt: "x", op: "create", creates: true, generation: 1 };
  return JSON.stringify({ ...intent, name: "victim", mark: null, ...change });
}

/** A resource that cannot go on yet, so that its annotations can be forged before anything is recorded. */
function waiting(bench: Bench, name: string): void {
  bench.widget(name, { commit: "evil", secret: { name: "values", key: "key" } });
}

describe("[E11] a forged intent", () => {
  it.each<[string, object, string]>([
    ["under another parent", { parentId: uuid(77) }, "Stalled=True/ParentChanged"],
    ["of an action on another object", { creates: false, op: "deploy", id: uuid(77) }, "Stalled=True/ForeignLedger"],
    ["of a later version", { v: 2 }, "Stalled=True/ForeignLedger"],
    ["of another shape", { generation: "1" }, "Stalled=True/ForeignLedger"],
    ["with a path for an id", { parentId: "../../project" }, "Stalled=True/ForeignLedger"],
    ["of another installation", { installation: "elsewhere" }, "Stalled=True/ForeignLedger"],
  ])("%s is told, and changes nothing; taken away, the object goes on", async (_what, change, told) => {
    const bench = engineBench();
    const { id } = bench.world.add("victim");
    waiting(bench, "forger");
    await bench.run(5_000);
    bench.cluster.annotate("Widget", "forger", { [INTENT]: forged(bench, "forger", change) });
    bench.cluster.secret("values", { key: "value" });
    await bench.run(5 * MINUTE);
    expect(bench.conditions("Widget", "forger")).toContain(told);
    expect(bench.world.effects).toEqual([]);
    expect(bench.cluster.get("Widget", "forger").status).not.toHaveProperty("externalId");
    bench.cluster.annotate("Widget", "forger", { [INTENT]: "" });
    await bench.run(5 * MINUTE);
    expect(bench.conditions("Widget", "forger")).toContain("Ready=True/Available");
    expect(bench.world.remotes.get(id)?.note ?? "").toBe("");
    expect(bench.world.count("create")).toBe(1);
  });

  it.each<[string, string]>([
    ["deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["deep in its mark", `{"v":1,"mark":${"[".repeat(50_000)}${"]".repeat(50_000)}}`],
    ["huge", JSON.stringify({ v: 1, op: "x".repeat(200_000) })],
    ["poisoned", '{"__proto__":{"v":1,"polluted":true},"constructor":{"prototype":{"polluted":true}}}'],
    ["no JSON", "{{{"],
  ])("that is %s holds up nobody but its own object", async (_what, raw) => {
    const bench = engineBench();
    waiting(bench, "forger");
    await bench.run(5_000);
    bench.cluster.annotate("Widget", "forger", { [INTENT]: raw });
    bench.cluster.secret("values", { key: "value" });
    bench.widget("good");
    await bench.run(MINUTE);
    expect(bench.conditions("Widget", "good")).toContain("Ready=True/Available");
    expect(bench.conditions("Widget", "forger")).toContain("Stalled=True/ForeignLedger");
    expect(bench.internal).toEqual([]);
    expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
  });

  it("with words of any length is told within the bounds of a status", async () => {
    const bench = engineBench();
    waiting(bench, "forger");
    await bench.run(5_000);
    const name = "\u202E\n".repeat(50_000);
    bench.cluster.annotate("Widget", "forger", { [INTENT]: forged(bench, "forger", { name }) });
    bench.cluster.secret("values", { key: "value" });
    await bench.run(5_000);
    const { status } = bench.cluster.get("Widget", "forger");
    expect(JSON.stringify(status).length).toBeLessThan(20_000);
  });
});

describe("[E11] another resource's annotations", () => {
  it("that are copied say who holds the object, and change nothing", async () => {
    const bench = engineBench();
    bench.widget("real", { note: "ours" });
    await bench.run(5_000);
    const annotations = bench.cluster.get("Widget", "real").metadata.annotations ?? {};
    expect(Object.keys(annotations)).toContain(EXTERNAL_ID);
    const effects = bench.world.effects.length;
    bench.widget("copy", { name: "real", note: "mine now" }, { annotations, uid: uuid(99) });
    await bench.run(5 * MINUTE);
    expect(bench.conditions("Widget", "copy")).toContain("Stalled=True/AlreadyManaged");
    expect(bench.world.effects).toHaveLength(effects);
  });

  it.each([{ [INSTALLATION_KEY]: "elsewhere" }, { [RESOLVE]: "recreate" }, { [RESOLVE]: "adopt" }])(
    "do nothing twice on what is recorded: %j",
    async (annotations) => {
      const bench = engineBench();
      bench.widget("a", { commit: "1" });
      await bench.run(5_000);
      const effects = bench.world.effects.length;
      bench.cluster.annotate("Widget", "a", annotations);
      await bench.run(30 * MINUTE);
      bench.restart();
      await bench.run(30 * MINUTE);
      expect(bench.world.effects).toHaveLength(effects);
    },
  );
});
