/** `spec.runSchedule` over hours: the operator, a simulated platform, and a clock that is turned by hand. */
import { describe, expect, it } from "vitest";

import { conditionOf } from "../../../src/engine/contract/status.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import type { Manifest } from "../../support/env/cluster.ts";
import { application, connection, database, environment, project, resource } from "../../support/kube/manifests.ts";
import { HOUR, MINUTE } from "../../support/platform/durations.ts";
import { settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

/** The clock begins at 10:00. */
const runSchedule = [{ kind: "Stop", schedule: "0 12,16 * * *", duration: "2h" }];

/** An hour later. */
function scheduled(
  surface: "full" | "documented",
  manifests: (env: OperatorEnv) => readonly Manifest[],
): Promise<OperatorEnv> {
  const place = (env: OperatorEnv) => [project("shop"), environment(env, "staging", "shop")];
  // No document says that clusters can be started, so the connection says it.
  const offered = surface === "full" ? { surface: "Full" } : {};
  return settledEnv((env) => [connection(env, "default", offered), ...place(env), ...manifests(env)], {
    surface,
    minutes: 60,
  });
}

/** More than may be changed at a time unless somebody asked for it. */
const databases = () => Array.from({ length: 12 }, (_, index) => database(`main-${index}`, "staging", { runSchedule }));
const clusters = ({ platform }: OperatorEnv) => {
  const externalId = platform.clusterIds[1] ?? "";
  return [resource("PlatformCluster", "main-0", { externalId, lifecycle: { applyPolicy: "Automatic" }, runSchedule })];
};

/**
 * Of databases and applications on the full surface: test/kinds/run-schedule.test.ts.
 */
describe.each([
  ["PlatformDatabase", "documented", "Database", databases],
  ["PlatformCluster", "full", "Cluster", clusters],
] as const)("the run schedule of a %s on the %s surface", (kind, surface, noun, manifests) => {
  const next = (env: OperatorEnv) => member(env.get(kind, "main-0").status, "nextRunChange");

  it("stops it when a window opens and starts it when the window ends, once each and on time, also over a restart", async () => {
    const env = await scheduled(surface, manifests);
    const stops = manifests(env).map(() => `stop${noun}`);
    const starts = manifests(env).map(() => `deploy${noun}`);
    expect(env.condition(kind, "main-0")).toMatch(/^True\//);
    expect(next(env)).toEqual({ at: "2026-11-21T12:00:00Z", runState: "Stopped" });
    const from = env.baseline();
    await env.run(HOUR - MINUTE);
    expect(env.writes(from)).toEqual([]);
    await env.restart();
    await env.run(10 * MINUTE);
    expect(env.writes(from)).toEqual(stops);
    expect(env.condition(kind, "main-0")).toBe("True/Stopped");
    expect(next(env)).toEqual({ at: "2026-11-21T14:00:00Z", runState: "Running" });
    await env.run(1.75 * HOUR);
    expect(env.writes(from)).toEqual(stops);
    await env.run(HOUR / 2);
    expect(env.writes(from)).toEqual([...stops, ...starts]);
    expect(member(env.get(kind, "main-0").status, "state")).toBe("DEPLOYED");
    const notes = env.events.filter(({ note }) => note.includes("spec.runSchedule says so"));
    expect(notes).toHaveLength(stops.length + starts.length);
    expect(env.condition("PlatformConnection", "default")).toBe("True/Available");
  });
});

/** Those whose objects the surface Documented cannot stop, or cannot start again. */
describe.each<[string, string, (env: OperatorEnv, more: JsonObject) => Manifest]>([
  ["PlatformApplication", "stop of applications", (_env, more) => application("main", "staging", more)],
  [
    "PlatformCluster",
    "start of clusters",
    ({ platform }, more) => resource("PlatformCluster", "main", { externalId: platform.clusterIds[1] ?? "", ...more }),
  ],
])("the run schedule of a %s on the documented surface", (kind, missing, manifest) => {
  it("stalls it at once, hours before its first window, and asks the platform for nothing", async () => {
    const env = await scheduled("documented", (of) => [manifest(of, {})]);
    const before = env.condition(kind, "main");
    expect(before).not.toMatch(/^False\//);
    const from = env.baseline();
    env.apply(manifest(env, { runSchedule }));
    await env.run(2_000);
    expect(env.condition(kind, "main", "Stalled")).toBe("True/NotSupportedByPlatform");
    const { message } = conditionOf(env.get(kind, "main"), "Ready") ?? {};
    expect(message).toBe(`The surface Documented has no ${missing}: spec.runSchedule stops nothing. Remove it.`);
    await env.run(3 * HOUR);
    expect(env.writes(from)).toEqual([]);
    env.apply(manifest(env, {}));
    await env.run(MINUTE);
    expect(env.condition(kind, "main")).toBe(before);
  });
});

it("an invalid run schedule stalls its resource, and delays no deletion", async () => {
  const wrong = [{ kind: "Stop", schedule: "99 99 * * *", duration: "11h" }];
  const lifecycle = { deletionPolicy: "Delete" };
  const env = await scheduled("full", () => [database("main", "staging", { lifecycle })]);
  env.apply(database("main", "staging", { lifecycle, runSchedule: wrong }));
  await env.run(10 * MINUTE);
  expect(env.condition("PlatformDatabase", "main", "Stalled")).toBe("True/InvalidSpec");
  env.cluster.remove("PlatformDatabase", "main");
  await env.run(HOUR);
  expect(env.cluster.find("PlatformDatabase", "main")).toBeUndefined();
});
