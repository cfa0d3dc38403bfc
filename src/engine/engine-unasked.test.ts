/** Writes that nobody asked for: after changes that others made, a restart, or the restoration of a backup. */
import { describe, expect, it } from "vitest";

import { answer, effects, type Env, outage, withFleet } from "../../test/support/engine/env.ts";
import { MINUTE } from "../../test/support/platform/durations.ts";
import { figure } from "../../test/support/platform/figure.ts";
import { POLL_INTERVAL, RESOLVE } from "../api/names.ts";
import { stringMember } from "../kube/api/json.ts";

/** Of these, a connection lets others change ten. */
const SIZE = 21;

/** Others change the whole fleet. @returns how many changes the operator has made since */
async function vandalized(env: Env): Promise<() => number> {
  const before = effects(env).length;
  for (const id of env.world.remotes.keys()) env.world.change(id, { note: "wrong" });
  await env.run(30 * MINUTE);
  return () => effects(env).length - before;
}

/** Each word lets as many through again, until nothing is left to do. @returns how many it took */
async function proceed(env: Env): Promise<number> {
  for (let words = 0; ; words += 1) {
    if (env.conditions("Link", "default").includes("Ready=True/Available")) return words;
    expect(words).toBeLessThan(5);
    answer(env, "Link", "default");
    await env.run(25 * MINUTE);
  }
}

describe("[R1] the mass-change limit", () => {
  it("holds the recreation of a fleet that vanished, whatever onMissing says", async () => {
    const env = await withFleet(SIZE, { note: "right", lifecycle: { onMissing: "Recreate" } });
    const before = effects(env).length;
    const ids = [...env.world.remotes.keys()];
    for (const id of ids) env.world.remotes.delete(id);
    await env.run(30 * MINUTE);
    // All are reconciled together. Those that may be created again are created at the latest once the others are
    // confirmed.
    expect(effects(env).length - before).toBeLessThanOrEqual(10);
    expect(env.conditions("Link", "default")).toContain("Stalled=True/MassChangeHeld");
    // No record of the held ones is lost: they are the same objects once they exist again.
    const recorded = env.cluster.all().filter(({ status: now }) => ids.includes(stringMember(now, "externalId") ?? ""));
    expect(recorded).toHaveLength(SIZE - 10);
    // The others are settled, and not reconciled while the connection reports its error.
    const told = recorded.filter(({ metadata }) =>
      env.conditions("Widget", metadata.name).includes("Ready=False/ConnectionNotReady"),
    );
    expect(told).not.toEqual([]);
    expect(await proceed(env)).toBeLessThanOrEqual(3);
    expect(env.world.count("create")).toBe(2 * SIZE);
  });

  it("holds what an old backup of the cluster wants, but nothing that new generations want", async () => {
    const env = await withFleet(SIZE, { note: "old" });
    const backup = env.cluster.all();
    const names = [...env.world.remotes.values()].map(({ name }) => name);
    for (const name of names) env.cluster.spec("Widget", name, { name, note: "new" });
    await env.run(10 * MINUTE);
    expect(env.world.count("update")).toBe(SIZE);
    expect(env.conditions("Link", "default")).toContain("Ready=True/Available");
    env.kill();
    for (const object of backup) env.cluster.restore(object);
    env.restart();
    await env.run(30 * MINUTE);
    expect(env.world.count("update")).toBe(SIZE + 10);
    expect(env.conditions("Link", "default")).toContain("Stalled=True/MassChangeHeld");
  });

  it("is not released by an answer while the platform cannot be reached, and is once it can", async () => {
    const env = await withFleet(SIZE, { note: "right" });
    const changes = await vandalized(env);
    expect(changes()).toBe(10);
    const limit = () =>
      env.engine.connections.last({ kind: "Link", namespace: "team", name: "default" })?.massChangeLimit;
    const over = outage(env);
    answer(env, "Link", "default");
    await env.run(MINUTE);
    expect(limit()?.heldSince()).toBeDefined();
    over();
    await env.run(25 * MINUTE);
    expect(changes()).toBe(20);
  });

  it("holds again after an answer that stays on the connection, as in Git, also in the next process", async () => {
    const env = await withFleet(SIZE, { note: "right" });
    const changes = await vandalized(env);
    const given = answer(env, "Link", "default");
    await env.run(25 * MINUTE);
    expect(changes()).toBe(20);
    env.restart();
    await env.run(60 * MINUTE);
    expect(changes()).toBe(20);
    expect(env.cluster.get("Link", "default").metadata.annotations?.[RESOLVE]).toBe(given);
    expect(env.conditions("Link", "default")).toContain("Stalled=True/MassChangeHeld");
  });

  it("counts all objects that use the connection, also right after a start, when few of them have been reconciled", async () => {
    const env = await withFleet(230, { note: "right" });
    env.restart();
    await env.run(MINUTE / 6);
    const before = effects(env).length;
    for (const [id, { name }] of [...env.world.remotes].slice(0, 12)) {
      env.world.change(id, { note: "wrong" });
      env.cluster.annotate("Widget", name, { [POLL_INTERVAL]: "10m" });
    }
    await env.run(MINUTE / 6);
    expect(env.conditions("Link", "default")).toContain("Ready=True/Available");
    expect(effects(env).length - before).toBe(12);
  });

  it("still holds in the next process, also after an outage, and goes on when it is allowed to", async ({ task }) => {
    const env = await withFleet(SIZE, { note: "right" });
    const changes = await vandalized(env);
    expect(changes()).toBe(10);
    const over = outage(env);
    await env.run(30 * MINUTE);
    expect(env.conditions("Link", "default")).toContain("Ready=False/PlatformUnreachable");
    env.restart();
    await env.run(MINUTE);
    over();
    await env.run(30 * MINUTE);
    expect(changes()).toBe(10);
    expect(env.conditions("Link", "default")).toContain("Stalled=True/MassChangeHeld");
    expect(await proceed(env)).toBe(2);
    expect(env.cluster.get("Link", "default").metadata.annotations).toHaveProperty([RESOLVE]);
    expect(changes()).toBe(SIZE);
    figure(task, `10 of ${SIZE} writes, then held`);
  });
});
