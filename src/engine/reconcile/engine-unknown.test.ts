import { describe, expect, it } from "vitest";

import { engineBench, type Bench } from "../../../test/support/engine/env.ts";
import { apiError, type Op } from "../../../test/support/engine/fake-platform.ts";
import { silent } from "../../../test/support/engine/kinds.ts";
import { INTENT, RESOLVE } from "../../api/names.ts";
import { KubeError } from "../../kube/api/errors.ts";
import type { ApiFailure } from "../../platform/transport/errors.ts";

const MINUTE = 60_000;

async function started(): Promise<Bench> {
  const bench = engineBench();
  await bench.run(5_000);
  return bench;
}

/** The next call of that operation fails so, before or after its effect. */
function failOnce(
  bench: Bench,
  op: Op,
  failure: ApiFailure,
  status: number,
  when: "before" | "after" = "before",
): void {
  let failed = false;
  const hook = (call: { readonly op: Op }): Promise<void> => {
    if (failed || call.op !== op) return Promise.resolve();
    failed = true;
    return Promise.reject(apiError(op, failure, status));
  };
  const quiet = (): Promise<void> => Promise.resolve();
  bench.world.hooks = when === "before" ? { before: hook, after: quiet } : { before: quiet, after: hook };
}

const intentOf = (bench: Bench): string | undefined => bench.cluster.get("Widget", "a").metadata.annotations?.[INTENT];

describe("[A3] a create of unknown outcome", () => {
  it.each(["before", "after"] as const)("(lost %s its effect) ends in one object", async (when) => {
    const bench = await started();
    failOnce(bench, "create", { is: "OutcomeUnknown" }, 504, when);
    bench.widget("a");
    await bench.run(1_000);
    expect(intentOf(bench)).toBeDefined();
    await bench.run(3 * MINUTE);
    expect(bench.world.remotes.size).toBe(1);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(intentOf(bench)).toBeUndefined();
  });

  it("is not tried again within the landing window", async () => {
    const bench = await started();
    failOnce(bench, "create", { is: "OutcomeUnknown" }, 504);
    bench.widget("a");
    await bench.run(59_000);
    expect(bench.world.count("create")).toBe(0);
    expect(bench.conditions("Widget", "a")).toContain("Ready=False/Creating");
    await bench.run(MINUTE);
    expect(bench.world.count("create")).toBe(1);
  });

  it("that nobody can find out stalls, and `resolve: recreate` is the way out", async () => {
    const bench = await started();
    bench.world.surface = "Documented";
    bench.cluster.spec("Link", "default", { surface: "Documented" });
    await bench.run(1_000);
    failOnce(bench, "create", { is: "OutcomeUnknown" }, 504);
    bench.widget("a");
    await bench.run(30 * MINUTE);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/CreateResultUnknown");
    expect(bench.world.count("create")).toBe(0);
    bench.cluster.annotate("Widget", "a", { [RESOLVE]: "recreate" });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(bench.world.count("create")).toBe(1);
    expect(bench.cluster.get("Widget", "a").metadata.annotations).not.toHaveProperty([RESOLVE]);
  });

  it("that nobody can find out is over when the user names the object", async () => {
    const bench = await started();
    bench.world.surface = "Documented";
    bench.cluster.spec("Link", "default", { surface: "Documented", allowUnverifiedIds: true });
    await bench.run(1_000);
    failOnce(bench, "create", { is: "OutcomeUnknown" }, 504, "after");
    bench.widget("a");
    await bench.run(MINUTE);
    const [id = ""] = bench.world.remotes.keys();
    bench.cluster.spec("Widget", "a", { name: "a", externalId: id });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(bench.cluster.get("Widget", "a").status).toMatchObject({ externalId: id });
    expect(intentOf(bench)).toBeUndefined();
    expect(bench.world.remotes.size).toBe(1);
  });

  it("with several results stalls until the user names the right one", async () => {
    const bench = await started();
    failOnce(bench, "create", { is: "OutcomeUnknown" }, 504, "after");
    bench.widget("a");
    await bench.run(0);
    bench.world.add("a");
    await bench.run(MINUTE);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/DuplicateRemote");
    const [id = ""] = bench.world.remotes.keys();
    bench.cluster.spec("Widget", "a", { name: "a", externalId: id });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(bench.world.remotes.size).toBe(2);
  });

  it("that is answered without an id is traced, not sent again", async () => {
    const bench = await started();
    const connect = bench.world.api.bind(bench.world);
    bench.world.api = (token) => {
      const real = connect(token);
      return { ...real, create: async (...made) => ({ ...(await real.create(...made)), id: "" }) };
    };
    bench.restart();
    bench.widget("a");
    await bench.run(3 * MINUTE);
    expect(bench.world.count("create")).toBe(1);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });

  it("that is answered without an id and not shown is never sent again, and a person can name it", async () => {
    const bench = await started();
    const connect = bench.world.api.bind(bench.world);
    let isShown = false;
    bench.world.api = (token) => {
      const real = connect(token);
      const create: typeof real.create = async (...made) => ({ ...(await real.create(...made)), id: "" });
      return { ...real, create, list: async () => (isShown ? await real.list() : []) };
    };
    bench.restart();
    bench.widget("a");
    await bench.run(30 * MINUTE);
    expect(bench.world.count("create")).toBe(1);
    const told = bench.conditions("Widget", "a");
    expect(told).toContain("Stalled=True/CreateResultUnknown");
    const { conditions } = bench.cluster.get("Widget", "a").status as { conditions: readonly { message: string }[] };
    expect(conditions.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("kubectl platform resolve widget/a -n team --id ID"),
    );
    isShown = true;
    await bench.run(30 * MINUTE);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(bench.world.count("create")).toBe(1);
  });

  it("is not superseded by a newer generation, and keeps its own name", async () => {
    const bench = await started();
    failOnce(bench, "create", { is: "OutcomeUnknown" }, 504, "after");
    bench.widget("a");
    await bench.run(0);
    bench.cluster.spec("Widget", "a", { name: "renamed" });
    await bench.run(3 * MINUTE);
    expect(bench.world.count("create")).toBe(1);
    expect(bench.cluster.get("Widget", "a").status).toMatchObject({ externalId: [...bench.world.remotes.keys()][0] });
  });
});

