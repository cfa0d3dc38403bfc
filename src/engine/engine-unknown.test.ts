import { describe, expect, it } from "vitest";

import {
  answer,
  applied,
  DELETE,
  engineEnv,
  type Env,
  fail,
  LOST,
  ready,
  started,
} from "../../test/support/engine/env.ts";
import { apiError, type Op } from "../../test/support/engine/fake-platform.ts";
import { silent } from "../../test/support/engine/kinds.ts";
import { HOUR, MINUTE } from "../../test/support/platform/durations.ts";
import { INTENT, RESOLVE } from "../api/names.ts";
import { KubeError } from "../kube/api/errors.ts";
import { member } from "../kube/api/json.ts";
import type { JsonObject } from "../kube/api/types.ts";
import type { ApiFailure } from "../platform/transport/errors.ts";
import { conditionOf, recordedIn, statusOf } from "./contract/status.ts";

/** Fails the next call of that operation. */
const failOnce = (env: Env, op: Op, how: Parameters<typeof fail>[2], when: "before" | "after" = "before") =>
  fail(env, [op], how, { when, times: 1 });

const intentOf = (env: Env): string | undefined => env.cluster.get("Widget", "a").metadata.annotations?.[INTENT];

/** Writes the intent of an action into the status; undefined closes it. */
function withAction(env: Env, intent: JsonObject | undefined): void {
  const object = env.cluster.get("Widget", "a");
  const writeLedger = { ...statusOf({ status: member(object.status, "writeLedger") }), intent };
  env.cluster.status("Widget", "a", { ...statusOf(object), writeLedger });
}

/** An environment on a surface that does not show what became of a create. */
const documented = (settings: JsonObject = {}): Promise<Env> =>
  started({ surface: "Documented", link: { surface: "Documented", ...settings } });

/** An environment in which the create of the widget "a" was lost, before or after its effect, some time ago. */
async function lost(when: "before" | "after", ms: number, env?: Env): Promise<Env> {
  const begun = env ?? (await started());
  failOnce(begun, "create", LOST, when);
  begun.widget("a");
  await begun.run(ms);
  return begun;
}

/** An environment with the widget "a" and a platform that answers creates without an id. @param isShown in its list */
async function withoutIds(isShown = () => true): Promise<Env> {
  const env = await started();
  const connect = env.world.api.bind(env.world);
  env.world.api = () => {
    const real = connect();
    const create: typeof real.create = async (...made) => ({ ...(await real.create(...made)), id: "" });
    return { ...real, create, list: async () => (isShown() ? await real.list() : []) };
  };
  env.restart();
  env.widget("a");
  return env;
}

