import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { call, control, create, startWithEnvironment } from "../../test/support/env/simulated-platform.ts";
import { GIT_TOKEN_ID } from "../model/seed.ts";
import type { Simulator } from "../simulator.ts";

let simulator: Simulator;
let project: string;
let environment: string;
beforeEach(async () => {
  const options = { surface: "documented", speed: "instant", seed: "platforms" } as const;
  ({ simulator, projectId: project, environmentId: environment } = await startWithEnvironment(options));
});
afterEach(() => simulator.close());

const status = async (request: string, body?: unknown): Promise<number> =>
  (await call(simulator, request, body)).status;

describe("an operation that is switched off", () => {
  it.each([401, 403, 404, 405, 501])("answers only %i until it is switched on again", async (off) => {
    await control(simulator, "POST /surface", { surface: "full", operations: { getProject: off } });
    expect(await status(`GET /project/${project}`)).toBe(off);
    expect(await status(`GET /project/${project}/environment`)).toBe(200);
    await control(simulator, "POST /surface", { operations: {} });
    expect(await status(`GET /project/${project}`)).toBe(200);
  });

  it("must be an operation of the surface and have an error as its status", async () => {
    for (const operations of [{ getMoon: 404 }, { getProject: 200 }]) {
      expect((await control(simulator, "POST /surface", { operations })).status).toBe(400);
    }
  });
});

it("a platform that accepts only documented bodies rejects an undocumented member at any depth by its name", async () => {
  const body = { name: "web", git_repository: { url: "https://example.com/a.git", provider: "GITHUB" } };
  const refused = await call(simulator, `POST /environment/${environment}/application`, {
    ...body,
    healthchecks: {},
    ports: [{ internal_port: 80, name: "http" }],
  });
  expect(refused.status).toBe(400);
  for (const member of ["git_repository.provider", "healthchecks", "ports.name"]) {
    expect(refused.text).toContain(`${member} is not documented`);
  }
});

describe("the settings of answers", () => {
  it("remove the ingress of services and the text of errors", async () => {
    const service = await create(simulator, `/environment/${environment}/application`, { name: "web" });
    await control(simulator, "PATCH /settings", { ingresses: false, profile: { errorText: "bare" } });
    const { status: code, body } = await call(simulator, `GET /application/${service}/ingressDeploymentStatus`);
    expect(code).toBe(404);
    expect(body).toEqual({ error: "Not Found" });
  });

  it("connect repositories with a git token, by which they are listed", async () => {
    const path = `GET /organization/${simulator.organizationId}/account/github/repository`;
    const names = async (query = "") => {
      const { results }: { results: { name: string }[] } = (await call(simulator, `${path}${query}`)).body;
      return results.map(({ name }) => name);
    };
    expect(await names()).toEqual(["acme/web", "acme/api"]);
    for (const repository of simulator.world().repositories) repository.gitTokenId ??= simulator.organizationId;
    expect(await names(`?gitTokenId=${GIT_TOKEN_ID}`)).toEqual(["acme/api"]);
    expect(await status(`${path}?gitTokenId=${project}`)).toBe(404);
  });

  it("change the message for a service that is stopped already", async () => {
    await control(simulator, "PATCH /settings", { alreadyStopped: "Nothing runs there" });
    const database = { name: "db", type: "POSTGRESQL", version: "17", mode: "CONTAINER" };
    const id = await create(simulator, `/environment/${environment}/database`, database);
    await control(simulator, `PATCH /records/${id}`, { state: "STOPPED" });
    const refused = await call(simulator, `POST /database/${id}/stop`);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("Nothing runs there");
  });
});
