import { describe, expect, it } from "vitest";

import { engineBench, type Bench } from "../../../test/support/engine/env.ts";
import { FINALIZER } from "../../api/names.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { member } from "../../kube/api/json.ts";
import { conditionOf } from "../contract/status.ts";

const MINUTE = 60_000;
const DELETE = { lifecycle: { deletionPolicy: "Delete" } };

async function bare(surface: "Documented" | "Full"): Promise<Bench> {
  const bench = engineBench();
  bench.world.surface = surface;
  await bench.run(1_000);
  return bench;
}

/** A platform that deletes nothing, and a widget there. */
async function documented(spec: Parameters<Bench["widget"]>[1] = DELETE): Promise<Bench> {
  const bench = await bare("Documented");
  await applied(bench, spec);
  return bench;
}

async function applied(bench: Bench, spec: Parameters<Bench["widget"]>[1] = DELETE): Promise<void> {
  bench.widget("a", spec);
  await bench.run(10_000);
}

async function removed(bench: Bench): Promise<void> {
  bench.cluster.remove("Widget", "a");
  await bench.run(10_000);
  expect(bench.cluster.find("Widget", "a")).toBeUndefined();
}

const effects = (bench: Bench): readonly string[] => bench.world.effects.map(({ op }) => op);
const told = (bench: Bench): readonly string[] => bench.orphans.map(({ is, orphan }) => `${is} ${orphan.why}`);
const idOf = (bench: Bench): unknown => member(bench.cluster.get("Widget", "a").status, "externalId");
const ready = (bench: Bench): string => {
  const found = conditionOf(bench.cluster.get("Widget", "a"), "Ready");
  return `${found?.status ?? ""} ${found?.reason ?? ""}`;
};
const messageOf = (bench: Bench): string => conditionOf(bench.cluster.get("Widget", "a"), "Ready")?.message ?? "";

describe("[S4] what stays on the platform when its resource goes", () => {
  it("is recorded before the finalizer goes, where the platform deletes nothing", async () => {
    const bench = await documented();
    const [remote] = bench.world.remotes.values();
    let held: readonly string[] | undefined;
    bench.shards.before = () => {
      held = bench.cluster.get("Widget", "a").metadata.finalizers;
      return Promise.resolve();
    };
    await removed(bench);
    expect(held).toEqual([FINALIZER]);
    expect(told(bench)).toEqual(["recorded DeleteNotSupported"]);
    expect(bench.orphans[0]?.orphan).toMatchObject({
      id: remote?.id,
      installation: "installation-1",
      host: "platform.example",
      organizationId: "org-1",
      kind: "Widget",
      namespace: "team",
      namespaceUid: "ns",
      name: "a",
      externalName: "a",
      at: expect.stringMatching(/Z$/),
      signature: expect.stringMatching(/^[\w-]{22}$/),
    });
    expect(bench.events.map(({ reason }) => reason)).toContain("Orphaned");
  });

  it.each<[policy: string, spec: Parameters<Bench["widget"]>[1], surface: "Documented" | "Full", expected: string[]]>([
    ["Retain", {}, "Full", ["recorded Retain"]],
    ["Stop", { lifecycle: { deletionPolicy: "Stop" } }, "Full", ["recorded Stop"]],
    ["Delete, where it is deleted", DELETE, "Full", []],
    ["Retain, where it was only observed", { lifecycle: { managementPolicy: "ObserveOnly" } }, "Full", []],
  ])("is recorded under %s as it should be", async (_, spec, surface, expected) => {
    const bench = await bare(surface);
    await applied(bench, spec);
    await removed(bench);
    expect(told(bench)).toEqual(expected);
  });

  it("is recorded when its connection is lost for good", async () => {
    const bench = await documented();
    bench.cluster.remove("Link", "default");
    bench.restart();
    bench.cluster.remove("Widget", "a");
    await bench.run(20 * MINUTE);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(told(bench)).toEqual(["recorded ConnectionNotReady"]);
    expect(bench.orphans[0]?.orphan.signature).toBe("");
  });

  it("holds the resource while it cannot be recorded, and not for good", async () => {
    const bench = await documented();
    bench.shards.before = () => Promise.reject(new KubeError("Forbidden", 403, "PATCH configmaps: 403"));
    bench.cluster.remove("Widget", "a");
    await bench.run(MINUTE);
    expect(bench.cluster.get("Widget", "a").metadata.finalizers).toEqual([FINALIZER]);
    expect(ready(bench)).toBe("False PermissionDenied");
    expect(messageOf(bench)).toContain("orphan ledger");
    await bench.run(bench.windows.releaseMs);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(bench.events.map(({ reason }) => reason)).toContain("OrphanNotRecorded");
  });

  it("goes on once it can be recorded", async () => {
    const bench = await documented();
    bench.shards.before = () => Promise.reject(new KubeError("Server", 500, "PATCH configmaps: 500"));
    bench.cluster.remove("Widget", "a");
    await bench.run(10_000);
    expect(bench.cluster.find("Widget", "a")).toBeDefined();
    bench.shards.before = () => Promise.resolve();
    await bench.run(MINUTE);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(told(bench)).toEqual(["recorded DeleteNotSupported"]);
    expect(bench.events.map(({ reason }) => reason)).not.toContain("OrphanNotRecorded");
  });

  it("is recorded once when the operator is killed before the finalizer goes", async () => {
    const bench = await documented();
    bench.cluster.hooks.before = ({ body }) => {
      if (!("finalizers" in body)) return Promise.resolve();
      bench.kill();
      return new Promise<never>(() => {});
    };
    bench.cluster.remove("Widget", "a");
    await bench.run(5_000);
    expect(bench.shards.all()).toHaveLength(1);
    bench.cluster.hooks.before = () => Promise.resolve();
    bench.restart();
    await bench.run(10_000);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
    expect(bench.shards.all()).toHaveLength(1);
  });
});