describe("[A4] an action of unknown outcome", () => {
  it.each(["before", "after"] as const)("(lost %s its effect) happens once", async (when) => {
    const bench = await started();
    bench.widget("a");
    await bench.run(5_000);
    failOnce(bench, "deploy", { is: "OutcomeUnknown" }, 0, when);
    bench.cluster.spec("Widget", "a", { name: "a", commit: "c1" });
    await bench.run(1_000);
    expect(bench.cluster.get("Widget", "a").status).toHaveProperty("intent");
    await bench.run(3 * MINUTE);
    expect(bench.world.count("deploy")).toBe(1);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(bench.cluster.get("Widget", "a").status).not.toHaveProperty("intent");
  });
});

describe("[C8] what was certainly not executed", () => {
  it.each<[ApiFailure, number]>([
    [{ is: "Unreachable" }, 0],
    [{ is: "RateLimited", retryAfterMs: 3_000 }, 429],
    [{ is: "NotFound" }, 404],
    [{ is: "Unauthorized" }, 401],
  ])("(%o) closes its intent at once and is tried again", async (failure, status) => {
    const bench = await started();
    failOnce(bench, "create", failure, status);
    bench.widget("a", { commit: "c1" });
    await bench.run(100);
    expect(intentOf(bench)).toBeUndefined();
    failOnce(bench, "deploy", failure, status);
    await bench.run(45_000);
    expect(bench.world.count("create")).toBe(1);
    expect(bench.world.count("deploy")).toBe(1);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });

  it("is terminal where the platform says that the spec is wrong", async () => {
    const bench = await started();
    failOnce(bench, "create", { is: "Invalid" }, 422);
    bench.widget("a");
    await bench.run(1_000);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/InvalidSpec");
    expect(intentOf(bench)).toBeUndefined();
    expect(bench.due("Widget", "a")).toBeGreaterThan(MINUTE);
  });
});

