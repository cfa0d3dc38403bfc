import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { call, control, create, startWithEnvironment, type Answer } from "../test/support/env/simulated-platform.ts";
import { manualClock, type ManualClock } from "../test/support/kube/clock.ts";
import type { Simulator } from "./simulator.ts";

let simulator: Simulator;
let clock: ManualClock;
let projectId: string;
let environmentId: string;
beforeEach(async () => {
  clock = manualClock();
  const options = { surface: "full", speed: "instant", seed: "rules", clock } as const;
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

describe("names", () => {
  it.each([
    ["project", () => `POST /organization/${simulator.organizationId}/project`, {}],
    ["environment", () => `POST /project/${projectId}/environment`, {}],
    ["application", () => `POST /environment/${environmentId}/application`, {}],
    ["database", () => `POST /environment/${environmentId}/database`, database],
    ["blueprint", () => `POST /environment/${environmentId}/blueprint`, blueprint],
  ])("of a %s are unique in their parent, ignoring case", async (_what, request, body) => {
    expect(await statusOf(request(), { ...body, name: "Thing" })).toBeLessThan(300);
    expect(await statusOf(request(), { ...body, name: "tHING" })).toBe(409);
  });

  it("may stay the same in an update, and occur in another parent", async () => {
    await application("api");
    const id = await application("web");
    expect(await statusOf(`PUT /application/${id}`, { name: "WEB" })).toBe(200);
    expect(await statusOf(`PUT /application/${id}`, { name: "API" })).toBe(409);
    environmentId = await create(simulator, `/project/${projectId}/environment`, { name: "other" });
    await application("web");
  });
});

describe("an environment's cluster", () => {
  const environment = (body: object): Promise<Answer> =>
    call(simulator, `POST /project/${projectId}/environment`, { name: "x", ...body });

  it.each(["cluster", "cluster_id"])("is set by %s", async (member) => {
    const [, second] = simulator.clusterIds;
    expect((await environment({ [member]: second })).body).toMatchObject({ cluster_id: second });
  });

  it("must exist in the organization", async () => {
    const foreign = [...simulator.world().clusters.values()].find(({ name }) => name === "theirs")?.id;
    expect((await environment({ cluster_id: foreign })).status).toBe(403);
    expect((await environment({ cluster_id: projectId })).status).toBe(404);
    expect((await environment({})).body).toMatchObject({ cluster_id: simulator.clusterIds[0] });
  });
});

describe("variables", () => {
  const vars = (overwrite: boolean, ...list: (readonly [string, string, boolean])[]): object => ({
    overwrite,
    vars: list.map(([name, value, secret]) => ({ name, value, is_secret: secret })),
  });

  it("overwrite no secret in an import, not even on request", async () => {
    const path = `POST /application/${await application()}/environmentVariable/import`;
    await call(simulator, path, vars(false, ["A", "1", false], ["S", "x", true]));
    const again = vars(true, ["A", "3", false], ["S", "y", true], ["S", "y", false]);
    expect((await call(simulator, path, again)).body).toEqual({
      total_variables_to_import: 3,
      successful_imported_variables: [{ name: "A", value: "3", is_secret: false }],
    });
  });

  it("cannot have the platform's own names, nor names that are none", async () => {
    const request = `POST /application/${await application()}/environmentVariable/import`;
    for (const name of ["VENDOR_HOST", "1A", "a b", ""]) {
      expect(await statusOf(request, vars(false, [name, "1", false])), name).toBe(400);
    }
  });

  it("make a deployed application out of date; inherited and built-in ones are read-only", async () => {
    const id = await application();
    await call(simulator, `POST /application/${id}/deploy`, { git_commit_id: "abcdef1" });
    const freshness = async (): Promise<unknown> => {
      const { service_deployment_status: status }: Record<string, unknown> = (
        await call(simulator, `GET /application/${id}/status`)
      ).body;
      return status;
    };
    expect(await freshness()).toBe("UP_TO_DATE");
    await call(simulator, `POST /application/${id}/environmentVariable`, { key: "A", value: "1" });
    expect(await freshness()).toBe("OUT_OF_DATE");
    await control(simulator, "POST /variables", { parentId: projectId, scope: "PROJECT", key: "P", value: "p" });
    simulator.sim.settings.profile.records = "public";
    const listed = await results(`GET /application/${id}/environmentVariable`);
    expect(listed.map(({ scope }) => scope)).toEqual(["BUILT_IN", "APPLICATION", "PROJECT"]);
    for (const variable of [listed[0], listed[2]]) {
      const request = `DELETE /application/${id}/environmentVariable/${String(variable?.["id"])}`;
      expect(await statusOf(request)).toBeGreaterThanOrEqual(400);
    }
  });

  it("never show a secret's value, neither in answers nor in the journal", async () => {
    const id = await application();
    await call(simulator, `POST /application/${id}/secret`, { key: "S", value: "canary-1" });
    await call(simulator, `POST /application/${id}/environmentVariable/import`, vars(false, ["T", "canary-2", true]));
    expect((await call(simulator, `GET /application/${id}/secret`)).text).not.toContain("canary");
    expect((await control(simulator, "GET /journal")).text).not.toContain("canary");
    expect((await control(simulator, "GET /world")).text).not.toContain("canary");
    expect(await statusOf(`POST /application/${id}/secret`, { key: "S", value: "x" })).toBe(409);
  });
});

describe("a deleted object", () => {
  it("is gone at once if it was never deployed, else after a deployment request", async () => {
    const [fresh, deployed] = [await application("fresh"), await application("deployed")];
    await call(simulator, `POST /application/${deployed}/deploy`, { git_commit_id: "abcdef1" });
    await call(simulator, `GET /application/${deployed}/status`);
    simulator.sim.time.setSpeed(1);
    for (const id of [fresh, deployed]) expect(await statusOf(`DELETE /application/${id}`)).toBe(204);
    expect(await statusOf(`GET /application/${fresh}/status`)).toBe(404);
    expect((await call(simulator, `GET /application/${deployed}/status`)).body).toMatchObject({
      state: "DELETE_QUEUED",
    });
    await clock.advance(60_000);
    expect(await statusOf(`GET /application/${deployed}/status`)).toBe(404);
  });

  it.each([404, 403] as const)("is answered with %d when a parent is gone, too, else with 404", async (goneAs) => {
    simulator.sim.settings.goneAs = goneAs;
    const [id, first] = [await application(), await application("first")];
    await call(simulator, `DELETE /application/${first}`);
    expect(await statusOf(`GET /application/${first}/status`)).toBe(404);
    await call(simulator, `DELETE /project/${projectId}`);
    for (const path of [`project/${projectId}`, `environment/${environmentId}`, `application/${id}`]) {
      expect(await statusOf(`GET /${path}`), path).toBe(goneAs);
    }
  });
});

describe("lists with a lag", () => {
  it("hide new objects for a real time", async () => {
    simulator.sim.settings.listLagSeconds = 3;
    await application();
    const request = `GET /environment/${environmentId}/application`;
    expect(await results(request)).toHaveLength(0);
    await clock.advance(3000);
    expect(await results(request)).toHaveLength(1);
  });
});

describe("statuses", () => {
  it("show only the usage guide's four members with a setting", async () => {
    const id = await application();
    simulator.sim.settings.profile.applicationStatus = "partial";
    expect((await call(simulator, `GET /application/${id}/status`)).body).toEqual({
      id,
      state: "READY",
      service_deployment_status: "NEVER_DEPLOYED",
      last_deployment_date: null,
    });
  });
});
