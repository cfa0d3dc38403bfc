import { describe, expect, it } from "vitest";

import {
  answer,
  engineEnv,
  type Env,
  fail,
  INSTALLATION as FIRST,
  LOST,
  remote,
  started,
} from "../../../test/support/engine/env.ts";
import { HOUR, MINUTE } from "../../../test/support/platform/durations.ts";
import { INSTALLATION, INTENT, RESOLVE } from "../../api/names.ts";
import { stringMember } from "../../kube/api/json.ts";
import { receiverKeys } from "../connections/receiver-keys.ts";

const LINK = { kind: "Link", namespace: "team", name: "default" };
const TOKEN = "a-long-random-text";
const URL = "https://hooks.example";

const passesOf = (env: Env, name: string): number =>
  env.passes.filter(({ key }) => key.startsWith("Widget/") && key.endsWith(`/${name}`)).length;

const idOf = (env: Env, name: string): string =>
  stringMember(env.cluster.get("Widget", name).status, "externalId") ?? "";

describe("[E12] a delivery", () => {
  async function settled(...names: readonly string[]): Promise<Env> {
    const env = await started();
    for (const name of names) env.widget(name);
    await env.run(5 * MINUTE);
    return env;
  }

  it("wakes the resource of its object at once, again only 5 s later, however many arrive, and writes nothing", async () => {
    const env = await settled("a", "b");
    const before = [passesOf(env, "a"), passesOf(env, "b")];
    const [writes, effects] = [env.cluster.writes.length, env.world.effects.length];
    for (let sent = 0; sent < 50; sent += 1) expect(env.engine.hinted(LINK, [idOf(env, "a")])).toBe(1);
    await env.run(0);
    expect(passesOf(env, "a")).toBe((before[0] ?? 0) + 1);
    for (let sent = 0; sent < 50; sent += 1) env.engine.hinted(LINK, [idOf(env, "a"), idOf(env, "a")]);
    await env.run(4_900);
    expect(passesOf(env, "a")).toBe((before[0] ?? 0) + 1);
    await env.run(200);
    expect(passesOf(env, "a")).toBe((before[0] ?? 0) + 2);
    await env.run(20_000);
    expect(passesOf(env, "a")).toBe((before[0] ?? 0) + 2);
    expect(passesOf(env, "b")).toBe(before[1]);
    expect([env.cluster.writes.length, env.world.effects.length]).toEqual([writes, effects]);
  });

  it("does nothing for ids that no resource represents, or only one of another connection", async () => {
    const env = await settled("a");
    const before = env.passes.length;
    expect(env.engine.hinted(LINK, ["00000000-0000-4000-8000-00000000dead"])).toBe(0);
    expect(env.engine.hinted({ ...LINK, name: "other" }, [idOf(env, "a")])).toBe(0);
    expect(env.engine.hinted({ ...LINK, namespace: "elsewhere" }, [idOf(env, "a")])).toBe(0);
    await env.run(1_000);
    expect(env.passes.length).toBe(before);
  });

  it("does nothing once the resource is gone", async () => {
    const env = await settled("a");
    const id = idOf(env, "a");
    env.cluster.remove("Widget", "a");
    await env.run(1_000);
    expect(env.engine.hinted(LINK, [id])).toBe(0);
  });
});

