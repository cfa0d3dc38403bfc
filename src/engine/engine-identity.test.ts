import { describe, expect, it } from "vitest";

import {
  answer,
  applied,
  DELETE,
  effects,
  engineEnv,
  INSTALLATION as FIRST,
  ready,
  remote,
  status,
} from "../../test/support/engine/env.ts";
import { uuid } from "../../test/support/engine/fake-platform.ts";
import { MINUTE } from "../../test/support/platform/durations.ts";
import { EXTERNAL_ID, FINALIZER, INSTALLATION, RESOLVE } from "../api/names.ts";
import type { JsonObject } from "../kube/api/types.ts";
import { recordedIn } from "./contract/status.ts";

const POLL = 11 * MINUTE;

describe("an id that the user gives", () => {
  it("is never recorded while the kind refuses it, however often it is reconciled", async () => {
    const env = engineEnv({ surface: "Documented" });
    const { id } = env.world.add("theirs", { note: "old" });
    env.widget("thief", { externalId: id, note: "mine now", commit: "evil" });
    for (let polls = 0; polls < 3; polls += 1) {
      await env.run(POLL);
      expect(env.conditions("Widget", "thief")).toContain("Stalled=True/NotObservable");
      expect(env.cluster.get("Widget", "thief").status).not.toHaveProperty("externalId");
    }
    expect(env.world.effects).toEqual([]);
  });

  it("is refused when it differs from the recorded one", async () => {
    const env = await applied();
    const other = env.world.add("other");
    env.cluster.spec("Widget", "a", { name: "a", externalId: other.id, note: "x" });
    await env.run(5_000);
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/InvalidSpec");
    expect(env.world.count("update")).toBe(0);
  });

  it("of an object that was never adopted deletes nothing", async () => {
    const env = engineEnv();
    const { id } = env.world.add("victim");
    env.cluster.annotate("Link", "default", { "platform-operator.io/paused": "true" });
    env.widget("thief", { externalId: id, explode: "plan", ...DELETE }, { finalizers: [FINALIZER] });
    await env.run(1_000);
    env.cluster.annotate("Link", "default", { "platform-operator.io/paused": null });
    env.cluster.remove("Widget", "thief");
    await env.run(POLL);
    expect(env.cluster.find("Widget", "thief")).toBeUndefined();
    expect(env.world.effects).toEqual([]);
    expect(env.world.remotes.has(id)).toBe(true);
    expect(env.events.some(({ reason, type }) => reason === "Orphaned" && type === "Warning")).toBe(true);
  });
});

it("an object of the same name is not adopted under a parent that no resource represents", async () => {
  const env = engineEnv();
  env.world.add("a");
  env.widget("a", { parentRef: { externalId: uuid(9) } });
  await env.run(5_000);
  expect(env.conditions("Widget", "a")).toContain("Stalled=True/NameConflict");
});

describe("[R1] a lost status", () => {
  it("is restored from the annotation, without a new object, or a deployment of an adopted one", async () => {
    const env = await applied();
    const { id } = remote(env);
    env.cluster.status("Widget", "a", undefined);
    await env.run(5_000);
    expect(env.world.count("create")).toBe(1);
    expect(status(env, "externalId")).toBe(id);
  });

  it("with an annotation that leads to another name stalls and is never recorded", async () => {
    const env = engineEnv();
    const { id } = env.world.add("somebody");
    env.widget("a", { note: "x" }, { annotations: { [EXTERNAL_ID]: id } });
    await env.run(2 * POLL);
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/NameConflict");
    expect(env.world.effects).toEqual([]);
  });
});

it("[R1] an id that another resource holds is given to the resource that was refused it, as soon as its holder is deleted", async () => {
  const env = await applied();
  const { id } = remote(env);
  env.widget("copy", { name: "a", externalId: id });
  await env.run(POLL);
  expect(env.conditions("Widget", "copy")).toContain("Stalled=True/AlreadyManaged");
  env.cluster.remove("Widget", "a");
  await env.run(1_000);
  expect(env.cluster.get("Widget", "copy").status).toMatchObject({ externalId: id });
  expect(env.conditions("Widget", "copy")).toContain("Ready=True/Available");
});

