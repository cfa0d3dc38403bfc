import { describe, expect, it } from "vitest";

import { DELETE, effects, type Env, on, ready, remote, status } from "../../test/support/engine/env.ts";
import { aKey } from "../../test/support/engine/keys.ts";
import { HOUR, MINUTE } from "../../test/support/platform/durations.ts";
import { FINALIZER, RESOLVE } from "../api/names.ts";
import { KubeError } from "../kube/api/errors.ts";
import type { JsonObject } from "../kube/api/types.ts";
import { conditionOf } from "./contract/status.ts";
import { DEFAULT_WINDOWS } from "./contract/windows.ts";

/** Kills the operator at a write. Its answer never comes. */
function killed(env: Env): Promise<never> {
  env.kill();
  return new Promise<never>(() => {});
}

/** A platform that deletes nothing, and a widget there. */
const documented = (spec: JsonObject = DELETE): Promise<Env> => on("Documented", spec);

async function applied(env: Env, spec: JsonObject = DELETE): Promise<void> {
  env.widget("a", spec);
  await env.run(10_000);
}

async function removed(env: Env, ms = 10_000): Promise<void> {
  env.cluster.remove("Widget", "a");
  await env.run(ms);
  expect(env.cluster.find("Widget", "a")).toBeUndefined();
}

const told = (env: Env): readonly string[] => env.orphans.map(({ is, orphan }) => `${is} ${orphan.why}`);
const idOf = (env: Env) => status(env, "externalId");
const reasons = (env: Env): readonly string[] => env.events.map(({ type, reason }) => `${type} ${reason}`);
const messageOf = (env: Env): string => conditionOf(env.cluster.get("Widget", "a"), "Ready")?.message ?? "";

const moveNamespace = (env: Env): void => void Object.assign(env, { namespaceUid: "another" });
const rotate = (env: Env): void => env.cluster.secret("token", { token: "token-2" });
const loseKey = (env: Env): void => void Object.assign(env, { key: aKey("another") });
const moveInstallation = (env: Env): void => {
  env.installation = "installation-2";
  env.cluster.annotate("Link", "default", { [RESOLVE]: "adopt" });
};

