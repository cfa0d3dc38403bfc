import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { call, control, create, startWithEnvironment, type Answer } from "../../test/support/env/simulated-platform.ts";
import type { Surface } from "../base/operations.ts";
import type { Simulator } from "../simulator.ts";
import type { DeliveryEntry } from "./deliveries.ts";
import { isLoopback } from "./delivery-post.ts";

interface Arrived {
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly event_type: string; readonly payload: Readonly<Record<string, unknown>> };
}

const events = [
  "DEPLOYMENT_STARTED",
  "DEPLOYMENT_SUCCEEDED",
  "DEPLOYMENT_FAILED",
  "DEPLOYMENT_SUCCESSFUL",
  "DEPLOYMENT_FAILURE",
  "DEPLOYMENT_CANCELLED",
];

let simulator: Simulator;
let target: Server;
let targetUrl: string;
let arrived: Arrived[];
/** Statuses of the next answers; 200 after them. */
let answers: number[];
let environmentId: string;

beforeEach(async () => {
  arrived = [];
  answers = [];
  target = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      arrived.push({ headers: request.headers, body: JSON.parse(text) as Arrived["body"] });
      response.writeHead(answers.shift() ?? 200).end();
    });
  }).listen(0, "127.0.0.1");
  await once(target, "listening");
  const address = target.address();
  targetUrl = `http://127.0.0.1:${typeof address === "object" ? String(address?.port) : ""}/hook`;
});

afterEach(async () => {
  await simulator.close();
  target.closeAllConnections();
  await once(target.close(), "close");
});

async function start(surface: Surface): Promise<void> {
  ({ simulator, environmentId } = await startWithEnvironment({ surface, speed: 1_000, seed: "deliveries" }));
  // The test sends the same bodies on both surfaces.
  await control(simulator, "PATCH /settings", { strictBodies: false });
}

const application = async (name: string): Promise<string> =>
  create(simulator, `/environment/${environmentId}/application`, {
    name,
    git_repository: { url: "https://github.com/acme/web.git", branch: "main", provider: "GITHUB" },
    build_mode: "DOCKER",
    healthchecks: {},
  });

const register = (change: object = {}): Promise<Answer> =>
  call(simulator, `POST /organization/${simulator.organizationId}/webhook`, {
    target_url: targetUrl,
    events,
    enabled: true,
    ...change,
  });

const deploy = (id: string, commit = "abcdef1"): Promise<Answer> =>
  call(simulator, `POST /application/${id}/deploy`, { git_commit_id: commit });

const names = (): readonly string[] => arrived.map(({ body }) => body.event_type);

async function arrivals(count: number): Promise<void> {
  await vi.waitFor(() => expect(arrived).toHaveLength(count), { timeout: 3_000 });
}

const deliveries = async (): Promise<readonly DeliveryEntry[]> => (await control(simulator, "GET /deliveries")).body;

describe("the documented surface", () => {
  beforeEach(() => start("documented"));

  it("sends the begin and the end of each application's deployment, also without reads", async () => {
    await register();
    const id = await application("web");
    await deploy(id);
    await arrivals(2);
    expect(arrived.map(({ body }) => body)).toEqual([
      { event_type: "DEPLOYMENT_STARTED", payload: { application_id: id } },
      { event_type: "DEPLOYMENT_SUCCEEDED", payload: { application_id: id } },
    ]);
    await deploy(id, "bad0001");
    await arrivals(4);
    expect(names().slice(2)).toEqual(["DEPLOYMENT_STARTED", "DEPLOYMENT_FAILED"]);
  });

  it("sends only requested events, and no cancellation", async () => {
    await register({ events: ["DEPLOYMENT_FAILED"] });
    await register({ enabled: false });
    const id = await application("web");
    await deploy(id);
    await vi.waitFor(() => expect(simulator.world().services.get(id)?.state).toBe("DEPLOYED"));
    await deploy(id, "bad0001");
    await arrivals(1);
    expect(names()).toEqual(["DEPLOYMENT_FAILED"]);
    simulator.sim.time.setSpeed(1);
    await register();
    const request = [...simulator.world().requests.values()].length;
    await deploy(id);
    const last = [...simulator.world().requests.values()][request];
    await control(simulator, `POST /requests/${last?.id}/cancel`);
    expect(simulator.world().requests.get(last?.id ?? "")?.status).toBe("CANCELED");
    expect(names()).toEqual(["DEPLOYMENT_FAILED"]);
  });
});