describe("[A3] a create of unknown outcome", () => {
  it.each(["before", "after"] as const)("(lost %s its effect) ends in one object", async (when) => {
    const env = await lost(when, 1_000);
    expect(intentOf(env)).toBeDefined();
    await env.run(3 * MINUTE);
    expect(env.world.remotes.size).toBe(1);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(intentOf(env)).toBeUndefined();
  });

  it("is not tried again within the landing window", async () => {
    const env = await lost("before", 59_000);
    expect(env.world.count("create")).toBe(0);
    expect(env.conditions("Widget", "a")).toContain("Ready=False/Creating");
    await env.run(MINUTE);
    expect(env.world.count("create")).toBe(1);
  });

  it("that nothing shows stalls, and the command of the message resolves it, once", async () => {
    const env = await lost("before", 30 * MINUTE, await documented());
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/CreateResultUnknown");
    expect(env.world.count("create")).toBe(0);
    const given = answer(env, "Widget", "a");
    await env.run(5_000);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.count("create")).toBe(1);
    expect(env.cluster.get("Widget", "a").metadata.annotations?.[RESOLVE], "the user's annotation").toBe(given);
  });

  it.each(["recreate", "recreate:1-zzzz"])(
    "that nothing shows is not resolved by %s, which names another one",
    async (value) => {
      const env = await lost("before", 30 * MINUTE, await documented());
      env.cluster.annotate("Widget", "a", { [RESOLVE]: value });
      await env.run(5 * MINUTE);
      env.restart();
      await env.run(30 * MINUTE);
      expect(env.conditions("Widget", "a")).toContain("Stalled=True/CreateResultUnknown");
      expect(env.world.count("create")).toBe(0);
    },
  );

  it("that a kept answer was once given to is asked about again, when the next create is lost too", async () => {
    const env = await lost("before", 30 * MINUTE, await documented());
    const over = fail(env, ["create"], LOST);
    const given = answer(env, "Widget", "a");
    await env.run(30 * MINUTE);
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/CreateResultUnknown");
    expect(env.world.calls.filter(({ op }) => op === "create")).toHaveLength(2);
    over();
    expect(answer(env, "Widget", "a")).not.toBe(given);
    await env.run(5_000);
    expect(env.world.count("create")).toBe(1);
  });

  it("that nothing shows is resolved when the user names the object", async () => {
    const env = await lost("after", MINUTE, await documented({ allowUnverifiedIds: true }));
    const [id = ""] = env.world.remotes.keys();
    env.cluster.spec("Widget", "a", { name: "a", externalId: id });
    await env.run(5_000);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.cluster.get("Widget", "a").status).toMatchObject({ externalId: id });
    expect(intentOf(env)).toBeUndefined();
    expect(env.world.remotes.size).toBe(1);
  });

  it("with several results stalls until the user names the right one", async () => {
    const env = await lost("after", 0);
    env.world.add("a");
    await env.run(MINUTE);
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/DuplicateRemote");
    const [id = ""] = env.world.remotes.keys();
    env.cluster.spec("Widget", "a", { name: "a", externalId: id });
    await env.run(5_000);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.remotes.size).toBe(2);
  });

  it("that is answered without an id is traced, not sent again", async () => {
    const env = await withoutIds();
    await env.run(3 * MINUTE);
    expect(env.world.count("create")).toBe(1);
    expect(ready(env)).toBe("Ready=True/Available");
  });

  it("that is answered without an id and not shown is never sent again, and a person can name it", async () => {
    let isShown = false;
    const env = await withoutIds(() => isShown);
    await env.run(30 * MINUTE);
    expect(env.world.count("create")).toBe(1);
    const told = conditionOf(env.cluster.get("Widget", "a"), "Stalled");
    expect(told?.reason).toBe("CreateResultUnknown");
    expect(told?.message).toContain("kubectl platform resolve widget/a -n team --id ID");
    isShown = true;
    await env.run(30 * MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.count("create")).toBe(1);
  });

  it("is not superseded by a newer generation, and keeps its own name", async () => {
    const env = await lost("after", 0);
    env.cluster.spec("Widget", "a", { name: "renamed" });
    await env.run(3 * MINUTE);
    expect(env.world.count("create")).toBe(1);
    expect(env.cluster.get("Widget", "a").status).toMatchObject({ externalId: [...env.world.remotes.keys()][0] });
  });
});

it.each(["before", "after"] as const)("[A4] an action that is lost %s its effect happens once", async (when) => {
  const env = await applied();
  failOnce(env, "deploy", [{ is: "OutcomeUnknown" }, 0], when);
  env.cluster.spec("Widget", "a", { name: "a", commit: "c1" });
  await env.run(1_000);
  expect(env.cluster.get("Widget", "a").status).toHaveProperty("writeLedger.intent");
  await env.run(3 * MINUTE);
  expect(env.world.count("deploy")).toBe(1);
  expect(ready(env)).toBe("Ready=True/Available");
  expect(env.cluster.get("Widget", "a").status).not.toHaveProperty("writeLedger.intent");
});

describe("[C8] what was certainly not executed", () => {
  it.each<[ApiFailure, number]>([
    [{ is: "Unreachable" }, 0],
    [{ is: "RateLimited", retryAfterMs: 3_000 }, 429],
    [{ is: "NotFound" }, 404],
    [{ is: "Unauthorized" }, 401],
  ])("(%o) closes its intent at once and is tried again", async (failure, status) => {
    const env = await started();
    failOnce(env, "create", [failure, status]);
    env.widget("a", { commit: "c1" });
    await env.run(100);
    expect(intentOf(env)).toBeUndefined();
    failOnce(env, "deploy", [failure, status]);
    await env.run(45_000);
    expect(env.world.count("create")).toBe(1);
    expect(env.world.count("deploy")).toBe(1);
    expect(ready(env)).toBe("Ready=True/Available");
  });

  it.each([
    ["create", 422, 1],
    ["deploy", 400, 6],
  ] as const)(
    "(%s, %i) is given up where the platform says that the spec is wrong, until it changes",
    async (...row) => {
      const [op, status, most] = row;
      const env = await started();
      const over = fail(env, [op], [{ is: "Invalid" }, status]);
      env.widget("a", { commit: "c1" });
      await env.run(2 * HOUR);
      expect(env.conditions("Widget", "a")).toContain("Stalled=True/InvalidSpec");
      expect(intentOf(env)).toBeUndefined();
      const anHourAgo = env.clock.monotonic() - HOUR;
      const reconciles = env.reconciles.filter(({ key, at }) => key === "Widget/team/a" && at > anHourAgo);
      expect(reconciles.length).toBeLessThan(8);
      expect(env.world.calls.filter((call) => call.op === op).length).toBeLessThanOrEqual(most);
      over();
      env.cluster.spec("Widget", "a", { name: "a", commit: "c2" });
      await env.run(15 * MINUTE);
      expect(ready(env)).toBe("Ready=True/Available");
      expect(env.world.count("create")).toBe(1);
      expect(env.world.count("deploy")).toBe(1);
    },
  );
});

