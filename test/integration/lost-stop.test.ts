/** A stop whose request is lost, while the object is in STOP_ERROR because of somebody else. */
import { beforeAll, expect, it } from "vitest";

import { editRecord } from "../../simulator/control/records.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { application, database, resource } from "../support/kube/manifests.ts";
import { fixture } from "./fixture.ts";

const env = createEnv({ surface: "full", windows: { landingMs: 2_000 } });

beforeAll(() => fixture(env));

const AUTOMATIC = { lifecycle: { applyPolicy: "Automatic" } };

it.each<[string, string, () => Manifest]>([
  ["application", "stopApplication", () => application("app", "staging")],
  ["database", "stopDatabase", () => database("db", "staging")],
  ["cluster", "stopCluster", () => resource("PlatformCluster", "cluster", { externalId: clusterId(), ...AUTOMATIC })],
])("a lost stop of the %s in STOP_ERROR is sent again", async (_noun, operation, manifest) => {
  const { kind, metadata } = manifest();
  const { name } = metadata;
  const id = idOf(await env.ready(manifest()));
  // Somebody else stopped it, which failed.
  editRecord(env.platform.sim, id, { state: "STOP_ERROR" });
  await env.waitFor(kind, name, { reason: "StopFailed" });
  env.platform.sim.faults.add({
    name: operation,
    match: { operation },
    effect: "none",
    count: 1,
    answer: { is: "reset" },
  });
  const record = await env.record();
  await env.patch(kind, name, { spec: { runState: "Stopped" } });
  await env.waitFor(kind, name, { status: "True", reason: "Stopped" }, 30_000);
  expect(record.changes()).toEqual([operation, operation]);
  const { services, clusters } = env.platform.world();
  expect((services.get(id) ?? clusters.get(id))?.state).toBe("STOPPED");
});

function clusterId(): string {
  return env.platform.clusterIds[0] ?? "";
}