describe("[S4] what stays on the platform when its resource goes", () => {
  it("is recorded before the finalizer goes, where the platform deletes nothing", async () => {
    const env = await documented();
    let held: readonly string[] | undefined;
    env.configMaps.before = () => {
      held = env.cluster.get("Widget", "a").metadata.finalizers;
      return Promise.resolve();
    };
    await removed(env);
    expect(held).toEqual([FINALIZER]);
    expect(told(env)).toEqual(["recorded DeleteNotSupported"]);
    const place = { installation: "installation-1", host: "platform.example", organizationId: "org-1" };
    const key = { kind: "Widget", namespace: "team", namespaceUid: "ns", name: "a", externalName: "a" };
    const [at, signature] = [expect.stringMatching(/Z$/), expect.stringMatching(/^[\w-]{22}$/)];
    expect(env.orphans[0]?.orphan).toMatchObject({ id: remote(env).id, ...place, ...key, at, signature });
    expect(reasons(env)).toContain("Warning Orphaned");
  });

  it.each<[policy: string, spec: JsonObject, surface: "Documented" | "Full", expected: string[]]>([
    ["Retain", {}, "Full", ["recorded Retain"]],
    ["Stop", { lifecycle: { deletionPolicy: "Stop" } }, "Full", ["recorded Stop"]],
    ["Delete, where it is deleted", DELETE, "Full", []],
    ["Retain, where it was only observed", { lifecycle: { managementPolicy: "ObserveOnly" } }, "Full", []],
  ])("is recorded under %s as it should be", async (_, spec, surface, expected) => {
    const env = await on(surface, spec);
    await removed(env);
    expect(told(env)).toEqual(expected);
  });

  it("is recorded when its connection is lost for good", async () => {
    const env = await documented();
    env.cluster.secret("token", undefined);
    env.cluster.remove("Link", "default");
    env.restart();
    await removed(env, HOUR + MINUTE);
    expect(told(env)).toEqual(["recorded ConnectionNotReady"]);
    expect(env.orphans[0]?.orphan.signature).toMatch(/^[\w-]{22}$/);
  });

  it("is signed where its connection went first, and nothing else used that", async () => {
    const env = await on("Full", {});
    env.cluster.remove("Link", "default");
    env.beforeNamespace = () => new Promise((resolve) => void env.clock.after(1_000, resolve));
    env.cluster.remove("Widget", "a");
    await env.run(MINUTE);
    expect(env.engine.connections.last({ kind: "Link", namespace: "team", name: "default" })).toBeUndefined();
    expect(env.orphans[0]?.orphan.signature).toMatch(/^[\w-]{22}$/);
  });

  it("holds the resource while it cannot be recorded, and not for good", async () => {
    const env = await documented();
    env.configMaps.before = () => Promise.reject(new KubeError("Forbidden", 403, "PATCH configmaps: 403"));
    env.cluster.remove("Widget", "a");
    await env.run(MINUTE);
    expect(env.cluster.get("Widget", "a").metadata.finalizers).toEqual([FINALIZER]);
    expect(ready(env)).toBe("Ready=False/PermissionDenied");
    expect(messageOf(env)).toContain("orphan ledger");
    await env.run(DEFAULT_WINDOWS.releaseMs);
    expect(env.cluster.find("Widget", "a")).toBeUndefined();
    expect(reasons(env)).toContain("Warning OrphanNotRecorded");
  });

  it("goes on once it can be recorded", async () => {
    const env = await documented();
    env.configMaps.before = () => Promise.reject(new KubeError("Server", 500, "PATCH configmaps: 500"));
    env.cluster.remove("Widget", "a");
    await env.run(10_000);
    expect(env.cluster.find("Widget", "a")).toBeDefined();
    env.configMaps.before = () => Promise.resolve();
    await env.run(MINUTE);
    expect(env.cluster.find("Widget", "a")).toBeUndefined();
    expect(told(env)).toEqual(["recorded DeleteNotSupported"]);
    expect(reasons(env)).not.toContain("Warning OrphanNotRecorded");
  });

  it("is recorded once when the operator is killed before the finalizer goes", async () => {
    const env = await documented();
    env.cluster.hooks.before = ({ body }) => ("finalizers" in body ? killed(env) : Promise.resolve());
    env.cluster.remove("Widget", "a");
    await env.run(5_000);
    expect(env.configMaps.all()).toHaveLength(1);
    env.cluster.hooks.before = () => Promise.resolve();
    env.restart();
    await env.run(10_000);
    expect(env.cluster.find("Widget", "a")).toBeUndefined();
    expect(env.configMaps.all()).toHaveLength(1);
  });
});