describe("before anything is sent", () => {
  it("an exhausted rate budget writes no intent", async () => {
    const env = await started();
    let refusals = 2;
    env.world.reserve = async () => {
      refusals -= 1;
      if (refusals >= 0) await Promise.reject(apiError("reserve", { is: "RateLimited", retryAfterMs: 4_000 }, 0));
    };
    env.widget("a");
    await env.run(3_000);
    expect(env.cluster.writes.filter(({ what, key }) => what === "checked" && key.startsWith("Widget"))).toEqual([]);
    await env.run(20_000);
    expect(env.world.count("create")).toBe(1);
    expect(ready(env)).toBe("Ready=True/Available");
  });

  it("a process that does not lead changes nothing on the platform, and continues when it leads", async () => {
    const env = engineEnv();
    env.leader = false;
    env.widget("a", { note: "n" });
    await env.run(MINUTE);
    expect(env.world.effects).toEqual([]);
    expect(env.cluster.writes.filter(({ what, key }) => what === "checked" && key.startsWith("Widget"))).toEqual([]);
    env.leader = true;
    await env.run(31_000);
    expect(ready(env)).toBe("Ready=True/Available");
  });

  it("a lease that is lost once the intent is stored keeps the create from being sent until later", async () => {
    const env = await started();
    env.cluster.hooks.after = ({ what }) => {
      if (what === "checked") env.leader = false;
      return Promise.resolve();
    };
    env.widget("a");
    await env.run(100);
    expect(env.world.calls.filter(({ op }) => op === "create")).toEqual([]);
    expect(intentOf(env)).toBeDefined();
    env.cluster.hooks.after = () => Promise.resolve();
    env.leader = true;
    await env.run(31_000);
    expect(env.world.count("create")).toBe(1);
    expect(intentOf(env)).toBeUndefined();
  });

  it("a lease that is lost while the API server confirms the object keeps a repeatable write from being sent", async () => {
    const env = await applied({ note: "one" });
    const { client } = env.cluster;
    const request = client.request.bind(client);
    client.request = async (one) => {
      const answer = await request(one);
      if (one.method === "GET" && one.path.includes("widgets")) env.leader = false;
      return answer;
    };
    env.cluster.spec("Widget", "a", { name: "a", note: "two" });
    await env.run(1_000);
    expect(env.leader).toBe(false);
    expect(env.world.calls.filter(({ op }) => op === "update")).toEqual([]);
    client.request = request;
    env.leader = true;
    await env.run(31_000);
    expect(env.world.count("update")).toBe(1);
  });

  it.each(["create", "action"])("[R1] an intent for a(n) %s of a version that we do not know stalls", async (what) => {
    const env = await applied({ commit: "c1" });
    const intent = { v: 2, what: "of a newer version" };
    env.kill();
    if (what === "create") env.cluster.annotate("Widget", "a", { [INTENT]: JSON.stringify(intent) });
    else withAction(env, intent);
    const kept = () => [intentOf(env), recordedIn(env.cluster.get("Widget", "a"), "intent")];
    const before = kept();
    env.cluster.spec("Widget", "a", { name: "a", commit: "c2" });
    env.restart();
    await env.run(30 * MINUTE);
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/UnreadableLedger");
    expect(env.world.effects).toHaveLength(2);
    expect(kept()).toEqual(before);
    // The newer version finds out what became of it, and closes it.
    env.cluster.annotate("Widget", "a", { [INTENT]: null });
    withAction(env, undefined);
    env.restart();
    await env.run(5 * MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.effects.map(({ op }) => op)).toEqual(["create", "deploy", "deploy"]);
  });
});

