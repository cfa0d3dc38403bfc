import { describe, expect, it } from "vitest";

import { engineBench, type Bench } from "../../../test/support/engine/env.ts";
import { apiError } from "../../../test/support/engine/fake-platform.ts";
import { INSTALLATION, INTENT, RESOLVE } from "../../api/names.ts";
import { receiverKeys } from "../connections/receiver-keys.ts";
import { text } from "../contract/status.ts";

const MINUTE = 60_000;
const LINK = { kind: "Link", namespace: "team", name: "default" };
const TOKEN = "a-long-random-text";
const URL = "https://hooks.example";

const passesOf = (bench: Bench, name: string): number =>
  bench.passes.filter(({ key }) => key.startsWith("Widget/") && key.endsWith(`/${name}`)).length;

const idOf = (bench: Bench, name: string): string => {
  const { status } = bench.cluster.get("Widget", name);
  return text((status as { readonly externalId?: string }).externalId) ?? "";
};

describe("[E12] a delivery", () => {
  async function settled(...names: readonly string[]): Promise<Bench> {
    const bench = engineBench();
    await bench.run(5_000);
    for (const name of names) bench.widget(name);
    await bench.run(5 * MINUTE);
    return bench;
  }

  it("has what it is about looked at, at once, and again only 5 s later however many come", async () => {
    const bench = await settled("a", "b");
    const before = [passesOf(bench, "a"), passesOf(bench, "b")];
    for (let sent = 0; sent < 50; sent += 1) expect(bench.engine.hinted(LINK, [idOf(bench, "a")])).toBe(1);
    await bench.run(0);
    expect(passesOf(bench, "a")).toBe((before[0] ?? 0) + 1);
    for (let sent = 0; sent < 50; sent += 1) bench.engine.hinted(LINK, [idOf(bench, "a"), idOf(bench, "a")]);
    await bench.run(4_900);
    expect(passesOf(bench, "a")).toBe((before[0] ?? 0) + 1);
    await bench.run(200);
    expect(passesOf(bench, "a")).toBe((before[0] ?? 0) + 2);
    await bench.run(20_000);
    expect(passesOf(bench, "a")).toBe((before[0] ?? 0) + 2);
    expect(passesOf(bench, "b")).toBe(before[1]);
  });

  it("writes nothing by itself", async () => {
    const bench = await settled("a");
    const [writes, effects] = [bench.cluster.writes.length, bench.world.effects.length];
    bench.engine.hinted(LINK, [idOf(bench, "a")]);
    await bench.run(10_000);
    expect([bench.cluster.writes.length, bench.world.effects.length]).toEqual([writes, effects]);
  });

  it("leads to nothing for ids that nobody stands for, or that another connection's resources do", async () => {
    const bench = await settled("a");
    const before = bench.passes.length;
    expect(bench.engine.hinted(LINK, ["00000000-0000-4000-8000-00000000dead"])).toBe(0);
    expect(bench.engine.hinted({ ...LINK, name: "other" }, [idOf(bench, "a")])).toBe(0);
    expect(bench.engine.hinted({ ...LINK, namespace: "elsewhere" }, [idOf(bench, "a")])).toBe(0);
    await bench.run(1_000);
    expect(bench.passes.length).toBe(before);
  });

  it("leads to nothing once the resource is gone", async () => {
    const bench = await settled("a");
    const id = idOf(bench, "a");
    bench.cluster.remove("Widget", "a");
    await bench.run(1_000);
    expect(bench.engine.hinted(LINK, [id])).toBe(0);
  });
});