describe("a resource that is created again under the same key", () => {
  it("adopts its object without a create, and knows what was done to it", async () => {
    const bench = await documented({ ...DELETE, commit: "one" });
    const [remote] = bench.world.remotes.values();
    await removed(bench);
    await applied(bench, { ...DELETE, commit: "one" });
    expect(ready(bench)).toBe("True Available");
    expect(idOf(bench)).toBe(remote?.id);
    expect(effects(bench)).toEqual(["create", "deploy"]);
    expect(told(bench)).toEqual(["recorded DeleteNotSupported", "found DeleteNotSupported"]);
    expect(bench.shards.all()).toEqual([]);
    expect(bench.events.map(({ reason }) => reason)).toContain("Adopted");
    expect(bench.cluster.get("Widget", "a").metadata.finalizers).toEqual([FINALIZER]);
  });

  it("deploys the commit that its spec has now", async () => {
    const bench = await documented({ ...DELETE, commit: "one" });
    await removed(bench);
    await applied(bench, { ...DELETE, commit: "two" });
    expect(effects(bench)).toEqual(["create", "deploy", "deploy"]);
    expect([...bench.world.remotes.values()].map(({ commit }) => commit)).toEqual(["two"]);
  });

  it("is the same object after fifty times, under Retain as under Delete", async () => {
    const bench = await bare("Documented");
    for (let life = 0; life < 50; life += 1) {
      const spec = life % 2 === 0 ? DELETE : {};
      await applied(bench, spec);
      expect(ready(bench)).toBe("True Available");
      await removed(bench);
    }
    expect(effects(bench)).toEqual(["create"]);
    expect(bench.shards.all()).toHaveLength(1);
  });

  it("is found although it comes in the moment in which the first one goes", async () => {
    const bench = await documented({});
    bench.cluster.remove("Widget", "a");
    await applied(bench, {});
    expect(effects(bench)).toEqual(["create"]);
    expect(ready(bench)).toBe("True Available");
  });

  it.each<[what: string, before: (bench: Bench) => void, spec: Parameters<Bench["widget"]>[1], creates: number]>([
    ["has another name on the platform", () => {}, { ...DELETE, name: "b" }, 2],
    ["adopts nothing", () => {}, { lifecycle: { deletionPolicy: "Delete", adoptionPolicy: "Never" } }, 2],
    [
      "is in another namespace of that name, with the same token",
      (bench) => {
        bench.namespaceUid = "another";
      },
      DELETE,
      1,
    ],
    [
      "is in another namespace of that name, with another token",
      (bench) => {
        bench.namespaceUid = "another";
        bench.cluster.secret("token", { token: "token-2" });
      },
      DELETE,
      2,
    ],
    [
      "is of another installation",
      (bench) => {
        bench.installation = "installation-2";
        bench.cluster.annotate("Link", "default", { "platform-operator.io/resolve": "adopt" });
      },
      DELETE,
      2,
    ],
  ])("that %s", async (_, before, spec, creates) => {
    const bench = await documented();
    await removed(bench);
    before(bench);
    bench.restart();
    await bench.run(MINUTE);
    await applied(bench, spec);
    expect(effects(bench).filter((op) => op === "create")).toHaveLength(creates);
  });

  it("in its own namespace with another token is a claim that the connection's rules decide on", async () => {
    const bench = await documented();
    await removed(bench);
    bench.cluster.secret("token", { token: "token-2" });
    bench.restart();
    await bench.run(MINUTE);
    await applied(bench);
    expect(ready(bench)).toBe("False NotObservable");
    expect(messageOf(bench)).toContain("kubectl platform orphans forget");
    expect(effects(bench)).toEqual(["create"]);
    bench.cluster.spec("Link", "default", { surface: "Documented", allowUnverifiedIds: true });
    await bench.run(20 * MINUTE);
    expect(ready(bench)).toBe("True Available");
    expect(effects(bench)).toEqual(["create"]);
  });

  it("stalls where the platform contradicts the entry, until that is forgotten", async () => {
    const bench = await bare("Full");
    await applied(bench, {});
    const [remote] = bench.world.remotes.values();
    await removed(bench);
    bench.world.remotes.clear();
    await applied(bench, {});
    expect(ready(bench)).toBe("False ExternalResourceDeleted");
    expect(messageOf(bench)).toContain(`kubectl platform orphans forget ${remote?.id ?? ""}`);
    const writes = bench.writes("Widget", "a");
    await bench.run(60 * MINUTE);
    expect(effects(bench)).toEqual(["create"]);
    expect(bench.writes("Widget", "a")).toBe(writes);
    bench.shards.edit(remote?.id ?? "");
    await bench.run(20 * MINUTE);
    expect(effects(bench)).toEqual(["create", "create"]);
    expect(ready(bench)).toBe("True Available");
    expect(told(bench)).toEqual(["recorded Retain", "forgotten Retain"]);
  });

  it("does not take what another resource holds by now", async () => {
    const bench = await documented({});
    const [remote] = bench.world.remotes.values();
    await removed(bench);
    bench.cluster.spec("Link", "default", { surface: "Documented", allowUnverifiedIds: true });
    await bench.run(MINUTE);
    bench.widget("b", { externalId: remote?.id ?? "" });
    bench.widget("a", {});
    await bench.run(MINUTE);
    const holders = ["a", "b"].filter((name) =>
      JSON.stringify(bench.cluster.get("Widget", name).status).includes(remote?.id ?? "-"),
    );
    expect(holders).toHaveLength(1);
    expect(bench.shards.all()).toEqual([]);
  });

  it.each(["before", "after"] as const)(
    "knows what was done to its object when the operator is killed %s each write of the adoption",
    async (moment) => {
      for (let position = 1; position <= 4; position += 1) {
        const bench = await documented({ ...DELETE, commit: "one" });
        await removed(bench);
        let writes = 0;
        const die = (): Promise<void> => {
          writes += 1;
          if (writes !== position) return Promise.resolve();
          bench.kill();
          return new Promise<never>(() => {});
        };
        bench.cluster.hooks[moment] = die;
        await applied(bench, { ...DELETE, commit: "one" });
        bench.cluster.hooks[moment] = () => Promise.resolve();
        bench.restart();
        await bench.run(2 * MINUTE);
        expect(effects(bench)).toEqual(["create", "deploy"]);
        expect(ready(bench)).toBe("True Available");
        expect(bench.shards.all()).toEqual([]);
      }
    },
  );
});
