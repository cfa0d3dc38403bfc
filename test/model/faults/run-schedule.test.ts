/** `spec.runSchedule` over hours: the operator, a simulated platform, and a clock that is turned by hand. */
import { describe, expect, it } from "vitest";

import { member } from "../../../src/kube/api/json.ts";
import type { Manifest } from "../../support/env/cluster.ts";
import { connection, database, environment, project, resource } from "../../support/kube/manifests.ts";
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
 * Of databases and applications on the full surface: test/kinds/run-schedule.test.ts. Of platforms without a stop or a
 * start: test/hostile/generated-changes.test.ts.
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