it("[A3] a trace that fails leaves the intent open and is tried again", async () => {
  const env = await lost("after", 0);
  const over = fail(env, ["list"], [{ is: "BadResponse" }, 200]);
  await env.run(2 * MINUTE);
  expect(env.world.count("create")).toBe(1);
  expect(env.cluster.get("Widget", "a").status).not.toHaveProperty("externalId");
  over();
  await env.run(5 * MINUTE);
  expect(ready(env)).toBe("Ready=True/Available");
  expect(env.world.remotes.size).toBe(1);
});

describe("[A4] a repeatable action whose outcome nothing shows", () => {
  /** @param answers to the deployments in turn; those after the last succeed */
  async function deployed(answers: readonly ("lost" | "refused")[]): Promise<Env> {
    const env = await started({ kind: silent });
    const left = [...answers];
    env.world.hooks = {
      before: async ({ op }) => {
        if (op !== "deploy" || left[0] !== "refused") return;
        left.shift();
        await Promise.reject(apiError(op, { is: "Conflict" }, 409));
      },
      after: async ({ op }) => {
        if (op === "deploy" && left.shift() === "lost") await Promise.reject(apiError(op, ...LOST));
      },
    };
    env.widget("a", { name: "a", commit: "c1" });
    await env.run(HOUR);
    return env;
  }

  it("is sent once more", async () => {
    const env = await deployed(["lost"]);
    expect(env.world.count("deploy")).toBe(2);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.cluster.get("Widget", "a").status).not.toHaveProperty("writeLedger.intent");
  });

  it("is sent again where the repetition was refused, which is still the repetition", async () => {
    const env = await deployed(["lost", "refused", "lost"]);
    expect(env.world.count("deploy")).toBe(2);
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/NotObservable");
  });

  it("is left alone by a process that does not know whether the repetition was sent", async () => {
    const env = await deployed(["lost", "lost"]);
    env.restart();
    await env.run(HOUR);
    expect(env.world.count("deploy")).toBe(2);
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/NotObservable");
  });
});

describe("a record that is refused for good", () => {
  it("is stored as soon as it can be, and the create is neither traced nor sent again", async () => {
    const env = await started({ surface: "Documented" });
    let isRefused = true;
    env.cluster.hooks.before = async ({ what }) => {
      if (what === "outcome" && isRefused) await Promise.reject(new KubeError("Invalid", 422, "annotations: too long"));
    };
    env.widget("a", { note: "n" });
    await env.run(MINUTE);
    expect(env.world.count("create")).toBe(1);
    expect(env.cluster.get("Widget", "a").status).not.toHaveProperty("externalId");
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/InvalidSpec");
    isRefused = false;
    await env.run(MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.count("create")).toBe(1);
  });

  it("blocks nothing where the status has the id: a deletion ends", async () => {
    const env = await applied(DELETE);
    const { annotations = {} } = env.cluster.get("Widget", "a").metadata;
    env.cluster.hooks.before = async ({ what, body }) => {
      if (what !== "status" && Object.keys(body).some((key) => key in annotations)) {
        await Promise.reject(new KubeError("Invalid", 422, "annotations: too long"));
      }
    };
    env.cluster.annotate("Widget", "a", Object.fromEntries(Object.keys(annotations).map((key) => [key, null])));
    await env.run(MINUTE);
    env.cluster.remove("Widget", "a");
    await env.run(MINUTE);
    expect(env.cluster.find("Widget", "a")).toBeUndefined();
    expect(env.world.remotes.size).toBe(0);
  });
});

describe("[A3] a create that waits for the rate limit while its connection is edited", () => {
  /** Clients that fail after they are closed, like those of the platform. */
  function closable(env: Env): void {
    const connect = env.world.api.bind(env.world);
    env.world.api = () => {
      const real = connect();
      let isClosed = false;
      const create: typeof real.create = async (...made) => {
        if (isClosed) throw apiError("create", ...LOST);
        return await real.create(...made);
      };
      const close = async () => {
        isClosed = true;
        await real.close();
      };
      return { ...real, create, close };
    };
  }

  it("is sent once, through the edited connection", async () => {
    const env = await documented();
    closable(env);
    env.restart();
    await env.run(5_000);
    let waits = 0;
    env.world.reserve = async () => {
      waits += 1;
      if (waits > 1) return;
      env.cluster.spec("Link", "default", { surface: "Documented", allowUnverifiedIds: true });
      await env.engine.reconcile({ kind: "Link", namespace: "team", name: "default" });
      await env.clock.advance(31_000);
    };
    env.widget("a");
    await env.run(MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(waits).toBe(2);
    expect(env.world.count("create")).toBe(1);
  });
});
