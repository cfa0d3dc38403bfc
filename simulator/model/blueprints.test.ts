import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { call, startWithEnvironment, type Answer } from "../../test/support/env/simulated-platform.ts";
import type { Simulator } from "../simulator.ts";

const blueprint = { name: "cache", tag: "redis/3.0.0", icon: "https://example.com/i.png" };

let simulator: Simulator;
let environmentId: string;
beforeEach(async () => {
  const options = { surface: "full", speed: "instant", seed: "blueprints" } as const;
  ({ simulator, environmentId } = await startWithEnvironment(options));
});
afterEach(() => simulator.close());

const create = (tag: string, overrides?: object | null): Promise<Answer> =>
  call(simulator, `POST /environment/${environmentId}/blueprint`, { ...blueprint, tag, spec_overrides: overrides });
const deploy = (): Promise<Answer> =>
  call(simulator, `POST /environment/${environmentId}/blueprint?deploy=true`, blueprint);

describe("blueprints", () => {
  it.each<[string, string, object | null | undefined, number]>([
    ["a field that is not overridable", "postgres/1.0.0", { engine_version: "1.9.8", cpu: "1" }, 422],
    ["terraform without a version", "postgres/1.0.0", {}, 422],
    ["terraform with a version of another blueprint", "postgres/1.0.0", { engine_version: "1.8.3" }, 422],
    ["terraform with an allowed version", "postgres/1.0.0", { engine_version: "1.9.8" }, 201],
    ["opentofu without a version", "bucket/2.1.0", null, 422],
    ["opentofu with an allowed version", "bucket/2.1.0", { engine_version: "1.8.3", cpu: "500m" }, 201],
    ["helm with ignored members", "redis/3.0.0", { engine_version: "9", credentials: {}, backend: {} }, 201],
    ["helm with resources", "redis/3.0.0", { timeout: 60, cpu: "1" }, 201],
    ["helm with anything else", "redis/3.0.0", { replicas: 3 }, 422],
    ["no overrides", "redis/3.0.0", undefined, 201],
    ["overrides that are null", "redis/3.0.0", null, 201],
    ["a tag of nothing", "moon/1.0.0", {}, 422],
  ])("take %s", async (_what, tag, overrides, status) => {
    expect((await create(tag, overrides)).status).toBe(status);
  });

  it("are refused field by field, in a text or in a list", async () => {
    const fields = [
      { field: "spec_overrides.cpu", message: "is not overridable in postgres/1.0.0" },
      { field: "spec_overrides.ram", message: "is not overridable in postgres/1.0.0" },
      { field: "spec_overrides.engine_version", message: "is required for terraform blueprints" },
    ];
    const refused = async (): Promise<unknown> => (await create("postgres/1.0.0", { cpu: "1", ram: "1" })).body;
    expect(await refused()).toMatchObject({
      detail: fields.map(({ field, message }) => `${field} ${message}`).join("; "),
    });
    simulator.sim.settings.profile.rejections = "list";
    expect(await refused()).toMatchObject({ errors: fields });
  });

  it.each([
    ["record", { id: expect.any(String), tag: "redis/3.0.0" }],
    ["both", { tag: "redis/3.0.0", state: "DEPLOYMENT_QUEUED", deployment_request_id: expect.any(String) }],
    ["status", { id: expect.any(String), state: "DEPLOYMENT_QUEUED" }],
    ["ids", { deployment_id: expect.any(String), execution_id: expect.any(String) }],
  ] as const)("that are deployed at once are answered as the profile says: %s", async (shape, body) => {
    simulator.sim.settings.profile.blueprintDeployed = shape;
    simulator.sim.time.setSpeed(1);
    const answer = await deploy();
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject(body);
  });

  it("may have no body in the answer when they are deployed at once", async () => {
    simulator.sim.settings.profile.blueprintDeployed = "none";
    expect(await deploy()).toMatchObject({ status: 202, text: "" });
  });

  it("become a service that is deployed at once on request", async () => {
    const answer = await deploy();
    expect(answer.status).toBe(202);
    const { id }: { id: string } = answer.body;
    const listed = await call(simulator, `GET /environment/${environmentId}/services`);
    const { results: services }: { results: Readonly<Record<string, unknown>>[] } = listed.body;
    expect(services).toMatchObject([{ name: "cache", service_type: "HELM", blueprint_id: id }]);
    const ingress = `/${String(services[0]?.["id"])}/ingressDeploymentStatus`;
    for (const type of ["helm", "HELM"]) {
      expect((await call(simulator, `GET /${type}${ingress}`)).body).toEqual({
        routerId: expect.any(String),
        status: "DEPLOYED",
      });
    }
    expect((await call(simulator, `GET /application${ingress}`)).status).toBe(404);
    expect((await call(simulator, `GET /job${ingress}`)).status).toBe(400);
  });
});
