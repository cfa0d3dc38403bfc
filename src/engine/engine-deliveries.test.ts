import { describe, expect, it } from "vitest";

import { type Env, started } from "../../test/support/engine/env.ts";
import { MINUTE } from "../../test/support/platform/durations.ts";
import { stringMember } from "../kube/api/json.ts";

const LINK = { kind: "Link", namespace: "team", name: "default" };

const reconcilesOf = (env: Env, name: string): number =>
  env.reconciles.filter(({ key }) => key.startsWith("Widget/") && key.endsWith(`/${name}`)).length;

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
    const before = [reconcilesOf(env, "a"), reconcilesOf(env, "b")];
    const [writes, effects] = [env.cluster.writes.length, env.world.effects.length];
    for (let sent = 0; sent < 50; sent += 1) expect(env.engine.enqueueDelivered(LINK, [idOf(env, "a")])).toBe(1);
    await env.run(0);
    expect(reconcilesOf(env, "a")).toBe((before[0] ?? 0) + 1);
    for (let sent = 0; sent < 50; sent += 1) env.engine.enqueueDelivered(LINK, [idOf(env, "a"), idOf(env, "a")]);
    await env.run(4_900);
    expect(reconcilesOf(env, "a")).toBe((before[0] ?? 0) + 1);
    await env.run(200);
    expect(reconcilesOf(env, "a")).toBe((before[0] ?? 0) + 2);
    await env.run(20_000);
    expect(reconcilesOf(env, "a")).toBe((before[0] ?? 0) + 2);
    expect(reconcilesOf(env, "b")).toBe(before[1]);
    expect(env.cluster.writes.length).toBe(writes);
    expect(env.world.effects.length).toBe(effects);
  });

  it("does nothing for ids that no resource represents, or only one of another connection", async () => {
    const env = await settled("a");
    const before = env.reconciles.length;
    expect(env.engine.enqueueDelivered(LINK, ["00000000-0000-4000-8000-00000000dead"])).toBe(0);
    expect(env.engine.enqueueDelivered({ ...LINK, name: "other" }, [idOf(env, "a")])).toBe(0);
    expect(env.engine.enqueueDelivered({ ...LINK, namespace: "elsewhere" }, [idOf(env, "a")])).toBe(0);
    await env.run(1_000);
    expect(env.reconciles.length).toBe(before);
  });

  it("does nothing once the resource is gone", async () => {
    const env = await settled("a");
    const id = idOf(env, "a");
    env.cluster.remove("Widget", "a");
    await env.run(1_000);
    expect(env.engine.enqueueDelivered(LINK, [id])).toBe(0);
  });
});
