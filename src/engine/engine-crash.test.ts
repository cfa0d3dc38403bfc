import { expect, it } from "vitest";

import { DELETE, effects, ready, remote, started } from "../../test/support/engine/env.ts";
import { MINUTE } from "../../test/support/platform/durations.ts";
import { INTENT } from "../api/names.ts";

/**
 * Creates, changes and deletes an object, and kills the operator once, at an exchange with Kubernetes or the platform,
 * before or after its effect. @returns whether there were so many exchanges
 */
async function live(moment: "before" | "after", position: number): Promise<boolean> {
  const env = await started();
  const where = `${moment} ${position}`;
  let exchanges = 0;
  const exchange = (): Promise<void> => {
    exchanges += 1;
    if (exchanges !== position) return Promise.resolve();
    env.kill();
    return new Promise<never>(() => {});
  };
  env.cluster.hooks[moment] = exchange;
  env.world.hooks[moment] = exchange;
  const goOn = async (): Promise<void> => {
    await env.run(5_000);
    env.restart();
    await env.run(5 * MINUTE);
  };
  const expectDone = (): void => {
    expect(ready(env), where).toBe("Ready=True/Available");
    expect(env.cluster.get("Widget", "a").metadata.annotations, where).not.toHaveProperty([INTENT]);
    expect(env.cluster.get("Widget", "a").status, where).not.toHaveProperty("writeLedger.intent");
  };

  env.widget("a", { commit: "c1", ...DELETE });
  await goOn();
  expectDone();
  expect(effects(env), where).toEqual(["create", "deploy"]);
  env.cluster.spec("Widget", "a", { name: "a", commit: "c2", note: "n", ...DELETE });
  await goOn();
  expectDone();
  expect(remote(env), where).toMatchObject({ commit: "c2", deploys: 2, note: "n" });
  env.cluster.remove("Widget", "a");
  await goOn();
  expect(env.cluster.find("Widget", "a"), where).toBeUndefined();
  expect(env.world.remotes.size, where).toBe(0);
  return exchanges >= position;
}

it.each(["before", "after"] as const)(
  "a crash %s any exchange repeats nothing and leaves nothing behind",
  async (moment) => {
    let position = 1;
    while (await live(moment, position)) position += 1;
    expect(position).toBeGreaterThan(15);
  },
);