describe("before anything is sent", () => {
  it("an exhausted budget costs no intent", async () => {
    const bench = await started();
    let refused = 0;
    bench.world.reserve = () => {
      refused += 1;
      return refused > 2
        ? Promise.resolve()
        : Promise.reject(apiError("reserve", { is: "RateLimited", retryAfterMs: 4_000 }, 0));
    };
    bench.widget("a");
    await bench.run(3_000);
    expect(bench.cluster.writes.filter(({ what, key }) => what === "checked" && key.startsWith("Widget"))).toEqual([]);
    await bench.run(20_000);
    expect(bench.world.count("create")).toBe(1);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });

  it("a conflict on the intent ends the pass", async () => {
    const bench = await started();
    let conflicts = 0;
    bench.cluster.hooks.before = ({ what }) => {
      conflicts += what === "checked" ? 1 : 0;
      return what === "checked" && conflicts === 1
        ? Promise.reject(new KubeError("Conflict", 409, "conflict"))
        : Promise.resolve();
    };
    bench.widget("a");
    await bench.run(0);
    expect(bench.world.calls.filter(({ op }) => op === "create")).toEqual([]);
    await bench.run(5_000);
    expect(bench.world.count("create")).toBe(1);
  });

  it("an intent whose write got no answer is known not to be sent", async () => {
    const bench = await started();
    let lost = 0;
    bench.cluster.hooks.after = ({ what }) => {
      lost += what === "checked" ? 1 : 0;
      return what === "checked" && lost === 1
        ? Promise.reject(new KubeError("Timeout", 0, "no answer"))
        : Promise.resolve();
    };
    bench.widget("a");
    await bench.run(100);
    expect(intentOf(bench)).toBeDefined();
    await bench.run(10_000);
    expect(bench.world.count("create")).toBe(1);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });

  it.each(["lease", "time"] as const)("a lost %s between intent and send sends nothing", async (what) => {
    const bench = await started();
    bench.cluster.hooks.after = async (write) => {
      if (write.what !== "checked") return;
      if (what === "lease") bench.leader = false;
      else await bench.clock.advance(6_000);
    };
    bench.widget("a");
    await bench.run(1_000);
    expect(bench.world.calls.filter(({ op }) => op === "create")).toEqual([]);
    bench.leader = true;
    bench.cluster.hooks.after = () => Promise.resolve();
    await bench.run(10_000);
    expect(bench.world.count("create")).toBe(1);
    expect(intentOf(bench)).toBeUndefined();
  });

  it("[R1] an intent of a version that we do not know stalls", async () => {
    const bench = await started();
    bench.widget("a", {}, { annotations: { [INTENT]: '{"v":2}' } });
    await bench.run(30 * MINUTE);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/ForeignLedger");
    expect(bench.world.effects).toEqual([]);
    expect(intentOf(bench)).toBe('{"v":2}');
  });

  it("an intent that came with a copied manifest is dropped", async () => {
    const bench = await started();
    const intent = {
      v: 1,
      uid: "other",
      installation: bench.installation,
      attempt: "1-a",
      op: "create",
      creates: true,
    };
    const copied = JSON.stringify({ ...intent, generation: 1, name: "a", mark: null });
    bench.widget("a", {}, { annotations: { [INTENT]: copied } });
    await bench.run(5_000);
    expect(bench.world.count("create")).toBe(1);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });
});

describe("[A4] an action that changes nothing when it is repeated, and whose outcome nothing shows", () => {
  /** @param answers to the deployments in turn; those after the last succeed */
  async function deployed(answers: readonly ("lost" | "refused")[]): Promise<Bench> {
    const bench = engineBench({ kind: silent });
    await bench.run(5_000);
    let sent = 0;
    const fails = (answer: "lost" | "refused") => (answers[sent - 1] === answer ? answer : undefined);
    bench.world.hooks = {
      before: ({ op }) => {
        if (op !== "deploy") return Promise.resolve();
        sent += 1;
        return fails("refused") ? Promise.reject(apiError(op, { is: "Conflict" }, 409)) : Promise.resolve();
      },
      after: ({ op }) =>
        op === "deploy" && fails("lost")
          ? Promise.reject(apiError(op, { is: "OutcomeUnknown" }, 504))
          : Promise.resolve(),
    };
    bench.widget("a", { name: "a", commit: "c1" });
    await bench.run(60 * MINUTE);
    return bench;
  }

  it("is sent once more", async () => {
    const bench = await deployed(["lost"]);
    expect(bench.world.count("deploy")).toBe(2);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(bench.cluster.get("Widget", "a").status).not.toHaveProperty("intent");
  });

  it("is sent again where the repetition was refused, which is still the repetition", async () => {
    const bench = await deployed(["lost", "refused", "lost"]);
    expect(bench.world.count("deploy")).toBe(2);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/NotObservable");
  });

  it("is left alone by a process that does not know whether the repetition was sent", async () => {
    const bench = await deployed(["lost", "lost"]);
    bench.restart();
    await bench.run(60 * MINUTE);
    expect(bench.world.count("deploy")).toBe(2);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/NotObservable");
  });
});