describe("[R1] another installation's records", () => {
  it("are not touched until the user adopts them", async () => {
    const env = await applied({ note: "x" });
    const { id } = remote(env);
    env.widget("other");
    await env.run(5_000);
    env.world.change(id, { note: "theirs" });
    env.installation = "installation-2";
    env.restart();
    await env.run(POLL);
    env.cluster.spec("Widget", "a", { name: "a", note: "x", ...DELETE });
    await env.run(5_000);
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/ForeignLedger");
    expect(env.cluster.get("Widget", "a").metadata.finalizers ?? []).toEqual([]);
    expect(effects(env)).toEqual(["create", "create"]);
    answer(env, "Widget", "a");
    await env.run(5_000);
    expect(ready(env)).toBe("Ready=True/Available");
    await env.run(POLL);
    const { annotations } = env.cluster.get("Widget", "a").metadata;
    expect(recordedIn(env.cluster.get("Widget", "a"), "identity")).toMatchObject({ installation: "installation-2" });
    expect(annotations?.[INSTALLATION]).toBe("installation-2");
    expect(env.conditions("Widget", "other")).toContain("Stalled=True/ForeignLedger");
  });

  it("can be adopted as a whole by an annotation of the connection", async () => {
    const env = await applied();
    env.installation = "installation-2";
    env.cluster.annotate("Link", "default", { [RESOLVE]: `adopt:${FIRST}` });
    env.restart();
    await env.run(POLL);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(recordedIn(env.cluster.get("Widget", "a"), "identity")).toMatchObject({ installation: "installation-2" });
  });
});

describe("[R1] a place that changed", () => {
  const places = ["baseUrl", "organizationId"].flatMap((member) => [false, true].map((isNew) => ({ member, isNew })));

  it.each(places)("of the connection ($member, created again: $isNew) stalls its users", async ({ member, isNew }) => {
    const env = await applied({ note: "x" });
    const moveTo = async (spec: JsonObject): Promise<void> => {
      if (!isNew) return env.cluster.spec("Link", "default", spec);
      env.cluster.remove("Link", "default");
      await env.run(MINUTE);
      env.cluster.create("Link", "default", spec);
    };
    await moveTo({ [member]: "https://elsewhere.example" });
    env.cluster.spec("Widget", "a", { name: "a", note: "y" });
    await env.run(POLL);
    env.restart();
    await env.run(POLL);
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/ConnectionChanged");
    expect(effects(env)).toEqual(["create"]);
    await moveTo({});
    await env.run(POLL);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.remotes.size).toBe(1);
    expect(effects(env)).toEqual(["create", "update"]);
  });

  it("is no change if the spec names another connection of the same host and organization", async () => {
    const env = await applied({ note: "x" });
    const { id } = remote(env);
    env.cluster.create("Link", "second", {});
    env.cluster.spec("Widget", "a", { name: "a", note: "x", connectionRef: { name: "second" } });
    await env.run(POLL);
    expect(ready(env)).toBe("Ready=True/Available");
    const { uid } = env.cluster.get("Link", "second").metadata;
    expect(recordedIn(env.cluster.get("Widget", "a"), "identity")).toMatchObject({ connectionUid: uid });
    expect(status(env, "externalId")).toBe(id);
    expect(effects(env)).toEqual(["create"]);
  });

  it("of the parent stalls", async () => {
    const env = await applied({ parentRef: { externalId: uuid(801) } });
    env.cluster.spec("Widget", "a", { name: "a", note: "y", parentRef: { externalId: uuid(802) } });
    await env.run(5_000);
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/ParentChanged");
    expect(env.world.count("update")).toBe(0);
  });

  it("of the parent, which is another object of the same name now, stalls", async () => {
    const env = await applied();
    env.widget("child", { parentRef: { name: "a" } });
    await env.run(5_000);
    env.cluster.remove("Widget", "a");
    await env.run(MINUTE);
    env.widget("a", { name: "other" });
    await env.run(5 * MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    env.cluster.spec("Widget", "child", { name: "child", note: "y", commit: "c1", parentRef: { name: "a" } });
    await env.run(POLL);
    env.restart();
    await env.run(POLL);
    expect(env.conditions("Widget", "child")).toContain("Stalled=True/ParentChanged");
    expect(effects(env)).toEqual(["create", "create", "create"]);
  });
});

it("an object that is created while its resource is deleted is left without an error", async () => {
  const env = engineEnv();
  env.world.hooks.after = ({ op }) => {
    if (op === "create") env.cluster.remove("Widget", "a");
    return Promise.resolve();
  };
  env.widget("a");
  await env.run(5_000);
  expect(env.cluster.find("Widget", "a")).toBeUndefined();
  expect(env.changes.at(-1)).toMatchObject({ op: "create", result: "ok", id: [...env.world.remotes.keys()][0] });
  await env.run(30 * MINUTE);
  expect(env.internal).toEqual([]);
});

it("an object that is taken over gets its finalizer in the same write, where a policy needs it", async () => {
  const env = engineEnv();
  const { id } = env.world.add("a");
  env.widget("a", DELETE);
  await env.run(5_000);
  expect(env.cluster.get("Widget", "a").metadata.finalizers).toEqual([FINALIZER]);
  expect(status(env, "externalId")).toBe(id);
  expect(env.writes("Widget", "a")).toBe(2);
});