describe("the full surface", () => {
  beforeEach(() => start("full"));

  it("sends one message for all services of a deployment, with the secret", async () => {
    const hook = await register({ kind: "STANDARD", target_secret: "hush" });
    expect(JSON.stringify(hook.body)).not.toContain("hush");
    expect(hook.body).toMatchObject({ kind: "STANDARD", target_secret_set: true });
    const id = await application("web");
    await deploy(id);
    await arrivals(2);
    expect(names()).toEqual(["DEPLOYMENT_STARTED", "DEPLOYMENT_SUCCESSFUL"]);
    expect(arrived[1]?.headers["x-signature"]).toBe("hush");
    expect(arrived[1]?.body).toMatchObject({
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
    expect(arrived[1]?.body.payload).not.toHaveProperty("application_id");
    await control(simulator, "PATCH /settings", { deliveries: { secretHeader: "x-secret" } });
    await deploy(id, "bad0001");
    await arrivals(4);
    expect(names().slice(2)).toEqual(["DEPLOYMENT_STARTED", "DEPLOYMENT_FAILURE"]);
    expect(arrived[3]?.headers["x-secret"]).toBe("hush");
    expect(JSON.stringify(simulator.journal())).not.toContain("hush");
  });

  it("sends a cancellation", async () => {
    await register();
    const id = await application("web");
    simulator.sim.time.setSpeed(1);
    const { body } = await deploy(id);
    const { deployment_request_id: request }: { deployment_request_id: string } = body;
    await control(simulator, `POST /requests/${request}/cancel`);
    await arrivals(1);
    expect(names()).toEqual(["DEPLOYMENT_CANCELLED"]);
  });
});

describe("a delivery", () => {
  beforeEach(() => start("documented"));

  const behave = (settings: object): Promise<Answer> => control(simulator, "PATCH /settings", { deliveries: settings });

  it("is repeated until it is accepted, with a limit of attempts", async () => {
    await behave({ backoffSeconds: 0.01, attempts: 3 });
    await register({ events: ["DEPLOYMENT_STARTED"] });
    answers = [500, 404, 200];
    await deploy(await application("web"));
    await arrivals(3);
    await vi.waitFor(async () => {
      expect((await deliveries()).map(({ attempt, ended }) => [attempt, ended])).toEqual([
        [1, 500],
        [2, 404],
        [3, 200],
      ]);
    });
    answers = [500, 500, 500];
    await deploy(await application("next"));
    await arrivals(6);
    await vi.waitFor(async () => {
      expect((await deliveries()).slice(3).map(({ ended }) => ended)).toEqual([500, 500, 500]);
    });
    await control(simulator, "DELETE /deliveries");
    expect(await deliveries()).toEqual([]);
  });

  it("is sent twice with a setting", async () => {
    await behave({ copies: 2 });
    await register({ events: ["DEPLOYMENT_SUCCEEDED"] });
    await deploy(await application("web"));
    await arrivals(2);
    expect(arrived[0]?.body).toEqual(arrived[1]?.body);
  });

  it("arrives after later ones with a setting", async () => {
    await behave({ lateEvery: 2, lateSeconds: 1 });
    await register();
    const id = await application("web");
    await deploy(id);
    await vi.waitFor(() => expect(simulator.world().services.get(id)?.state).toBe("DEPLOYED"));
    await deploy(id, "bad0001");
    await arrivals(4);
    expect(names()).toEqual(["DEPLOYMENT_STARTED", "DEPLOYMENT_STARTED", "DEPLOYMENT_SUCCEEDED", "DEPLOYMENT_FAILED"]);
  });

  it("is lost with a setting, and never leaves the machine", async () => {
    await behave({ loseEvery: 2 });
    await register({ events: ["DEPLOYMENT_SUCCEEDED"], target_url: "https://example.com/hook" });
    await register({ events: ["DEPLOYMENT_SUCCEEDED"] });
    await deploy(await application("web"));
    await vi.waitFor(async () => {
      expect((await deliveries()).map(({ ended }) => String(ended)).toSorted()).toEqual(["lost", "refused"]);
    });
    expect(arrived).toEqual([]);
  });

  it.each([
    ["http://127.0.0.1:9/x", true],
    ["http://127.8.9.10/", true],
    ["http://localhost:8082", true],
    ["http://[::1]:8082/x", true],
    ["https://127.0.0.1/x", false],
    ["http://127.0.0.1.example.com/", false],
    ["http://10.0.0.1/", false],
    ["nonsense", false],
  ])("to %s goes out: %s", (url, goes) => {
    expect(isLoopback(url)).toBe(goes);
  });
});
