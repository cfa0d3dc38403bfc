import { describe, expect, it } from "vitest";

import { engineEnv, type Env } from "../../../test/support/engine/env.ts";
import { applied, DELETE, effects, ready, remote, started, status } from "../../../test/support/engine/widgets.ts";
import { INTENT } from "../../api/names.ts";

type Moment = "before" | "after" | "late";

/** How long the effect of a request takes whose sender was killed; shorter than the landing window. */
const LANDS_MS = 20_000;

/**
 * Kills the operator at the `position`th exchange with Kubernetes or the platform: before it takes effect, after, or so
 * that it takes effect later.
 * @returns whether that exchange was reached
 */
function killAt(env: Env, position: number, moment: Moment): () => boolean {
  let count = 0;
  let done = false;
  const dies = (at: Moment): boolean => {
    if (done || at !== (moment === "late" ? "before" : moment)) return false;
    count += 1;
    done = count === position;
    return done;
  };
  const die = (): Promise<never> => {
    env.kill();
    return new Promise<never>(() => {});
  };
  const at = (when: Moment) => () => (dies(when) ? die() : Promise.resolve());
  const hooks = { before: at("before"), after: at("after") };
  env.cluster.hooks = { ...hooks };
  env.world.hooks = { ...hooks };
  if (moment !== "late") return () => done;
  const connect = env.world.api.bind(env.world);
  env.world.api = (token) => {
    const real = connect(token);
    const late = <T>(op: "create" | "deploy", id: string, made: object, now: () => Promise<T>): Promise<T> => {
      if (!dies("before")) return now();
      env.clock.after(LANDS_MS, () => env.world.effect(op, id, made));
      return die();
    };
    return {
      ...real,
      create: (name, parentId, note) =>
        late("create", "", { name, parentId, note }, () => real.create(name, parentId, note)),
      deploy: (id, commit) => late("deploy", id, { commit }, () => real.deploy(id, commit)),
    };
  };
  return () => done;
}

/**
 * Kills the operator at each exchange that a change causes, one life per exchange, and starts it again.
 * @returns the environment of each life, five minutes later, and the name of its exchange
 */
async function* lives(moment: Moment, begin: () => Promise<Env>, change: (env: Env) => void) {
  for (let position = 1; ; position += 1) {
    const env = await begin();
    const came = killAt(env, position, moment);
    if (moment === "late") env.restart();
    change(env);
    await env.run(5_000);
    if (!came()) return;
    env.restart();
    await env.run(5 * 60_000);
    yield { env, where: `${moment} ${position}` };
  }
}

describe("a crash at any exchange", () => {
  it.each(["before", "after", "late"] as const)(
    "(%s it) leaves one object, one deployment and no intent",
    async (moment) => {
      let positions = 0;
      const create = (env: Env) => env.widget("a", { commit: "c1", ...DELETE });
      for await (const { env, where } of lives(moment, started, create)) {
        positions += 1;
        expect(env.world.remotes.size, where).toBe(1);
        expect(effects(env), where).toEqual(["create", "deploy"]);
        expect(ready(env), where).toBe("Ready=True/Available");
        expect(env.cluster.get("Widget", "a").metadata.annotations, where).not.toHaveProperty([INTENT]);
        expect(status(env, "intent"), where).toBeUndefined();
        const writes = env.cluster.writes.length;
        await env.run(30 * 60_000);
        expect(env.cluster.writes.length, where).toBe(writes);
      }
      expect(positions).toBeGreaterThan(moment === "late" ? 1 : 5);
    },
  );

  it.each(["before", "after", "late"] as const)(
    "(%s it) deploys a change of a deployed object once",
    async (moment) => {
      const secret = { name: "values", key: "a" };
      const begin = async (): Promise<Env> => {
        const env = engineEnv();
        env.cluster.secret("values", { a: "one" });
        env.widget("a", { commit: "c1", secret });
        await env.run(10_000);
        return env;
      };
      const change = ({ cluster }: Env) => cluster.spec("Widget", "a", { name: "a", commit: "c2", note: "n", secret });
      let positions = 0;
      for await (const { env, where } of lives(moment, begin, change)) {
        positions += 1;
        expect(remote(env), where).toMatchObject({ commit: "c2", deploys: 2, note: "n" });
        expect(ready(env), where).toBe("Ready=True/Available");
        expect(status(env, "intent"), where).toBeUndefined();
      }
      expect(positions).toBeGreaterThan(0);
    },
  );

  it.each(["before", "after"] as const)("(%s it) of a deletion leaves nothing behind", async (moment) => {
    let positions = 0;
    const begin = () => applied(DELETE);
    for await (const { env, where } of lives(moment, begin, ({ cluster }) => cluster.remove("Widget", "a"))) {
      positions += 1;
      expect(env.cluster.find("Widget", "a"), where).toBeUndefined();
      expect(env.world.remotes.size, where).toBe(0);
    }
    expect(positions).toBeGreaterThan(0);
  });
});
