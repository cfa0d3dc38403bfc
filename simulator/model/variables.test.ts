import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { call, create, startWithEnvironment } from "../../test/support/env/simulated-platform.ts";
import type { Simulator } from "../simulator.ts";

let simulator: Simulator;
let id: string;
beforeEach(async () => {
  const env = await startWithEnvironment({ surface: "full", speed: "instant", seed: "variables" });
  simulator = env.simulator;
  id = await create(simulator, `/environment/${env.environmentId}/application`, {
    name: "api",
    git_repository: { url: "https://github.com/acme/web.git", provider: "GITHUB" },
    healthchecks: {},
  });
});
afterEach(() => simulator.close());

const item = (name: string, scope?: string): object => ({ name, value: "1", is_secret: false, scope });
const load = async (...vars: object[]) =>
  call(simulator, `POST /application/${id}/environmentVariable/import`, { overwrite: false, vars });

describe("an import of variables", () => {
  it("needs scopes on deployed services, and adds each variable in its scope", async () => {
    expect((await load(item("A"))).status).toBe(400);
    expect((await load(item("A", "BUILT_IN"))).status).toBe(400);
    const scopes = ["APPLICATION", "ENVIRONMENT", "PROJECT"];
    for (const scope of scopes) expect((await load(item("A", scope))).status).toBe(201);
    const { body } = await call(simulator, `GET /application/${id}/environmentVariable`);
    const listed: { readonly results: readonly { readonly key: string; readonly scope: string }[] } = body;
    expect(listed.results.flatMap(({ key, scope }) => (key === "A" ? [scope] : []))).toEqual(scopes);
  });

  it("needs none on the documented surface", async () => {
    simulator.sim.settings.profile.records = "seed";
    expect((await load(item("A"))).status).toBe(201);
  });
});
