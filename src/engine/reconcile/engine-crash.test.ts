import { describe, expect, it } from "vitest";

import { applied, DELETE, effects, type Env, ready, remote, started } from "../../../test/support/engine/env.ts";
import { MINUTE } from "../../../test/support/platform/durations.ts";
import { INTENT } from "../../api/names.ts";

const MOMENTS = ["before", "after"] as const;

/**
 * Kills the operator at each exchange with Kubernetes or the platform that a change causes, before or after its effect,
 * one life per exchange, and starts it again.
 * @returns the environment of each life, five minutes later, and the name of its exchange
 */
async function* lives(moment: (typeof MOMENTS)[number], begin: () => Promise<Env>, change: (env: Env) => void) {
  for (let position = 1; ; position += 1) {
    const env = await begin();
    let exchanges = 0;
    const exchange = (): Promise<void> => {
      exchanges += 1;
      if (exchanges !== position) return Promise.resolve();
      env.kill();
      return new Promise<never>(() => {});
    };
    env.cluster.hooks[moment] = exchange;
    env.world.hooks[moment] = exchange;
    change(env);
    await env.run(5_000);
    if (exchanges < position) return;
    env.restart();
    await env.run(5 * MINUTE);
    yield { env, where: `${moment} ${position}` };
  }
}

describe.each(MOMENTS)("a crash %s any exchange", (moment) => {
  it("of a create leaves one object, one deployment and no intent", async () => {
    expect.hasAssertions();
    const create = (env: Env) => env.widget("a", { commit: "c1", ...DELETE });
    for await (const { env, where } of lives(moment, started, create)) {
      expect(env.world.remotes.size, where).toBe(1);
      expect(effects(env), where).toEqual(["create", "deploy"]);
      expect(ready(env), where).toBe("Ready=True/Available");
      expect(env.cluster.get("Widget", "a").metadata.annotations, where).not.toHaveProperty([INTENT]);
      expect(env.cluster.get("Widget", "a").status, where).not.toHaveProperty("intent");
    }
  });

  it("of a change deploys it once", async () => {
    expect.hasAssertions();
    const begin = () => applied({ commit: "c1" });
    const change = ({ cluster }: Env) => cluster.spec("Widget", "a", { name: "a", commit: "c2", note: "n" });
    for await (const { env, where } of lives(moment, begin, change)) {
      expect(remote(env), where).toMatchObject({ commit: "c2", deploys: 2, note: "n" });
      expect(ready(env), where).toBe("Ready=True/Available");
      expect(env.cluster.get("Widget", "a").status, where).not.toHaveProperty("intent");
    }
  });

  it("of a deletion leaves nothing behind", async () => {
    expect.hasAssertions();
    const begin = () => applied(DELETE);
    for await (const { env, where } of lives(moment, begin, ({ cluster }) => cluster.remove("Widget", "a"))) {
      expect(env.cluster.find("Widget", "a"), where).toBeUndefined();
      expect(env.world.remotes.size, where).toBe(0);
    }
  });
});
