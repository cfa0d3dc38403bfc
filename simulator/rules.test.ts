import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { call, control, create, startWithEnvironment, type Answer } from "../test/support/env/simulated-platform.ts";
import type { Simulator } from "./simulator.ts";

let simulator: Simulator;
let projectId: string;
let environmentId: string;
beforeEach(async () => {
  const options = { surface: "full", speed: "instant", seed: "rules" } as const;
  ({ simulator, projectId, environmentId } = await startWithEnvironment(options));
  simulator.sim.settings.profile = { ...simulator.sim.settings.profile, records: "seed" };
});
afterEach(() => simulator.close());

const application = async (name = "web"): Promise<string> =>
  create(simulator, `/environment/${environmentId}/application`, { name });
const blueprint = { name: "cache", tag: "redis/3.0.0", icon: "https://example.com/i.png" };
const database = { name: "db", type: "POSTGRESQL", version: "16", mode: "MANAGED" };

const statusOf = async (request: string, body?: object): Promise<number> =>
  (await call(simulator, request, body)).status;

async function results(request: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { results: list }: { results: Readonly<Record<string, unknown>>[] } = (await call(simulator, request)).body;
  return list;
}

it.each([
  ["project", () => `POST /organization/${simulator.organizationId}/project`, {}],
  ["environment", () => `POST /project/${projectId}/environment`, {}],
  ["application", () => `POST /environment/${environmentId}/application`, {}],
  ["database", () => `POST /environment/${environmentId}/database`, database],
  ["blueprint", () => `POST /environment/${environmentId}/blueprint`, blueprint],
])("the name of a %s must be unique in its parent, ignoring case", async (_what, request, body) => {
  expect(await statusOf(request(), { ...body, name: "Thing" })).toBeLessThan(300);
  expect(await statusOf(request(), { ...body, name: "tHING" })).toBe(409);
});

it("the cluster of an environment must exist in the organization", async () => {
  const environment = (body: object): Promise<Answer> =>
    call(simulator, `POST /project/${projectId}/environment`, { name: "x", ...body });
  const foreign = [...simulator.world().clusters.values()].find(({ name }) => name === "theirs")?.id;
  expect((await environment({ cluster_id: foreign })).status).toBe(403);
  expect((await environment({ cluster_id: projectId })).status).toBe(404);
  expect((await environment({})).body).toMatchObject({ cluster_id: simulator.clusterIds[0] });
});

describe("the variables of a service", () => {
  const vars = (overwrite: boolean, ...list: (readonly [string, string, boolean])[]): object => ({
    overwrite,
    vars: list.map(([name, value, secret]) => ({ name, value, is_secret: secret })),
  });

  it("are imported without overwriting a secret, even on request", async () => {
    const path = `POST /application/${await application()}/environmentVariable/import`;
    await call(simulator, path, vars(false, ["A", "1", false], ["S", "x", true]));
    const again = vars(true, ["A", "3", false], ["S", "y", true], ["S", "y", false]);
    expect((await call(simulator, path, again)).body).toEqual({
      total_variables_to_import: 3,
      successful_imported_variables: [{ name: "A", value: "3", is_secret: false }],
    });
  });

  it("cannot have a name of the platform's own or an invalid one", async () => {
    const request = `POST /application/${await application()}/environmentVariable/import`;
    for (const name of ["VENDOR_HOST", "1A", "a b", ""]) {
      expect(await statusOf(request, vars(false, [name, "1", false])), name).toBe(400);
    }
  });

  it("need a scope in an import on the public surface, and are listed with it", async () => {
    const id = await application();
    simulator.sim.settings.profile.records = "public";
    const load = (scope?: string) => {
      const item = { name: "A", value: "1", is_secret: false, scope };
      return statusOf(`POST /application/${id}/environmentVariable/import`, { overwrite: false, vars: [item] });
    };
    expect(await load()).toBe(400);
    expect(await load("BUILT_IN")).toBe(400);
    const scopes = ["APPLICATION", "ENVIRONMENT", "PROJECT"];
    for (const scope of scopes) expect(await load(scope)).toBe(201);
    const listed = await results(`GET /application/${id}/environmentVariable`);
    expect(listed.filter(({ key }) => key === "A").map(({ scope }) => scope)).toEqual(scopes);
  });

  it("are read-only where they are inherited or built in", async () => {
    const id = await application();
    await control(simulator, "POST /variables", { parentId: projectId, scope: "PROJECT", key: "P", value: "p" });
    simulator.sim.settings.profile.records = "public";
    const listed = await results(`GET /application/${id}/environmentVariable`);
    expect(listed.map(({ scope }) => scope)).toEqual(["BUILT_IN", "PROJECT"]);
    for (const variable of listed) {
      const request = `DELETE /application/${id}/environmentVariable/${String(variable?.["id"])}`;
      expect(await statusOf(request)).toBeGreaterThanOrEqual(400);
    }
  });

  it("contain no secret's value in answers and in the journal", async () => {
    const id = await application();
    await call(simulator, `POST /application/${id}/secret`, { key: "S", value: "canary-1" });
    await call(simulator, `POST /application/${id}/environmentVariable/import`, vars(false, ["T", "canary-2", true]));
    expect((await call(simulator, `GET /application/${id}/secret`)).text).not.toContain("canary");
    expect((await control(simulator, "GET /journal")).text).not.toContain("canary");
    expect((await control(simulator, "GET /world")).text).not.toContain("canary");
    expect(await statusOf(`POST /application/${id}/secret`, { key: "S", value: "x" })).toBe(409);
  });
});
