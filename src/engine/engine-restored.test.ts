/** Manifests that were saved in the middle of a create, and are applied again later. */
import { describe, expect, it } from "vitest";

import { answer, DELETE, type Env, fail, LOST, ready, started } from "../../test/support/engine/env.ts";
import { MINUTE } from "../../test/support/platform/durations.ts";
import { memoryConfigMaps } from "../../test/support/platform/orphans.ts";
import { INTENT } from "../api/names.ts";
import type { JsonObject } from "../kube/api/types.ts";
import { conditionOf } from "./contract/status.ts";

type Surface = "Documented" | "Full";

/** An environment with the widget "a", and the annotations that it had while it was being created. */
async function savedDuringCreate(surface: Surface, spec: JsonObject = {}) {
  const env = await started({ surface, link: { surface, allowUnverifiedIds: true } });
  let saved: Readonly<Record<string, string>> = {};
  const { hooks } = env.world;
  env.world.hooks = {
    ...hooks,
    before: ({ op }) => {
      if (op === "create") saved = env.cluster.get("Widget", "a").metadata.annotations ?? {};
      return Promise.resolve();
    },
  };
  env.widget("a", spec);
  await env.run(10_000);
  env.world.hooks = hooks;
  expect(Object.keys(saved)).toEqual([INTENT]);
  return { env, saved };
}

/** Removes the widget "a" while no operator runs, and starts one. */
function removedUnseen(env: Env): void {
  env.kill();
  env.cluster.remove("Widget", "a");
  env.configMaps = memoryConfigMaps();
  env.restart();
}

async function savedAndRemoved(surface: Surface) {
  const saving = await savedDuringCreate(surface);
  removedUnseen(saving.env);
  return saving;
}

const conditionsOf = (env: Env, name: string): readonly string[] => env.conditions("Widget", name);
const messageOf = (env: Env, name: string): string =>
  conditionOf(env.cluster.get("Widget", name), "Ready")?.message ?? "";
const firstId = (env: Env): string => [...env.world.remotes.keys()][0] ?? "";
const intentOf = (env: Env, name: string): string | undefined =>
  env.cluster.get("Widget", name).metadata.annotations?.[INTENT];

describe("[A3] a manifest from the middle of a create", () => {
  it("adopts what a list shows", async () => {
    const { env, saved } = await savedAndRemoved("Full");
    env.widget("a", {}, { annotations: saved });
    await env.run(5 * MINUTE);
    expect(env.cluster.get("Widget", "a").status).toMatchObject({ externalId: firstId(env) });
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.count("create")).toBe(1);
  });

  it("creates again once a list shows for the landing window that nothing was created", async () => {
    const { env, saved } = await savedAndRemoved("Full");
    env.world.remotes.clear();
    env.widget("a", {}, { annotations: saved });
    await env.run(59_000);
    expect(env.world.count("create")).toBe(1);
    await env.run(MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.count("create")).toBe(2);
  });

  it.each<[string, JsonObject]>([
    ["of the same spec", {}],
    ["whose spec has another name since", { name: "b" }],
  ])("%s asks a person where nothing shows the result, also after a restart", async (_, spec) => {
    const { env, saved } = await savedAndRemoved("Documented");
    env.widget("a", spec, { annotations: saved });
    await env.run(30 * MINUTE);
    env.restart();
    await env.run(30 * MINUTE);
    expect(conditionsOf(env, "a")).toContain("Stalled=True/CreateResultUnknown");
    expect(messageOf(env, "a")).toMatch(
      /intent came with the manifest.*while create of "a" was under way\. .*recreate:/,
    );
    expect(env.world.count("create")).toBe(1);
  });

  it("takes the object that the person names", async () => {
    const { env, saved } = await savedAndRemoved("Documented");
    env.widget("a", { externalId: firstId(env) }, { annotations: saved });
    await env.run(MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(intentOf(env, "a")).toBeUndefined();
    expect(env.world.count("create")).toBe(1);
  });

  it("creates another object when the person says so, once", async () => {
    const { env, saved } = await savedAndRemoved("Documented");
    env.widget("a", {}, { annotations: saved });
    await env.run(MINUTE);
    answer(env, "Widget", "a");
    await env.run(MINUTE);
    env.restart();
    await env.run(MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.count("create")).toBe(2);
  });

  it("adopts what the orphan ledger has, and asks nobody", async () => {
    const { env, saved } = await savedDuringCreate("Documented");
    env.cluster.remove("Widget", "a");
    await env.run(10_000);
    env.widget("a", {}, { annotations: saved });
    await env.run(MINUTE);
    expect(env.cluster.get("Widget", "a").status).toMatchObject({ externalId: firstId(env) });
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.count("create")).toBe(1);
  });

  it.each<Surface>(["Documented", "Full"])("over the living resource changes nothing on %s", async (surface) => {
    const { env, saved } = await savedDuringCreate(surface);
    env.cluster.annotate("Widget", "a", saved);
    await env.run(5 * MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(intentOf(env, "a")).toBeUndefined();
    expect(env.world.count("create")).toBe(1);
  });

  it("that is deleted before a person answers is released with a Warning", async () => {
    const { env, saved } = await savedAndRemoved("Documented");
    env.widget("a", DELETE, { annotations: saved });
    await env.run(MINUTE);
    env.cluster.remove("Widget", "a");
    await env.run(MINUTE);
    expect(env.cluster.find("Widget", "a")).toBeUndefined();
    expect(env.events.map(({ type, reason }) => `${type} ${reason}`)).toContain("Warning Orphaned");
  });
});

