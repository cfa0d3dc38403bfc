import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { call, control, create, startWithEnvironment, type Answer } from "../../test/support/env/simulated-platform.ts";
import { type ScriptedServer, startScriptedServer } from "../../test/support/kube/scripted-server.ts";
import type { Surface } from "../base/operations.ts";
import type { Simulator } from "../simulator.ts";
import type { DeliveryEntry } from "./deliveries.ts";
import { isLoopback } from "./delivery-post.ts";

const eventOf = (what: string): string => `DEPLOYMENT_${what}`;
const events = ["STARTED", "SUCCEEDED", "FAILED", "SUCCESSFUL", "FAILURE", "CANCELLED"].map(eventOf);

let simulator: Simulator;
let target: ScriptedServer;
let environmentId: string;

beforeEach(async () => {
  target = await startScriptedServer();
});

afterEach(async () => {
  await simulator.close();
  await target.stop();
});

async function start(surface: Surface): Promise<void> {
  ({ simulator, environmentId } = await startWithEnvironment({ surface, speed: 1_000, seed: "deliveries" }));
  // The test sends the same bodies on both surfaces.
  await control(simulator, "PATCH /settings", { strictRequests: false });
}

const application = async (name = "web"): Promise<string> =>
  create(simulator, `/environment/${environmentId}/application`, {
    name,
    git_repository: { url: "https://github.com/acme/web.git", branch: "main", provider: "GITHUB" },
    build_mode: "DOCKER",
    healthchecks: {},
  });

const register = (change: object = {}): Promise<Answer> =>
  call(simulator, `POST /organization/${simulator.organizationId}/webhook`, {
    target_url: `${target.url}/hook`,
    events,
    enabled: true,
    ...change,
  });

const deploy = (id: string, commit = "abcdef1"): Promise<Answer> =>
  call(simulator, `POST /application/${id}/deploy`, { git_commit_id: commit });

/** Deploys an application, and then a commit that fails. */
async function deployTwice(id: string): Promise<void> {
  await deploy(id);
  await expect.poll(() => simulator.world().services.get(id)?.state).toBe("DEPLOYED");
  await deploy(id, "bad0001");
}

/** Cancels a deployment that has not begun. */
async function cancelOne(id: string): Promise<void> {
  simulator.sim.time.setSpeed(1);
  const { deployment_request_id: request }: { deployment_request_id: string } = (await deploy(id)).body;
  const cancel = `POST /requests/${request}/cancel`;
  expect((await control(simulator, cancel)).status).toBe(204);
  expect((await control(simulator, cancel)).status).toBe(409);
}

type Body = { readonly event_type: string; readonly payload: object };
const bodies = (): readonly Body[] => target.arrived.map(({ body }) => JSON.parse(body) as Body);
const names = (): readonly string[] => bodies().map(({ event_type }) => event_type);

async function expectArrivals(...wanted: readonly string[]): Promise<void> {
  await expect.poll(names).toEqual(wanted.map(eventOf));
}

const deliveries = async (): Promise<readonly DeliveryEntry[]> => (await control(simulator, "GET /deliveries")).body;

describe("the deliveries of the documented surface", () => {
  beforeEach(() => start("documented"));

  it("announce the start and the end of each application's deployment, also when nobody reads its status", async () => {
    await register();
    const id = await application();
    await deploy(id);
    await expectArrivals("STARTED", "SUCCEEDED");
    expect(bodies().map(({ payload }) => payload)).toEqual([{ application_id: id }, { application_id: id }]);
    await deploy(id, "bad0001");
    await expectArrivals("STARTED", "SUCCEEDED", "STARTED", "FAILED");
  });

  it("announce only the requested events, and no cancellation", async () => {
    await register({ events: ["DEPLOYMENT_FAILED"] });
    await register({ enabled: false });
    const id = await application();
    await deployTwice(id);
    await expectArrivals("FAILED");
    await register();
    await cancelOne(id);
    await expectArrivals("FAILED");
  });
});

