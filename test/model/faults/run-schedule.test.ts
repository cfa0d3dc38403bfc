/** `spec.runSchedule` over hours: the operator, a simulated platform, and a clock that is turned by hand. */
import { describe, expect, it } from "vitest";

import { member } from "../../../src/kube/api/json.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import type { Manifest } from "../../support/env/cluster.ts";
import { application, connection, database, environment, project, resource } from "../../support/kube/manifests.ts";
import { HOUR, MINUTE } from "../../support/platform/durations.ts";
import { settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

/** The clock begins at 10:00. */
const WINDOWS = [{ kind: "Stop", schedule: "0 12,16 * * *", duration: "2h" }];

const next = (env: OperatorEnv, kind: string) => member(env.get(kind, "main").status, "nextRunChange");

const MAKE = {
  PlatformApplication: (_env: OperatorEnv, spec: JsonObject) => application("main", "staging", spec),
  PlatformDatabase: (_env: OperatorEnv, spec: JsonObject) => database("main", "staging", spec),
  PlatformCluster: ({ platform }: OperatorEnv, spec: JsonObject) =>
    resource("PlatformCluster", "main", {
      externalId: platform.clusterIds[1] ?? "",
      lifecycle: { applyPolicy: "Automatic" },
      ...spec,
    }),
};

/** An hour later. @param offered the surface as the connection says it */
function scheduled(
  surface: "full" | "documented",
  manifests: (env: OperatorEnv) => readonly Manifest[],
  offered: JsonObject = {},
): Promise<OperatorEnv> {
  const place = (env: OperatorEnv) => [project("shop"), environment(env, "staging", "shop")];
  return settledEnv((env) => [connection(env, "default", offered), ...place(env), ...manifests(env)], {
    surface,
    minutes: 60,
  });
}

async function running(surface: "full" | "documented", kind: keyof typeof MAKE): Promise<OperatorEnv> {
  // No document says that clusters can be started.
  const offered = surface === "full" ? { surface: "Full" } : {};
  const env = await scheduled(surface, (env) => [MAKE[kind](env, { runSchedule: WINDOWS })], offered);
  expect(env.condition(kind, "main")).toMatch(/^True\//);
  return env;
}

/** Of databases and applications on the full surface: test/kinds/run-schedule.test.ts. */
describe.each([
  ["PlatformDatabase", "documented", "Database"],
  ["PlatformCluster", "full", "Cluster"],
] as const)("the schedule of a %s on the %s surface", (kind, surface, noun) => {
  const [stop, start] = [`stop${noun}`, `deploy${noun}`];

  it("stops it when a window opens, and starts it when that ends, once each and on time, over a restart", async () => {
    const env = await running(surface, kind);
    expect(next(env, kind)).toEqual({ at: "2026-11-21T12:00:00Z", runState: "Stopped" });
    const from = env.baseline();
    await env.run(HOUR - MINUTE);
    expect(env.writes(from)).toEqual([]);
    await env.restart();
    await env.run(10 * MINUTE);
    expect([env.writes(from), env.condition(kind, "main")]).toEqual([[stop], "True/Stopped"]);
    expect(next(env, kind)).toEqual({ at: "2026-11-21T14:00:00Z", runState: "Running" });
    await env.run(1.75 * HOUR);
    expect(env.writes(from)).toEqual([stop]);
    await env.run(HOUR / 2);
    expect([env.writes(from), member(env.get(kind, "main").status, "state")]).toEqual([[stop, start], "DEPLOYED"]);
    expect(env.events.filter(({ note }) => note.includes("spec.runSchedule says so"))).toHaveLength(2);
  });
});

describe("schedules", () => {
  it("stop a fleet, which is no mass change that nobody asked for", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `main-${index}`);
    const env = await scheduled("full", () => names.map((name) => database(name, "staging", { runSchedule: WINDOWS })));
    const from = env.baseline();
    await env.run(1.75 * HOUR);
    expect(env.writes(from)).toEqual(names.map(() => "stopDatabase"));
    expect(env.condition("PlatformConnection", "default")).toBe("True/Available");
  });

  it("that are wrong stall what has them, and hold up no deletion", async () => {
    const runSchedule = [{ kind: "Stop", schedule: "99 99 * * *", duration: "11h" }];
    const lifecycle = { deletionPolicy: "Delete" };
    const env = await scheduled("full", () => [database("main", "staging", { lifecycle })]);
    env.apply(database("main", "staging", { lifecycle, runSchedule }));
    await env.run(10 * MINUTE);
    expect(env.condition("PlatformDatabase", "main", "Stalled")).toBe("True/InvalidSpec");
    env.cluster.remove("PlatformDatabase", "main");
    await env.run(HOUR);
    expect(env.cluster.find("PlatformDatabase", "main")).toBeUndefined();
  });

  it.each(["PlatformApplication", "PlatformCluster"] as const)(
    "stop no %s where the platform has no stop or no start of it, and say so",
    async (kind) => {
      const make = (env: OperatorEnv) => [MAKE[kind](env, { runSchedule: WINDOWS })];
      const env = await scheduled("documented", make, { surface: "Documented" });
      expect(env.condition(kind, "main", "Stalled")).toBe("True/NotSupportedByApi");
      const from = env.baseline();
      await env.run(3 * HOUR);
      expect([env.writes(from), next(env, kind)]).toEqual([[], undefined]);
    },
  );
});
