import { describe, expect, it } from "vitest";

import { variableSetBench } from "../support/variable-set-bench.ts";

const plain = { name: "MODE", value: "fast" };
const secret = { name: "TOKEN", value: "hunter22", secret: true };

describe.each(["Full", "Documented"] as const)("what a variable set created on the %s surface", (surface) => {
  const bench = variableSetBench(surface);
  const isFull = surface === "Full";
  const web = () => [bench.target("web")];

  it("is removed when it is taken out of the spec, and what others made stays", async () => {
    bench.foreign("MODE");
    const extra = { name: "EXTRA", value: "1" };
    const runner = bench.set({ variables: [plain, secret, extra], overwrite: true });
    await runner.settle();
    const removed = await runner.settle({ spec: { targets: web(), variables: [extra], overwrite: true } });
    expect(removed).toMatchObject({ is: "settled", status: { targets: [{ total: 1 }] } });
    bench.wait(600);
    const [target] = (await runner.run()).status["targets"] as { unprunableKeys?: string[]; variables: object[] }[];
    if (isFull) {
      expect(removed.ops).toEqual(["deleteSecret"]);
      expect(bench.world.values(bench.web)).toEqual({ MODE: "fast", EXTRA: "1" });
      expect(target).not.toHaveProperty("unprunableKeys");
    } else {
      expect(removed.ops).toEqual([]);
      expect(target?.unprunableKeys).toEqual(["TOKEN"]);
      bench.remove("TOKEN");
      const [after] = (await runner.run()).status["targets"] as object[];
      expect(after).not.toHaveProperty("unprunableKeys");
    }
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", wrote: false });
  });

  it("is removed with the set, unless others have replaced it", async () => {
    const targets = [bench.target("web"), bench.target("api")];
    bench.foreign("THEIRS");
    const runner = bench.set({ targets, variables: [plain, secret, { name: "THEIRS", value: "1" }] });
    await runner.settle();
    bench.remove("MODE");
    bench.foreign("MODE");
    const gone = await runner.settle({ goal: "absent" });
    if (isFull) {
      expect(gone).toMatchObject({
        ops: ["deleteSecret", "deleteVariable", "deleteVariable", "deleteSecret"],
        is: "settled",
      });
      expect(bench.world.values(bench.web)).toEqual({ THEIRS: "theirs", MODE: "theirs" });
      expect(bench.world.values(bench.api)).toEqual({});
    } else {
      expect(gone).toMatchObject({
        ops: [],
        is: "stalled",
        why: { reason: "DeleteNotSupported", message: expect.stringContaining("TOKEN of application web") },
      });
      expect(gone.why.message).not.toContain("THEIRS of application web");
    }
  });

  it("is nothing where the set only overwrote", async () => {
    bench.foreign("MODE");
    const runner = bench.set({ variables: [plain], overwrite: true });
    await runner.settle();
    expect(await runner.settle({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
    expect(bench.world.values(bench.web)).toEqual({ MODE: "fast" });
  });

  it("is told from what is inherited, and found in lists that lag behind", async () => {
    const inherited = bench.foreign("MODE", { scope: "PROJECT", parentId: bench.projectId });
    Object.assign(inherited, { bornAt: inherited.bornAt - 60_000, updatedAt: "2026-01-01T00:00:00.000Z" });
    const runner = bench.set({ variables: [plain], overwrite: true });
    bench.world.change({ listLagSeconds: 5 });
    await runner.settle();
    bench.world.change({ listLagSeconds: 0 });
    bench.wait(30);
    const found = await runner.run();
    const known = { key: "MODE", id: bench.variable("MODE")?.id, created: true };
    expect(found).toMatchObject({ ops: [], is: "settled", status: { targets: [{ variables: [known] }] } });
    const gone = await runner.settle({ goal: "absent" });
    expect(gone.ops).toEqual(isFull ? ["deleteVariable"] : []);
    expect(bench.world.simulator.world().variables.has(inherited.id)).toBe(true);
    bench.world.simulator.world().variables.delete(inherited.id);
  });

  it("is imported again when others removed it, and once more its own", async () => {
    const runner = bench.set({ variables: [plain, secret] });
    await runner.settle();
    for (const key of ["MODE", "TOKEN"]) bench.remove(key);
    bench.wait(60);
    const told = await runner.run({ policies: { withheld: new Set(["importVariables"]) } });
    const path = (name: string) => `spec.targets[web].variables[${name}]`;
    const drift = ["MODE", "TOKEN"].map((name) => ({ path: path(name), desired: "as imported", observed: "missing" }));
    expect(told).toMatchObject({ ops: [], is: "settled", report: { drift } });
    const restored = await runner.settle();
    expect(restored).toMatchObject({ is: "settled", report: { drift: [] } });
    expect(bench.world.values(bench.web)).toEqual({ MODE: "fast", TOKEN: "hunter22" });
    expect((await runner.settle({ goal: "absent" })).ops).toHaveLength(isFull ? 2 : 0);
  });

  it("is restored when others changed it, or that is told", async () => {
    const runner = bench.set({ variables: [plain, secret] });
    await runner.settle();
    bench.change("MODE", "theirs");
    const restored = await runner.settle();
    expect(restored).toMatchObject({ ops: ["importVariables"], is: "settled", report: { drift: [] } });
    expect(bench.world.values(bench.web)).toEqual({ MODE: "fast", TOKEN: "hunter22" });
    bench.change("TOKEN", "theirs");
    const changed = await runner.settle();
    if (isFull) {
      expect(changed).toMatchObject({ ops: ["updateSecret"], is: "settled", report: { drift: [] } });
    } else {
      expect(changed).toMatchObject({
        ops: [],
        is: "stalled",
        why: { reason: "UpdateNotSupported" },
        report: { drift: [{ path: "spec.targets[web].variables[TOKEN]", observed: "changed by others" }] },
      });
    }
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("changes its visibility where that is possible", async () => {
    const runner = bench.set({ variables: [plain, secret] });
    await runner.settle();
    const hidden = await runner.settle({ spec: { targets: web(), variables: [{ ...plain, secret: true }, secret] } });
    expect(hidden).toMatchObject({ ops: ["importVariables"], is: "settled" });
    expect(bench.variable("MODE")).toMatchObject({ secret: true });
    const shown = await runner.settle({
      spec: {
        targets: web(),
        variables: [
          { ...plain, secret: true },
          { ...secret, secret: false },
        ],
      },
    });
    if (isFull) expect(shown).toMatchObject({ ops: ["deleteSecret", "importVariables"], is: "settled" });
    else expect(shown).toMatchObject({ ops: ["importVariables"], is: "stalled", why: { reason: "VariablesPending" } });
    expect(bench.variable("TOKEN")).toMatchObject({ secret: !isFull });
    expect((await runner.settle({ goal: "absent" })).ops).toHaveLength(isFull ? 2 : 0);
  });

  it("is removed from an application that is taken out of the spec", async () => {
    const targets = [bench.target("web"), bench.target("api")];
    const runner = bench.set({ targets, variables: [plain] });
    await runner.settle();
    const gone = await runner.settle({ spec: { targets: web(), variables: [plain] } });
    expect(gone).toMatchObject({ ops: isFull ? ["deleteVariable"] : [], is: "settled" });
    const shown = [{ applicationId: bench.web }, { applicationId: bench.api, unprunableKeys: ["MODE"] }];
    expect(gone.status).toMatchObject({ targetsSynced: "1/1", targets: isFull ? shown.slice(0, 1) : shown });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });
});