describe("[R1] a resource that is created again under the same key", () => {
  it("adopts its object without a create, knows what was done to it, and deploys the commit that its spec has now", async () => {
    const env = await documented({ ...DELETE, commit: "one" });
    const id = idOf(env);
    await removed(env);
    await applied(env, { ...DELETE, commit: "one" });
    expect(ready(env)).toBe("Ready=True/Available");
    expect(idOf(env)).toBe(id);
    expect(effects(env)).toEqual(["create", "deploy"]);
    expect(told(env)).toEqual(["recorded DeleteNotSupported", "found DeleteNotSupported"]);
    expect(env.configMaps.all()).toEqual([]);
    expect(reasons(env)).toContain("Normal Adopted");
    expect(env.cluster.get("Widget", "a").metadata.finalizers).toEqual([FINALIZER]);
    await removed(env);
    await applied(env, { ...DELETE, commit: "two" });
    expect(effects(env)).toEqual(["create", "deploy", "deploy"]);
    expect(remote(env).commit).toBe("two");
    expect(env.world.remotes.size).toBe(1);
  });

  it.each<[what: string, before: readonly ((env: Env) => void)[], spec: JsonObject, creates: number]>([
    ["has another name on the platform", [], { ...DELETE, name: "b" }, 2],
    ["adopts nothing", [], { lifecycle: { deletionPolicy: "Delete", adoptionPolicy: "Never" } }, 2],
    ["is in another namespace of that name", [moveNamespace], DELETE, 1],
    ["is in another namespace of that name, after a rotation of the token", [moveNamespace, rotate], DELETE, 1],
    ["is in another namespace of that name, after the loss of the key", [moveNamespace, loseKey], DELETE, 2],
    ["is of another installation", [moveInstallation], DELETE, 2],
  ])("that %s", async (_, before, spec, creates) => {
    const env = await documented();
    await removed(env);
    for (const change of before) change(env);
    env.restart();
    await env.run(MINUTE);
    await applied(env, spec);
    expect(effects(env).filter((op) => op === "create")).toHaveLength(creates);
  });

  it("in its own namespace after the loss of the key is a claim that the connection's rules decide on", async () => {
    const env = await documented();
    await removed(env);
    loseKey(env);
    env.restart();
    await env.run(MINUTE);
    await applied(env);
    expect(ready(env)).toBe("Ready=False/NotObservable");
    expect(messageOf(env)).toContain("kubectl platform orphans forget");
    expect(effects(env)).toEqual(["create"]);
    env.cluster.spec("Link", "default", { surface: "Documented", allowUnverifiedIds: true });
    await env.run(20 * MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(effects(env)).toEqual(["create"]);
  });

  it("is found by a backup from before a rotation of the token, where the ledger has nothing", async () => {
    const env = await documented({});
    const id = idOf(env);
    const { annotations = {} } = env.cluster.get("Widget", "a").metadata;
    const before = env.writes("Widget", "a");
    rotate(env);
    await env.run(HOUR);
    expect(env.writes("Widget", "a")).toBe(before);
    await removed(env);
    env.configMaps.edit(remote(env).id);
    await env.run(MINUTE);
    env.widget("a", {}, { annotations });
    await env.run(MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(idOf(env)).toBe(id);
    expect(effects(env)).toEqual(["create"]);
  });

  it("is not replaced by the older object of a backup", async () => {
    const env = await documented({});
    const { annotations = {} } = env.cluster.get("Widget", "a").metadata;
    const older = idOf(env);
    await removed(env);
    env.configMaps.edit(remote(env).id);
    await env.run(MINUTE);
    await applied(env, {});
    expect(idOf(env)).not.toBe(older);
    await removed(env);
    env.widget("a", {}, { annotations });
    await env.run(MINUTE);
    expect(ready(env)).toBe("Ready=False/NotObservable");
    expect(effects(env)).toEqual(["create", "create"]);
  });

  it("stalls where the platform contradicts the entry, until that is forgotten", async () => {
    const env = await on("Full", {});
    const { id } = remote(env);
    await removed(env);
    env.world.remotes.clear();
    await applied(env, {});
    expect(ready(env)).toBe("Ready=False/ExternalResourceDeleted");
    expect(messageOf(env)).toContain(`kubectl platform orphans forget ${id}`);
    const writes = env.writes("Widget", "a");
    await env.run(HOUR);
    expect(effects(env)).toEqual(["create"]);
    expect(env.writes("Widget", "a")).toBe(writes);
    env.configMaps.edit(id);
    await env.run(20 * MINUTE);
    expect(effects(env)).toEqual(["create", "create"]);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(told(env)).toEqual(["recorded Retain", "forgotten Retain"]);
  });

  it("does not take what another resource holds by now", async () => {
    const env = await documented({});
    const { id } = remote(env);
    await removed(env);
    env.cluster.spec("Link", "default", { surface: "Documented", allowUnverifiedIds: true });
    await env.run(MINUTE);
    env.widget("b", { externalId: id });
    env.widget("a", {});
    await env.run(MINUTE);
    const holders = ["a", "b"].filter((name) => JSON.stringify(env.cluster.get("Widget", name).status).includes(id));
    expect(holders).toHaveLength(1);
    expect(env.configMaps.all()).toEqual([]);
  });

  it.each(["before", "after"] as const)("is adopted with its history over a kill %s each write", async (moment) => {
    for (let position = 1; position <= 4; position += 1) {
      const env = await documented({ ...DELETE, commit: "one" });
      await removed(env);
      let writes = 0;
      env.cluster.hooks[moment] = () => {
        writes += 1;
        return writes === position ? killed(env) : Promise.resolve();
      };
      await applied(env, { ...DELETE, commit: "one" });
      env.cluster.hooks[moment] = () => Promise.resolve();
      env.restart();
      await env.run(2 * MINUTE);
      expect(effects(env)).toEqual(["create", "deploy"]);
      expect(ready(env)).toBe("Ready=True/Available");
      expect(env.configMaps.all()).toEqual([]);
    }
  });
});