describe("the deliveries of the full surface", () => {
  beforeEach(() => start("full"));

  it("announce all services of a deployment in one message, with the secret of the webhook", async () => {
    const hook = await register({ kind: "STANDARD", target_secret: "hush" });
    expect(JSON.stringify(hook.body)).not.toContain("hush");
    expect(hook.body).toMatchObject({ kind: "STANDARD", target_secret_set: true });
    const id = await application();
    await deploy(id);
    await expectArrivals("STARTED", "SUCCESSFUL");
    expect(target.arrived[1]?.headers["platform-signature"]).toBe("hush");
    expect(bodies()[1]).toMatchObject({
      created_at: expect.any(String),
      payload_type: "ENVIRONMENT",
      payload_id: environmentId,
      payload: {
        current_status: "DEPLOYED",
        desired_status: "DEPLOYED",
        organization: { id: simulator.organizationId },
        environment: { id: environmentId },
        applications: [{ id, name: "web" }],
        databases: [],
      },
    });
    expect(bodies()[1]?.payload).not.toHaveProperty("application_id");
    await control(simulator, "PATCH /settings", { deliveries: { secretHeader: "platform-secret" } });
    await deploy(id, "bad0001");
    await expectArrivals("STARTED", "SUCCESSFUL", "STARTED", "FAILURE");
    expect(target.arrived[3]?.headers["platform-secret"]).toBe("hush");
    expect(JSON.stringify(simulator.journal())).not.toContain("hush");
  });

  it("announce a cancellation", async () => {
    await register();
    await cancelOne(await application());
    await expectArrivals("CANCELLED");
  });
});

describe("a delivery", () => {
  beforeEach(() => start("documented"));

  const behave = (settings: object): Promise<Answer> => control(simulator, "PATCH /settings", { deliveries: settings });

  it("is repeated until it is accepted, with a limit of attempts", async () => {
    await behave({ backoffSeconds: 0.01, attempts: 3 });
    await register({ events: ["DEPLOYMENT_STARTED"] });
    const ended = async () => (await deliveries()).map((entry) => [entry.attempt, entry.ended]);
    const expected = [
      [500, 404, 200],
      [500, 500, 500],
    ];
    for (const statuses of expected) {
      target.script(...statuses.map((status) => ({ status })));
      await deploy(await application(`app-${statuses.join("-")}`));
      await expect.poll(ended).toEqual(statuses.map((status, index) => [index + 1, status]));
      await control(simulator, "DELETE /deliveries");
    }
    expect(await deliveries()).toEqual([]);
  });

  it.each([
    ["is sent twice", { copies: 2 }, /SUCCEEDED/, ["SUCCEEDED", "SUCCEEDED"]],
    ["arrives late", { lateEvery: 2, lateSeconds: 1 }, /./, ["STARTED", "STARTED", "SUCCEEDED", "FAILED"]],
  ])("%s where a setting asks for that", async (_what, settings, wanted, arrived) => {
    await behave(settings);
    await register({ events: events.filter((event) => wanted.test(event)) });
    await deployTwice(await application());
    await expectArrivals(...arrived);
  });

  it("is lost where a setting asks for that, and is never sent to another machine", async () => {
    await behave({ loseEvery: 2 });
    await register({ events: ["DEPLOYMENT_SUCCEEDED"], target_url: "https://example.com/hook" });
    await register({ events: ["DEPLOYMENT_SUCCEEDED"] });
    await deploy(await application());
    const ends = async () => (await deliveries()).map(({ ended }) => String(ended)).toSorted();
    await expect.poll(ends).toEqual(["lost", "refused"]);
    expect(target.arrived).toEqual([]);
  });
});

const loopback = ["http://127.0.0.1:9/x", "http://127.8.9.10/", "http://localhost:8082", "http://[::1]:8082/x"];
const others = ["https://127.0.0.1/x", "http://127.0.0.1.example.com/", "http://10.0.0.1/", "nonsense"];
it.each([...loopback, ...others])("a delivery to %s is sent only if that is a loopback address", (url) => {
  expect(isLoopback(url)).toBe(loopback.includes(url));
});
