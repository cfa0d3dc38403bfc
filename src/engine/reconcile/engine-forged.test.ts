/** Annotations that anyone who may edit an object can write have no effect that the spec could not have. */
import { describe, expect, it } from "vitest";

import { engineEnv, INSTALLATION, type Env } from "../../../test/support/engine/env.ts";
import { uuid } from "../../../test/support/engine/fake-platform.ts";
import { EXTERNAL_ID, INSTALLATION as INSTALLATION_KEY, INTENT, RESOLVE } from "../../api/names.ts";

const MINUTE = 60_000;

function forged(env: Env, name: string, change: object): string {
  const { uid } = env.cluster.get("Widget", name).metadata;
  const intent = { v: 1, uid, installation: INSTALLATION, attempt: "x", op: "create", creates: true, generation: 1 };
  return JSON.stringify({ ...intent, name: "victim", mark: null, ...change });
}

/** A resource that waits, so that its annotations can be forged before anything is recorded. */
function waiting(env: Env, name: string): void {
  env.widget(name, { commit: "evil", secret: { name: "values", key: "key" } });
}

describe("[E11] a forged intent", () => {
  it.each<[string, object, string]>([
    ["under another parent", { parentId: uuid(77) }, "Stalled=True/ParentChanged"],
    ["of an action on another object", { creates: false, op: "deploy", id: uuid(77) }, "Stalled=True/UnreadableLedger"],
    ["of a later version", { v: 2 }, "Stalled=True/UnreadableLedger"],
    ["of another shape", { generation: "1" }, "Stalled=True/UnreadableLedger"],
    ["with a path for an id", { parentId: "../../project" }, "Stalled=True/UnreadableLedger"],
    ["of another installation", { installation: "elsewhere" }, "Stalled=True/ForeignLedger"],
  ])("%s is reported, and changes nothing; once it is removed, the object recovers", async (_what, change, told) => {
    const env = engineEnv();
    const { id } = env.world.add("victim");
    waiting(env, "forger");
    await env.run(5_000);
    env.cluster.annotate("Widget", "forger", { [INTENT]: forged(env, "forger", change) });
    env.cluster.secret("values", { key: "value" });
    await env.run(5 * MINUTE);
    expect(env.conditions("Widget", "forger")).toContain(told);
    expect(env.world.effects).toEqual([]);
    expect(env.cluster.get("Widget", "forger").status).not.toHaveProperty("externalId");
    env.cluster.annotate("Widget", "forger", { [INTENT]: "" });
    await env.run(5 * MINUTE);
    expect(env.conditions("Widget", "forger")).toContain("Ready=True/Available");
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
    const env = engineEnv();
    waiting(env, "forger");
    await env.run(5_000);
    env.cluster.annotate("Widget", "forger", { [INTENT]: raw });
    env.cluster.secret("values", { key: "value" });
    env.widget("good");
    await env.run(MINUTE);
    expect(env.conditions("Widget", "good")).toContain("Ready=True/Available");
    expect(env.conditions("Widget", "forger")).toContain("Stalled=True/UnreadableLedger");
    expect(env.internal).toEqual([]);
    expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
  });

  it("with texts of any length is reported within the bounds of a status", async () => {
    const env = engineEnv();
    waiting(env, "forger");
    await env.run(5_000);
    const name = "\u202E\n".repeat(50_000);
    env.cluster.annotate("Widget", "forger", { [INTENT]: forged(env, "forger", { name }) });
    env.cluster.secret("values", { key: "value" });
    await env.run(5_000);
    const { status } = env.cluster.get("Widget", "forger");
    expect(JSON.stringify(status).length).toBeLessThan(20_000);
  });
});

describe("[E11] another resource's annotations", () => {
  it("that are copied report who holds the object, and change nothing", async () => {
    const env = engineEnv();
    env.widget("real", { note: "ours" });
    await env.run(5_000);
    const annotations = env.cluster.get("Widget", "real").metadata.annotations ?? {};
    expect(Object.keys(annotations)).toContain(EXTERNAL_ID);
    const effects = env.world.effects.length;
    env.widget("copy", { name: "real", note: "mine now" }, { annotations, uid: uuid(99) });
    await env.run(5 * MINUTE);
    expect(env.conditions("Widget", "copy")).toContain("Stalled=True/AlreadyManaged");
    expect(env.world.effects).toHaveLength(effects);
  });

  it.each([{ [INSTALLATION_KEY]: "elsewhere" }, { [RESOLVE]: "recreate" }, { [RESOLVE]: "adopt" }])(
    "do nothing twice on what is recorded: %j",
    async (annotations) => {
      const env = engineEnv();
      env.widget("a", { commit: "1" });
      await env.run(5_000);
      const effects = env.world.effects.length;
      env.cluster.annotate("Widget", "a", annotations);
      await env.run(30 * MINUTE);
      env.restart();
      await env.run(30 * MINUTE);
      expect(env.world.effects).toHaveLength(effects);
    },
  );
});
