import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { call, control, create, startWithEnvironment, type Answer } from "../../test/support/env/simulated-platform.ts";
import type { Simulator } from "../simulator.ts";

let simulator: Simulator;
let environmentId: string;
let applicationId: string;
beforeEach(async () => {
  const options = { surface: "documented", speed: "instant", seed: "control" } as const;
  ({ simulator, environmentId } = await startWithEnvironment(options));
  applicationId = await create(simulator, `/environment/${environmentId}/application`, { name: "web" });
});
afterEach(() => simulator.close());

async function state(): Promise<unknown> {
  const { state: shown }: { state: string } = (await call(simulator, `GET /application/${applicationId}/status`)).body;
  return shown;
}

const deploy = (commit = "abcdef1"): Promise<Answer> =>
  call(simulator, `POST /application/${applicationId}/deploy`, { git_commit_id: commit });

it("the journal contains every call with principal, operation, body, status and effects, and every transition", async () => {
  await control(simulator, "DELETE /journal");
  await deploy();
  await call(simulator, "GET /cloudProvider", undefined, `Token ${simulator.tokens.read}`);
  await call(simulator, "GET /nowhere", undefined, null);
  const entries: Record<string, unknown>[] = (await control(simulator, "GET /journal")).body;
  const calls = entries.filter(({ is }) => is === "call");
  expect(calls.map(({ principal, operation, status }) => [principal, operation, status])).toEqual([
    ["admin", "deployApplication", 200],
    ["read", "listCloudProviders", 200],
    [null, null, 404],
  ]);
  expect(calls[0]).toMatchObject({
    method: "POST",
    path: `/application/${applicationId}/deploy`,
    body: { git_commit_id: "abcdef1" },
    effects: [{ deployed: applicationId, commit: "abcdef1", request: expect.any(String) }],
  });
  const seqs = entries.map(({ seq }) => Number(seq));
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  const transitions = entries.flatMap(({ transition }) => (transition === undefined ? [] : [transition]));
  const deployed = { id: applicationId, from: "DEPLOYING", to: "DEPLOYED" };
  expect(transitions).toContainEqual(expect.objectContaining(deployed));
});

it("the journal can be filtered by sequence number and by operation", async () => {
  const all: { seq: number }[] = (await control(simulator, "GET /journal")).body;
  const since = all.at(-1)?.seq ?? 0;
  await deploy();
  expect((await control(simulator, `GET /journal?since=${since}&operation=deployApplication`)).body).toHaveLength(1);
  expect((await control(simulator, `GET /journal?since=${since}&operation=createProject`)).body).toEqual([]);
});

it("the control endpoint edits a record, which puts a service out of date", async () => {
  await deploy();
  await call(simulator, `GET /application/${applicationId}/status`);
  const edited = await control(simulator, `PATCH /records/${applicationId}`, { cpu: 4000 });
  expect(edited.body).toMatchObject({ settings: { cpu: 4000 }, deploymentStatus: "OUT_OF_DATE" });
  expect((await control(simulator, `PATCH /records/${environmentId}`, { color: "red" })).status).toBe(400);
  expect((await control(simulator, "PATCH /records/nothing", {})).status).toBe(404);
});

it("the control endpoint removes a record", async () => {
  expect((await control(simulator, `DELETE /records/${applicationId}`)).status).toBe(204);
  expect((await call(simulator, `GET /application/${applicationId}/status`)).status).toBe(404);
});

it("the control endpoint deploys another commit as another user would, and stops all services of an environment", async () => {
  await deploy();
  await state();
  const foreign = await control(simulator, `POST /services/${applicationId}/deploy`, { commit: "fffffff" });
  expect(foreign.body).toEqual({ requestId: expect.any(String) });
  expect(await state()).toBe("DEPLOYED");
  expect(simulator.world().services.get(applicationId)?.commit).toBe("fffffff");
  expect((await control(simulator, `POST /environments/${environmentId}/stop`)).body).toEqual({ stopped: 1 });
  expect(await state()).toBe("STOPPED");
});

it("the control endpoint adds services, clusters, templates and manifests that no operation creates", async () => {
  const service = { environmentId, kind: "container", name: "worker" };
  const { id }: { id: string } = (await control(simulator, "POST /services", service)).body;
  const ingress = await call(simulator, `GET /container/${id}/ingressDeploymentStatus`);
  expect(ingress.body).toMatchObject({ status: "READY" });
  const { organizationId } = simulator;
  expect((await control(simulator, "POST /clusters", { organizationId, name: "third" })).status).toBe(200);
  expect(simulator.world().clusters.size).toBe(4);
  const template = { key: "tiny", version: "1", layers: [] };
  expect((await control(simulator, "PUT /templates", template)).body).toMatchObject({ status: "PUBLISHED" });
  expect((await call(simulator, `GET /organization/${organizationId}/platformTemplate`)).text).toContain(`"tiny"`);
  const manifest = await control(simulator, "PUT /manifests", { tag: "x/1", engine: "helm" });
  expect(manifest.body).toMatchObject({ overridable: [] });
  expect((await control(simulator, "PUT /manifests", { tag: "x/1" })).status).toBe(400);
});

describe("PATCH /settings", () => {
  it("changes only the given members, and sets the profile of a surface", async () => {
    const full: { profile: object } = (await control(simulator, "PATCH /settings", { surface: "full" })).body;
    expect(full.profile).toMatchObject({ statusCodes: "public", routerKey: "routerId", errorText: "detail" });
    const change = { profile: { errorText: "none" }, durations: { build: 1 }, speed: 5 };
    expect((await control(simulator, "PATCH /settings", change)).body).toMatchObject({
      surface: "full",
      speed: 5,
      profile: { statusCodes: "public", errorText: "none" },
      durations: { build: 1, deploy: 10 },
    });
    expect((await call(simulator, "GET /nowhere")).body).toEqual({ status: 404, error: "Not Found" });
    expect((await control(simulator, "PATCH /settings", { surface: "half" })).status).toBe(400);
    expect((await control(simulator, "PATCH /settings", { color: "red" })).status).toBe(400);
  });

  it("limits the calls of each token", async () => {
    const rate = { limit: 1, windowSeconds: 100, reset: "seconds" };
    await control(simulator, "PATCH /settings", { rate });
    const first = await call(simulator, "GET /cloudProvider");
    const second = await call(simulator, "GET /cloudProvider");
    expect(first.status).toBe(200);
    expect(first.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(second.status).toBe(429);
    expect(second.headers.get("x-ratelimit-reset")).toBe("100");
    expect((await call(simulator, "GET /cloudProvider", undefined, `Token ${simulator.tokens.read}`)).status).toBe(200);
    await control(simulator, "PATCH /settings", { rate: null });
    expect((await call(simulator, "GET /cloudProvider")).status).toBe(200);
  });

  it("the control endpoint adds faults to a running platform, lists and removes them", async () => {
    const fault = { name: "out", count: null, answer: { is: "status", status: 503 } };
    expect((await control(simulator, "POST /faults", fault)).status).toBe(200);
    expect((await call(simulator, "GET /cloudProvider")).status).toBe(503);
    expect((await control(simulator, "GET /faults")).body).toHaveLength(1);
    expect((await control(simulator, "DELETE /faults?name=out")).status).toBe(204);
    expect((await call(simulator, "GET /cloudProvider")).status).toBe(200);
    expect((await control(simulator, "POST /faults", { answer: { is: "moon" } })).status).toBe(400);
  });
});
