import { describe, expect, it } from "vitest";

import { manualClock } from "../../test/support/kube/clock.ts";
import { failureOf, ORGANIZATION, startHarness } from "../../test/support/platform/client.ts";
import { ID } from "../../test/support/platform/requests.ts";
import { createGates } from "./rate/gate.ts";

const project = { id: ID, name: "web" };
const none = { body: { results: [] } };
const limited = { status: 429, headers: { "X-RateLimit-Reset": "5" } };

describe("a request of the client", () => {
  it.each([
    ["Token", "", `/organization/${ORGANIZATION}/project`],
    ["Bearer", "/api/v1", `/api/v1/organization/${ORGANIZATION}/project`],
  ] as const)(
    "has the current token with the scheme %s, the version, and the path prefix %j",
    async (scheme, pathPrefix, url) => {
      const { server, connect } = await startHarness(none);
      let token = "one\n";
      const platform = connect({ scheme, pathPrefix, token: () => token });
      await platform.projects.list();
      token = "two";
      await platform.projects.list();
      const sent = (value: string) => {
        const headers = { authorization: `${scheme} ${value}`, "user-agent": "platform-operator/1.2.3" };
        return { method: "GET", url, body: "", headers };
      };
      expect(server.arrived).toMatchObject([sent("one"), sent("two")]);
      expect(server.arrived[0]?.headers).not.toHaveProperty("content-type");
    },
  );

  it("has the other scheme where the other scheme is tried", async () => {
    const { server, connect } = await startHarness(none);
    expect(await connect({ scheme: "Token", token: () => "one" }).otherScheme()).toBe("Bearer");
    expect(server.arrived.map(({ headers }) => headers.authorization)).toEqual(["Bearer one"]);
  });

  it.each(["", "\n", "a b", "a\n\n", "a\r\nb: c", "a\u0000", "päss", "a\t"])(
    "[E2] is not sent with the malformed token %j",
    async (token) => {
      const { server, connect } = await startHarness();
      const error = await failureOf(connect({ token: () => token }).projects.list());
      expect(error).toMatchObject({ failure: { is: "Unauthorized" }, status: 0 });
      expect(token.length > 1 && error.message.includes(token)).toBe(false);
      expect(server.arrived).toEqual([]);
    },
  );
});

it("a client knows the platform's clock from the date of its answers", async () => {
  const headers = { date: "Sat, 21 Nov 2026 12:00:00 GMT" };
  const { clock, connect } = await startHarness({ headers, body: project });
  const platform = connect();
  expect(platform.serverNow()).toBeUndefined();
  const serverDate = new Date("2026-11-21T12:00:00Z");
  expect(await platform.projects.create({ name: "web" })).toMatchObject({ id: ID, serverDate });
  clock.skip(1500);
  expect(platform.serverNow()).toEqual(new Date("2026-11-21T12:00:01.500Z"));
});

describe("the rate gate of a client", () => {
  it("refuses every request while no call is allowed, also one with a reservation", async () => {
    const { server, calls, connect } = await startHarness();
    let mayCall = true;
    const platform = connect({ mayCall: () => mayCall });
    await platform.reserve();
    mayCall = false;
    for (const call of [() => platform.projects.list(), () => platform.projects.create({ name: "web" })]) {
      expect(await failureOf(call())).toMatchObject({ failure: { is: "OverBudget" }, status: 0 });
    }
    expect(server.arrived).toEqual([]);
    expect(calls.map(({ sent }) => sent)).toEqual([false, false]);
  });

  it("refuses a write that is no longer allowed after it waited at the gate, for each kind of write", async () => {
    const { server, calls, connect } = await startHarness(none);
    const clock = manualClock();
    const asked: string[] = [];
    const mayCall = (effect: "read" | "write") => {
      asked.push(effect);
      return effect === "read";
    };
    const platform = connect({ clock, mayCall, rate: { requestsPerSecond: 1, burst: 1 } });
    await platform.projects.list();
    const { projects } = platform;
    for (const write of [() => projects.delete(project.id), () => projects.create({ name: "web" })]) {
      const failed = failureOf(write());
      await clock.advance(1_500);
      expect(await failed).toMatchObject({ failure: { is: "OverBudget" }, status: 0 });
    }
    expect(asked.filter((effect) => effect === "write")).toHaveLength(2);
    expect(server.arrived).toHaveLength(1);
    expect(calls.map(({ sent }) => sent)).toEqual([true, false, false]);
  });

  it("lets a POST with a reservation pass when there is no room for other requests", async () => {
    const { server, connect } = await startHarness({ body: project }, none);
    const clock = manualClock();
    const platform = connect({ clock, rate: { requestsPerSecond: 0.1, burst: 1 } });
    await platform.reserve();
    const list = platform.projects.list();
    expect(await platform.projects.create({ name: "web" })).toMatchObject(project);
    const late = failureOf(platform.projects.create({ name: "web" }));
    await clock.advance(2_000);
    expect((await late).failure.is).toBe("OverBudget");
    expect(server.arrived).toHaveLength(1);
    await clock.advance(8_000);
    expect(await list).toEqual([]);
  });

  it("is shared by all connections with the same token", async () => {
    const { connect } = await startHarness(limited, none);
    const clock = manualClock();
    const gates = createGates({ clock, random: () => 0 });
    const [first, second] = [connect({ clock, gates }), connect({ clock, gates })];
    const other = connect({ clock, gates, token: () => "another" });
    await failureOf(first.projects.list());
    expect((await failureOf(second.projects.list())).failure.is).toBe("RateLimited");
    expect(second.limited()).toEqual({ sinceMs: 0, leftMs: 5_000 });
    expect(await other.projects.list()).toEqual([]);
    expect(other.limited()).toBeUndefined();
  });
});

it("an answer is remembered up to the age that the caller allows, until a write that makes it stale", async () => {
  const { server, connect } = await startHarness();
  const platform = connect();
  server.script(none);
  await Promise.all([platform.projects.list(), platform.projects.list({ maxAgeMs: 10_000 })]);
  await platform.projects.list({ maxAgeMs: 10_000 });
  expect(server.arrived).toHaveLength(1);
  server.script({ status: 500 }, { body: { results: [project] } });
  expect((await failureOf(platform.projects.create({ name: "web" }))).failure.is).toBe("OutcomeUnknown");
  expect(await platform.projects.list({ maxAgeMs: 10_000 })).toMatchObject([project]);
  expect(server.arrived).toHaveLength(3);
});

it("the token of a cluster is never remembered", async () => {
  const { server, connect } = await startHarness({ body: { status: { token: "t" } } });
  const { clusters } = connect();
  for (let read = 0; read < 2; read += 1) expect(await clusters.token(ID)).toEqual({ status: { token: "t" } });
  expect(server.arrived).toHaveLength(2);
});
