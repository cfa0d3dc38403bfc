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
  const hooks = {
    before: () => (dies("before") ? die() : Promise.resolve()),
    after: () => (dies("after") ? die() : Promise.resolve()),
  };
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

async function life(position: number, moment: Moment): Promise<Env | undefined> {
  const env = await started();
  const came = killAt(env, position, moment);
  if (moment === "late") env.restart();
  env.widget("a", { commit: "c1", ...DELETE });
  await env.run(5_000);
  if (!came()) return undefined;
  env.restart();
  await env.run(5 * 60_000);
  return env;
}

describe("a crash at any exchange", () => {
  it.each(["before", "after", "late"] as const)(
    "(%s it) leaves one object, one deployment and no intent",
    async (moment) => {
      let positions = 0;
      for (let position = 1; ; position += 1) {
        const env = await life(position, moment);
        if (env === undefined) break;
        positions += 1;
        const where = `${moment} ${position}`;
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
});

describe("a crash while a deployed object changes", () => {
  it.each(["before", "after", "late"] as const)("(%s any exchange) deploys the change once", async (moment) => {
    for (let position = 1; ; position += 1) {
      const env = engineEnv();
      env.cluster.secret("values", { a: "one" });
      env.widget("a", { commit: "c1", secret: { name: "values", key: "a" } });
      await env.run(10_000);
      const came = killAt(env, position, moment);
      if (moment === "late") env.restart();
      env.cluster.spec("Widget", "a", { name: "a", commit: "c2", note: "n", secret: { name: "values", key: "a" } });
      await env.run(5_000);
      if (!came()) break;
      env.restart();
      await env.run(5 * 60_000);
      const where = `${moment} ${position}`;
      expect(remote(env), where).toMatchObject({ commit: "c2", deploys: 2, note: "n" });
      expect(ready(env), where).toBe("Ready=True/Available");
      expect(status(env, "intent"), where).toBeUndefined();
    }
  });
});

describe("a crash while an object is deleted", () => {
  it.each(["before", "after"] as const)("(%s any exchange) leaves nothing behind", async (moment) => {
    for (let position = 1; ; position += 1) {
      const env = await applied(DELETE);
      const came = killAt(env, position, moment);
      env.cluster.remove("Widget", "a");
      await env.run(5_000);
      if (!came()) break;
      env.restart();
      await env.run(5 * 60_000);
      expect(env.cluster.find("Widget", "a"), `${moment} ${position}`).toBeUndefined();
      expect(env.world.remotes.size, `${moment} ${position}`).toBe(0);
    }
  });
});