describe("the receiver registration of a connection", () => {
  function asking(secret: string | null = TOKEN): Env {
    const env = engineEnv({ link: { receiver: URL } });
    if (secret !== null) env.cluster.secret("receiver", { token: secret });
    return env;
  }
  const hook = (env: Env): string | undefined =>
    env.conditions("Link", "default").find((one) => one.startsWith("HookRegistered"));
  const isReady = (env: Env): boolean => env.conditions("Link", "default").includes("Ready=True/Available");

  it("is done once, in three writes, and never again; the status shows neither the path nor the token", async () => {
    const env = asking();
    await env.run(HOUR);
    expect([env.world.count("create"), env.writes("Link", "default")]).toEqual([1, 3]);
    expect([hook(env), isReady(env)]).toEqual(["HookRegistered=True/Available", true]);
    const { path, secret } = receiverKeys(TOKEN, LINK);
    expect(remote(env).note).toBe(`${URL}/${path}`);
    const message = JSON.stringify(env.cluster.get("Link", "default").status);
    expect(message).toContain(`Registered at ${URL}/….`);
    for (const hidden of [path, secret, TOKEN]) expect(message).not.toContain(hidden);
    env.restart();
    await env.run(HOUR);
    expect([env.world.count("create"), env.writes("Link", "default")]).toEqual([1, 3]);
  });

  it.each([
    ["no Secret", null],
    ["a token that can be guessed", "short"],
  ])("waits with %s, and continues once that is fixed, while the connection works", async (_name, secret) => {
    const env = asking(secret);
    env.widget("w");
    await env.run(2 * MINUTE);
    expect(hook(env)).toBe("HookRegistered=False/DependencyNotReady");
    expect([isReady(env), env.conditions("Widget", "w")[0]]).toEqual([true, "Ready=True/Available"]);
    env.cluster.secret("receiver", { token: TOKEN });
    await env.run(MINUTE);
    expect(hook(env)).toBe("HookRegistered=True/Available");
  });

  it.each([
    ["is forbidden", { is: "Forbidden" }, 403, "PermissionDenied", true],
    ["is rejected", { is: "Invalid" }, 422, "InvalidSpec", false],
  ] as const)("that %s is reported, is no error of the connection, and causes no hot loop", async (...row) => {
    const [, failure, status, reason, isRetried] = row;
    const env = asking();
    fail(env, ["create"], [failure, status]);
    await env.run(HOUR);
    expect([hook(env), isReady(env)]).toEqual([`HookRegistered=False/${reason}`, true]);
    expect(env.world.calls.filter(({ op }) => op === "create").length).toBeLessThanOrEqual(isRetried ? 10 : 1);
    expect(env.world.remotes.size).toBe(0);
  });

  it("of unknown outcome is never repeated, until a person says so", async () => {
    const env = asking();
    const over = fail(env, ["create"], LOST, { when: "after" });
    await env.run(HOUR);
    expect([hook(env), isReady(env)]).toEqual(["HookRegistered=False/CreateResultUnknown", true]);
    expect(env.world.count("create")).toBe(1);
    env.restart();
    await env.run(HOUR);
    expect(env.world.count("create")).toBe(1);
    over();
    const given = answer(env, "Link", "default");
    await env.run(MINUTE);
    expect(hook(env)).toBe("HookRegistered=True/Available");
    const annotations = env.cluster.get("Link", "default").metadata.annotations ?? {};
    expect(annotations[RESOLVE], "the user's annotation").toBe(given);
    expect(annotations[INTENT]).toBeUndefined();
    await env.run(HOUR);
    expect(env.world.count("create")).toBe(2);
  });

  it("is found again after a crash and a loss of status, and is repeated once on a person's request", async () => {
    const env = asking();
    await env.run(MINUTE);
    const { id } = remote(env);
    env.cluster.status("Link", "default", {});
    env.restart();
    await env.run(MINUTE);
    expect(env.world.count("create")).toBe(1);
    expect(env.cluster.get("Link", "default").status).toMatchObject({ hook: id });
    env.cluster.annotate("Link", "default", { [RESOLVE]: `recreate:${id}` });
    await env.run(HOUR);
    env.restart();
    await env.run(HOUR);
    expect(env.world.count("create")).toBe(2);
    expect(env.cluster.get("Link", "default").status).toMatchObject({ hook: [...env.world.remotes.keys()][1] });
  });

  it("of another installation is left alone, and the connection works", async () => {
    const env = asking();
    await env.run(MINUTE);
    env.installation = "installation-2";
    env.restart();
    await env.run(MINUTE);
    expect([hook(env), isReady(env)]).toEqual(["HookRegistered=False/ForeignLedger", true]);
    env.cluster.annotate("Link", "default", { [RESOLVE]: `adopt:${FIRST}` });
    await env.run(11 * MINUTE);
    expect(hook(env)).toBe("HookRegistered=True/Available");
    expect(env.cluster.get("Link", "default").metadata.annotations?.[INSTALLATION]).toBeDefined();
    expect(env.world.count("create")).toBe(1);
  });

  it("follows the receiver's URL, and its registration is kept while the spec has none", async () => {
    const env = asking();
    await env.run(MINUTE);
    env.cluster.spec("Link", "default", { receiver: "https://elsewhere.example/" });
    await env.run(MINUTE);
    expect(remote(env).note).toBe(`https://elsewhere.example/${receiverKeys(TOKEN, LINK).path}`);
    env.cluster.spec("Link", "default", {});
    await env.run(MINUTE);
    expect(hook(env)).toBeUndefined();
    expect(env.engine.connections.all().map(({ receiver }) => receiver)).toEqual([undefined]);
    env.cluster.spec("Link", "default", { receiver: URL });
    await env.run(MINUTE);
    expect([hook(env), env.world.count("create")]).toEqual(["HookRegistered=True/Available", 1]);
  });
});
