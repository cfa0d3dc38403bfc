import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { call, startWithEnvironment } from "../test/support/env/simulated-platform.ts";
import { DOCUMENTED_ENDPOINTS } from "../test/support/platform/documented.ts";
import { operations } from "./base/operations.ts";
import { startSimulator, type Simulator } from "./simulator.ts";

type Paths = Readonly<Record<string, object>>;

function published(paths: Paths): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "{}")}`),
  );
}

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ surface: "documented", speed: "instant", seed: "surface" });
});
afterAll(() => simulator.close());

const someId = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
const fill = (path: string): string => path.replaceAll(/\{\w+\}/g, someId);

describe("the documented surface", () => {
  it("has exactly the 32 documented operations", async () => {
    const { body } = await call(simulator, "GET /openapi.json", undefined, null);
    expect(body).toMatchObject({ info: { version: "1.0.4" }, openapi: expect.stringMatching(/^3\.1/) });
    const { paths }: { paths: Paths } = body;
    expect(published(paths)).toHaveLength(32);
    expect(published(paths).sort()).toEqual(DOCUMENTED_ENDPOINTS.toSorted());
  });

  const beyond = operations.filter(({ surface }) => surface === "full");
  it.each(beyond)("has no $method $path", async ({ method, path }) => {
    const answer = await call(simulator, `${method} ${fill(path)}`, method === "PUT" ? {} : undefined);
    expect([404, 405]).toContain(answer.status);
    expect(answer.headers.get("allow") === null).toBe(answer.status === 404);
  });
});

const others = ["/api/v2/cloudProvider", "/cloudProvider/", "/", "/api/v1/", "/api/v1/api/v1/cloudProvider"];
it.each(others)("a request for %s, which is outside of the API, is answered with 404", async (path) => {
  expect((await call(simulator, `GET ${path}`)).status).toBe(404);
});

it.each([
  ["an invalid id", "GET /application/nonsense/status", undefined, 400],
  ["an unknown id", `GET /application/${someId}/status`, undefined, 404],
  ["an unknown organization", `GET /organization/${someId}/project`, undefined, 404],
  ["a body without its members", `POST /application/${someId}/deploy`, {}, 400],
  ["an invalid commit", `POST /application/${someId}/deploy`, { git_commit_id: "main" }, 400],
  ["one of two required parameters", "GET /organization/{org}/platformTemplate?clusterMode=X", undefined, 400],
  ["a method that the path does not have", "PUT /cloudProvider", {}, 405],
])("a request with %s is answered with an error status and body", async (_what, request, body, status) => {
  const answer = await call(simulator, request.replace("{org}", simulator.organizationId), body);
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject({ status, error: expect.any(String), message: expect.any(String) });
});

it("a request whose body is not JSON is answered with 400", async () => {
  const response = await fetch(`${simulator.url}/organization/${simulator.organizationId}/project`, {
    method: "POST",
    headers: { authorization: `Token ${simulator.tokens.admin}`, "content-type": "application/json" },
    body: "{",
  });
  expect(response.status).toBe(400);
});

describe("the full surface", () => {
  let full: Awaited<ReturnType<typeof startWithEnvironment>>;
  beforeAll(async () => {
    full = await startWithEnvironment({ surface: "full", speed: "instant", seed: "full" });
  });
  afterAll(() => full.simulator.close());

  const repository = { url: "https://git.example.com/shop/api.git", provider: "GITLAB" };
  const application = { name: "web", git_repository: repository, healthchecks: {} };
  const port = { internal_port: 80, publicly_accessible: false };
  const webhook = { target_url: "https://hooks.example.com", events: ["DEPLOYMENT_STARTED"], kind: "STANDARD" };

  it.each([
    [
      "an application without health checks",
      "POST /environment/{env}/application",
      { ...application, healthchecks: undefined },
      "healthchecks",
    ],
    [
      "a repository of an unknown provider",
      "POST /environment/{env}/application",
      { ...application, git_repository: { ...repository, provider: "GITEA" } },
      "git_repository.provider",
    ],
    [
      "a port without a protocol",
      "POST /environment/{env}/application",
      { ...application, ports: [port] },
      "ports.0.protocol",
    ],
    ["an environment in a mode that only the platform sets", "PUT /environment/{env}", { mode: "PREVIEW" }, "mode"],
    ["a webhook without a kind", "POST /organization/{org}/webhook", { ...webhook, kind: undefined }, "kind"],
    [
      "an event of the documentation",
      "POST /organization/{org}/webhook",
      { ...webhook, events: ["DEPLOYMENT_FAILED"] },
      "events.0",
    ],
    ["a service type in lower case", `GET /application/${someId}/ingressDeploymentStatus`, undefined, "serviceType"],
  ])("refuses %s by name", async (_what, request, body, member) => {
    const { simulator: on, environmentId } = full;
    const path = request.replace("{env}", environmentId).replace("{org}", on.organizationId);
    const { status, text } = await call(on, path, body);
    expect(text).toContain(member);
    expect(status).toBe(400);
  });

  it("ignores members that it does not have", async () => {
    const { simulator: on, environmentId } = full;
    const body = { ...application, ports: [{ ...port, protocol: "HTTP" }], owner: "shop" };
    expect((await call(on, `POST /environment/${environmentId}/application`, body)).status).toBe(201);
  });
});