describe("the errand of a connection", () => {
  function asking(secret: string | null = TOKEN): Bench {
    const bench = engineBench({ bare: true });
    bench.cluster.secret("token", { token: "token-1" });
    if (secret !== null) bench.cluster.secret("receiver", { token: secret });
    bench.cluster.create("Link", "default", { receiver: URL });
    return bench;
  }
  const hook = (bench: Bench): string | undefined =>
    bench.conditions("Link", "default").find((one) => one.startsWith("HookRegistered"));
  const message = (bench: Bench): string => JSON.stringify(bench.cluster.get("Link", "default").status);
  const isReady = (bench: Bench): boolean => bench.conditions("Link", "default").includes("Ready=True/Available");

  it("is done once, in three writes, and never again", async () => {
    const bench = asking();
    await bench.run(60 * MINUTE);
    expect(bench.world.count("create")).toBe(1);
    expect(hook(bench)).toBe("HookRegistered=True/Available");
    expect(isReady(bench)).toBe(true);
    expect(bench.writes("Link", "default")).toBe(3);
    const [remote] = bench.world.remotes.values();
    expect(remote?.note).toBe(`${URL}/${receiverKeys(TOKEN, LINK).path}`);
    bench.restart();
    await bench.run(60 * MINUTE);
    expect([bench.world.count("create"), bench.writes("Link", "default")]).toEqual([1, 3]);
  });

  it("does not show the path that nobody may know, nor the token", async () => {
    const bench = asking();
    await bench.run(MINUTE);
    const { path, secret } = receiverKeys(TOKEN, LINK);
    expect(message(bench)).toContain("Registered at https://hooks.example/….");
    for (const hidden of [path, secret, TOKEN]) expect(message(bench)).not.toContain(hidden);
  });

  it.each([
    ["no Secret", null],
    ["a token that can be guessed", "short"],
  ])("waits with %s, and goes on once it is mended, while the connection works", async (_name, secret) => {
    const bench = asking(secret);
    bench.widget("w");
    await bench.run(2 * MINUTE);
    expect(hook(bench)).toBe("HookRegistered=False/DependencyNotReady");
    expect([isReady(bench), bench.conditions("Widget", "w")[0]]).toEqual([true, "Ready=True/Available"]);
    bench.cluster.secret("receiver", { token: TOKEN });
    await bench.run(MINUTE);
    expect(hook(bench)).toBe("HookRegistered=True/Available");
  });

  it.each([
    ["is forbidden", { is: "Forbidden" }, 403, "PermissionDenied", true],
    ["is rejected", { is: "Invalid" }, 422, "InvalidSpec", false],
  ] as const)("that %s is told, is no trouble of the connection, and is no hot loop", async (...row) => {
    const [, failure, status, reason, isRetried] = row;
    const bench = asking();
    let refused = 0;
    bench.world.hooks = {
      before: ({ op }) => {
        if (op !== "create") return Promise.resolve();
        refused += 1;
        return Promise.reject(apiError("createHook", failure, status));
      },
      after: () => Promise.resolve(),
    };
    await bench.run(60 * MINUTE);
    expect([hook(bench), isReady(bench)]).toEqual([`HookRegistered=False/${reason}`, true]);
    expect(refused).toBeLessThanOrEqual(isRetried ? 10 : 1);
    expect(bench.world.remotes.size).toBe(0);
  });

  it("of unknown outcome is never repeated, until a person says so", async () => {
    const bench = asking();
    let lost = true;
    bench.world.hooks = {
      before: () => Promise.resolve(),
      after: ({ op }) =>
        op === "create" && lost
          ? Promise.reject(apiError("createHook", { is: "OutcomeUnknown" }, 502))
          : Promise.resolve(),
    };
    await bench.run(60 * MINUTE);
    expect([hook(bench), isReady(bench)]).toEqual(["HookRegistered=False/CreateResultUnknown", true]);
    expect(bench.world.count("create")).toBe(1);
    bench.restart();
    await bench.run(60 * MINUTE);
    expect(bench.world.count("create")).toBe(1);
    lost = false;
    bench.cluster.annotate("Link", "default", { [RESOLVE]: "recreate" });
    await bench.run(MINUTE);
    expect(hook(bench)).toBe("HookRegistered=True/Available");
    const annotations = bench.cluster.get("Link", "default").metadata.annotations ?? {};
    expect([annotations[RESOLVE], annotations[INTENT]]).toEqual([undefined, undefined]);
    await bench.run(60 * MINUTE);
    expect(bench.world.count("create")).toBe(2);
  });

  it("is found again after a crash between answer and record, and after a loss of status", async () => {
    const bench = asking();
    await bench.run(MINUTE);
    const id = [...bench.world.remotes.keys()][0];
    bench.cluster.status("Link", "default", {});
    bench.restart();
    await bench.run(MINUTE);
    expect(bench.world.count("create")).toBe(1);
    expect(bench.cluster.get("Link", "default").status).toMatchObject({ hook: id });
  });

  it("is done anew, once, on a person's word", async () => {
    const bench = asking();
    await bench.run(MINUTE);
    bench.cluster.annotate("Link", "default", { [RESOLVE]: "recreate" });
    await bench.run(60 * MINUTE);
    expect(bench.world.count("create")).toBe(2);
    expect(bench.cluster.get("Link", "default").status).toMatchObject({ hook: [...bench.world.remotes.keys()][1] });
  });

  it("of another installation is left alone, and the connection works", async () => {
    const bench = asking();
    await bench.run(MINUTE);
    bench.installation = "installation-2";
    bench.restart();
    await bench.run(MINUTE);
    expect([hook(bench), isReady(bench)]).toEqual(["HookRegistered=False/ForeignLedger", true]);
    bench.cluster.annotate("Link", "default", { [RESOLVE]: "adopt" });
    await bench.run(11 * MINUTE);
    expect(hook(bench)).toBe("HookRegistered=True/Available");
    expect(bench.cluster.get("Link", "default").metadata.annotations?.[INSTALLATION]).toBeDefined();
    expect(bench.world.count("create")).toBe(1);
  });

  it("follows the receiver's URL, and is forgotten by nobody when it is not wanted any more", async () => {
    const bench = asking();
    await bench.run(MINUTE);
    bench.cluster.spec("Link", "default", { receiver: "https://elsewhere.example/" });
    await bench.run(MINUTE);
    const [remote] = bench.world.remotes.values();
    expect(remote?.note).toBe(`https://elsewhere.example/${receiverKeys(TOKEN, LINK).path}`);
    bench.cluster.spec("Link", "default", {});
    await bench.run(MINUTE);
    expect(hook(bench)).toBeUndefined();
    expect(bench.engine.connections.all().map(({ receiver }) => receiver)).toEqual([undefined]);
    bench.cluster.spec("Link", "default", { receiver: URL });
    await bench.run(MINUTE);
    expect([hook(bench), bench.world.count("create")]).toEqual(["HookRegistered=True/Available", 1]);
  });
});