describe("[E11] a copy of a manifest from the middle of a create, under another name", () => {
  it("is a new resource while the resource that began the create exists", async () => {
    const { env, saved } = await savedDuringCreate("Documented");
    env.widget("copy", { name: "a" }, { annotations: saved });
    await env.run(MINUTE);
    expect(conditionsOf(env, "copy")).toContain("Ready=True/Available");
    expect(env.world.count("create")).toBe(2);
  });

  it.each<[string, JsonObject]>([
    ["another name on the platform", { name: "b" }],
    ["another parent", { name: "a", parentRef: { name: "parent" } }],
  ])("is a new resource if it asks for %s", async (_, spec) => {
    const { env, saved } = await savedAndRemoved("Documented");
    env.widget("parent", { externalId: env.world.add("parent").id });
    await env.run(MINUTE);
    env.widget("copy", spec, { annotations: saved });
    await env.run(MINUTE);
    expect(conditionsOf(env, "copy")).toContain("Ready=True/Available");
    expect(env.world.count("create")).toBe(2);
  });

  it("asks a person if it asks for the same object and nothing shows whether there is one", async () => {
    const { env, saved } = await savedAndRemoved("Documented");
    env.widget("copy", { name: "A" }, { annotations: saved });
    await env.run(30 * MINUTE);
    expect(conditionsOf(env, "copy")).toContain("Stalled=True/CreateResultUnknown");
    expect(messageOf(env, "copy")).toContain('for Widget "team/a", which does not exist any more');
    expect(env.world.count("create")).toBe(1);
    answer(env, "Widget", "copy");
    await env.run(MINUTE);
    expect(env.world.count("create")).toBe(2);
  });

  it.each([
    ["IfUniqueName", "Ready=True/Available"],
    ["Never", "Stalled=True/NameConflict"],
  ])("treats what a list shows as adoptionPolicy %s says", async (adoptionPolicy, told) => {
    const { env, saved } = await savedAndRemoved("Full");
    env.widget("copy", { name: "a", lifecycle: { adoptionPolicy } }, { annotations: saved });
    await env.run(5 * MINUTE);
    expect(conditionsOf(env, "copy")).toContain(told);
    expect(env.world.count("create")).toBe(1);
  });

  it("deletes nothing that it did not record", async () => {
    const { env, saved } = await savedAndRemoved("Full");
    env.widget(
      "copy",
      { name: "a", lifecycle: { ...DELETE.lifecycle, adoptionPolicy: "Never" } },
      { annotations: saved },
    );
    env.cluster.remove("Widget", "copy");
    await env.run(5 * MINUTE);
    expect(env.cluster.find("Widget", "copy")).toBeUndefined();
    expect([...env.world.remotes.keys()]).toHaveLength(1);
  });
});

it("[A3] a backup with its status, from the middle of a deployment, does not deploy again", async () => {
  const env = await started();
  fail(env, ["deploy"], LOST, { when: "after", times: 1 });
  env.widget("a", { commit: "1" });
  await env.run(1_000);
  const saved = env.cluster.get("Widget", "a");
  expect(saved.status).toHaveProperty("writeLedger.intent");
  removedUnseen(env);
  env.cluster.restore({ ...saved, metadata: { ...saved.metadata, uid: "uid-restored" } });
  await env.run(5 * MINUTE);
  expect(ready(env)).toBe("Ready=True/Available");
  expect(env.world.count("deploy")).toBe(1);
});
