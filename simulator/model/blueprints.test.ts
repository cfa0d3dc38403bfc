import { afterAll, beforeAll, expect, it } from "vitest";

import { call, startWithEnvironment, type Answer } from "../../test/support/env/simulated-platform.ts";
import type { Simulator } from "../simulator.ts";

let simulator: Simulator;
let environmentId: string;
let names = 0;
beforeAll(async () => {
  const options = { surface: "full", speed: "instant", seed: "blueprints" } as const;
  ({ simulator, environmentId } = await startWithEnvironment(options));
});
afterAll(() => simulator.close());

const post = (query: string, change: object = {}): Promise<Answer> => {
  names += 1;
  const body = { name: `cache-${names}`, tag: "redis/3.0.0", icon: "https://example.com/i.png", ...change };
  return call(simulator, `POST /environment/${environmentId}/blueprint${query}`, body);
};

it.each<[string, string, object | null | undefined, number]>([
  ["a field that is not overridable", "postgres/1.0.0", { engine_version: "1.9.8", cpu: "1" }, 422],
  ["terraform without a version", "postgres/1.0.0", {}, 422],
  ["terraform with a version of another blueprint", "postgres/1.0.0", { engine_version: "1.8.3" }, 422],
  ["terraform with an allowed version", "postgres/1.0.0", { engine_version: "1.9.8" }, 201],
  ["opentofu without a version", "bucket/2.1.0", null, 422],
  ["opentofu with an allowed version", "bucket/2.1.0", { engine_version: "1.8.3", cpu: "500m" }, 201],
  ["helm with ignored members", "redis/3.0.0", { engine_version: "9", credentials: {}, backend: {} }, 201],
  ["helm with resources", "redis/3.0.0", { timeout: 60, cpu: "1" }, 201],
  ["helm with another member", "redis/3.0.0", { replicas: 3 }, 422],
  ["no overrides", "redis/3.0.0", undefined, 201],
  ["overrides that are null", "redis/3.0.0", null, 201],
  ["an unknown tag", "moon/1.0.0", {}, 422],
])("a blueprint is accepted or rejected for %s", async (_what, tag, overrides, status) => {
  expect((await post("", { tag, spec_overrides: overrides })).status).toBe(status);
});

it("the rejection of a blueprint names each field, as text or as a list", async () => {
  const refused = async (spec_overrides: object) => (await post("", { tag: "postgres/1.0.0", spec_overrides })).body;
  const fixed = "is not overridable in postgres/1.0.0";
  const required = "spec_overrides.engine_version is required for terraform blueprints";
  expect(await refused({ cpu: "1" })).toMatchObject({ detail: `spec_overrides.cpu ${fixed}; ${required}` });
  simulator.sim.settings.profile.rejections = "list";
  const errors = [
    { field: "spec_overrides.cpu", message: fixed },
    { field: "spec_overrides.engine_version", message: "must be one of 1.9.8, 1.10.5 for postgres/1.0.0" },
  ];
  expect(await refused({ cpu: "1", engine_version: "9" })).toMatchObject({ errors });
  simulator.sim.settings.profile.rejections = "text";
});
