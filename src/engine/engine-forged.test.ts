/** Annotations that anyone who may edit an object can write have no effect that the spec could not have. */
import { describe, expect, it } from "vitest";

import { applied, effects, type Env, INSTALLATION, ready, status } from "../../test/support/engine/env.ts";
import { uuid } from "../../test/support/engine/fake-platform.ts";
import { MINUTE } from "../../test/support/platform/durations.ts";
import { EXTERNAL_ID, INSTALLATION as INSTALLATION_KEY, INTENT, RESOLVE } from "../api/names.ts";

/** An environment with a resource that waited while this intent was written into its annotations. */
async function forging(intentOf: (uid: string) => string): Promise<Env> {
  const env = await applied({ commit: "evil", secret: { name: "values", key: "key" } });
  env.cluster.annotate("Widget", "a", { [INTENT]: intentOf(env.cluster.get("Widget", "a").metadata.uid) });
  env.cluster.secret("values", { key: "value" });
  return env;
}

/** The intent of a create of "victim", with changes. */
const intentWith = (change: object) => (uid: string) => {
  const by = { uid, resource: "Widget/team/a", installation: INSTALLATION };
  const intent = { v: 1, ...by, attempt: "x", op: "create", creates: true, generation: 1 };
  return JSON.stringify({ ...intent, name: "victim", mark: null, ...change });
};

describe("[E11] a forged intent", () => {
  it.each<[string, object, string]>([
    ["under another parent", { parentId: uuid(77) }, "Stalled=True/ParentChanged"],
    ["of an action on another object", { creates: false, op: "deploy", id: uuid(77) }, "Stalled=True/UnreadableLedger"],
    ["of a later version", { v: 2 }, "Stalled=True/UnreadableLedger"],
    ["of another shape", { generation: "1" }, "Stalled=True/UnreadableLedger"],
    ["with a path for an id", { parentId: "../../project" }, "Stalled=True/UnreadableLedger"],
    ["of another installation", { installation: "elsewhere" }, "Stalled=True/ForeignLedger"],
  ])("%s is reported, and changes nothing; once it is removed, the object recovers", async (_what, change, told) => {
    const env = await forging(intentWith(change));
    const { id } = env.world.add("victim");
    const { [INTENT]: forged } = env.cluster.get("Widget", "a").metadata.annotations ?? {};
    await env.run(30 * MINUTE);
    expect(env.conditions("Widget", "a")).toContain(told);
    expect(env.world.effects).toEqual([]);
    expect(status(env, "externalId")).toBeUndefined();
    expect(env.cluster.get("Widget", "a").metadata.annotations).toMatchObject({ [INTENT]: forged });
    env.cluster.annotate("Widget", "a", { [INTENT]: "" });
    await env.run(5 * MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.remotes.get(id)?.note ?? "").toBe("");
    expect(env.world.count("create")).toBe(1);
  });

  it.each<[string, string]>([
    ["deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["deep in its mark", `{"v":1,"mark":${"[".repeat(50_000)}${"]".repeat(50_000)}}`],
    ["huge", JSON.stringify({ v: 1, op: "x".repeat(200_000) })],
    ["poisoned", '{"__proto__":{"v":1,"polluted":true},"constructor":{"prototype":{"polluted":true}}}'],
    ["no JSON", "{{{"],
  ])("that is %s affects only its own object", async (_what, raw) => {
    const env = await forging(() => raw);
    env.widget("good");
    await env.run(MINUTE);
    expect(env.conditions("Widget", "good")).toContain("Ready=True/Available");
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/UnreadableLedger");
    expect(env.internal).toEqual([]);
    expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
  });

  it("with texts of any length is reported within the bounds of a status", async () => {
    const env = await forging(intentWith({ name: "\u202E\n".repeat(50_000) }));
    await env.run(5_000);
    expect(JSON.stringify(env.cluster.get("Widget", "a").status).length).toBeLessThan(20_000);
  });
});

describe("[E11] another resource's annotations", () => {
  it("that are copied report who holds the object, and change nothing", async () => {
    const env = await applied({ note: "ours" });
    const annotations = env.cluster.get("Widget", "a").metadata.annotations ?? {};
    expect(Object.keys(annotations)).toContain(EXTERNAL_ID);
    env.widget("copy", { name: "a", note: "mine now" }, { annotations, uid: uuid(99) });
    await env.run(5 * MINUTE);
    expect(env.conditions("Widget", "copy")).toContain("Stalled=True/AlreadyManaged");
    expect(env.cluster.get("Widget", "copy").status).not.toHaveProperty("externalId");
    expect(ready(env)).toBe("Ready=True/Available");
    expect(effects(env)).toEqual(["create"]);
  });

  it.each([{ [INSTALLATION_KEY]: "elsewhere" }, { [RESOLVE]: "recreate:1-a" }, { [RESOLVE]: "adopt:elsewhere" }])(
    "do nothing twice on what is recorded: %j",
    async (annotations) => {
      const env = await applied({ commit: "1" });
      env.cluster.annotate("Widget", "a", annotations);
      await env.run(30 * MINUTE);
      env.restart();
      await env.run(30 * MINUTE);
      expect(effects(env)).toEqual(["create", "deploy"]);
    },
  );
});
