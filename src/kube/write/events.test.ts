import { once } from "node:events";

import { describe, expect, it } from "vitest";

import { manualClock, settle } from "../../../test/support/kube/clock.ts";
import { afterFailures, scriptedClient } from "../../../test/support/kube/scripted-client.ts";
import { thing } from "../../../test/support/kube/things.ts";
import { KubeError } from "../api/errors.ts";
import type { KubeRequest } from "../api/transport.ts";
import type { EventInput, Json } from "../api/types.ts";
import { createRecorder } from "./events.ts";

const EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events";

function recording(answer: (request: KubeRequest) => Json | Promise<Json> = () => ({})) {
  const clock = manualClock();
  const client = scriptedClient(answer);
  let dropped = 0;
  const moved: string[] = [];
  const refused: string[] = [];
  const recorder = createRecorder({
    client,
    clock,
    random: () => 0,
    instance: "pod-1",
    fallbackNamespace: "operator",
    onDropped: () => (dropped += 1),
    onMoved: ({ name }, reason) => moved.push(`${name} ${reason}`),
    onRefused: (namespace) => refused.push(namespace),
  });
  return { clock, client, moved, refused, recorder, dropped: () => dropped };
}

const event = (more: Partial<EventInput> = {}): EventInput => ({
  regarding: thing("a", "5"),
  type: "Normal",
  reason: "Created",
  action: "Create",
  note: "created",
  ...more,
});

const bodies = (calls: readonly KubeRequest[]) => calls.map(({ body }) => body);

it("in a namespace without the right to write them, events are tried once in ten minutes, and others are written", async () => {
  const { client, clock, dropped, recorder, refused } = recording(({ path }) => {
    if (path !== EVENTS) return {};
    throw new KubeError("Forbidden", 403, "no");
  });
  const { namespace: _none, ...metadata } = thing("c", "5").metadata;
  const ofCluster = (note: string) => event({ regarding: { ...thing("c", "5"), metadata }, note });
  const elsewhere = thing("b", "6", { meta: { namespace: "shop" } });
  for (const note of ["one", "two"]) recorder.record(ofCluster(note));
  recorder.record(event({ regarding: elsewhere }));
  await clock.advance(1);
  expect(client.calls.map(({ path }) => path)).toEqual([EVENTS, EVENTS.replace("default", "shop")]);
  expect(dropped()).toBe(2);
  await clock.advance(10 * 60_000);
  recorder.record(ofCluster("three"));
  await clock.advance(1);
  expect(client.calls).toHaveLength(3);
  expect(refused).toEqual(["default", "default"]);
});

describe("an event", () => {
  it("is created in the object's namespace with a time of six fractional digits", async () => {
    const { client, recorder } = recording();
    recorder.record(event());
    await settle();
    const { apiVersion, kind, metadata } = thing("a", "5");
    const body = {
      ...event(),
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: expect.stringMatching(/^a\.[0-9a-f]+$/), namespace: "default" },
      eventTime: "2026-11-21T10:00:00.000000Z",
      reportingController: "platform-operator",
      reportingInstance: "pod-1",
      regarding: { apiVersion, kind, namespace: "default", name: "a", uid: metadata.uid },
    };
    expect(client.calls).toMatchObject([{ method: "POST", path: EVENTS, body }]);
    expect(client.calls[0]?.body).not.toHaveProperty("series");
  });

  it("has a valid name, however long the name of the object is", async () => {
    const { client, recorder } = recording();
    recorder.record(event({ regarding: thing(`${"x".repeat(199)}.${"y".repeat(53)}`, "5") }));
    await settle();
    expect(client.calls[0]?.body).toMatchObject({ metadata: { name: expect.stringMatching(/^x{199}\.[0-9a-f]+$/) } });
  });

  it("of a cluster-scoped object is created in the default namespace", async () => {
    const { client, recorder } = recording();
    const { namespace: _, ...metadata } = thing("a", "5").metadata;
    recorder.record(event({ regarding: { ...thing("a", "5"), metadata } }));
    await settle();
    expect(client.calls[0]?.path).toBe(EVENTS);
  });

  it("[E13] has a note of one printable line with at most 1,024 bytes", async () => {
    const { client, recorder } = recording();
    recorder.record(event({ note: `a\u001b[31m\nb\u202e${"ä".repeat(1_024)}` }));
    await settle();
    const [body] = bodies(client.calls) as { note: string }[];
    expect(body?.note).toMatch(/^a \[31m b ä+…$/);
    expect(Buffer.byteLength(body?.note ?? "")).toBeLessThanOrEqual(1_024);
  });
});

describe("an event that is recorded again", () => {
  it("within 10 minutes becomes a series, which is written at most once a minute", async () => {
    const { client, clock, recorder } = recording();
    for (let second = 0; second < 120; second += 1) {
      recorder.record(event());
      await clock.advance(1_000);
    }
    expect(client.calls.map(({ method }) => method)).toEqual(["POST", "PATCH", "PATCH"]);
    expect(bodies(client.calls).slice(1)).toEqual([
      { series: { count: 60, lastObservedTime: "2026-11-21T10:00:59.000000Z" } },
      { series: { count: 120, lastObservedTime: "2026-11-21T10:01:59.000000Z" } },
    ]);
  });

  it("after 10 minutes without it is created as a new event", async () => {
    const { client, clock, recorder } = recording();
    // lru-cache has no age for what was stored at the time 0.
    await clock.advance(1);
    recorder.record(event());
    await clock.advance(600_001);
    recorder.record(event());
    await settle();
    expect(client.calls.map(({ method }) => method)).toEqual(["POST", "POST"]);
  });

  it("with another note, reason, type, action or object is another event", async () => {
    const { client, recorder } = recording();
    const words = [{}, { note: "other" }, { reason: "Other" }, { type: "Warning" }, { action: "Other" }] as const;
    for (const more of [...words, { regarding: thing("a", "5", { uid: "again" }) }]) recorder.record(event(more));
    await settle();
    expect(client.calls).toHaveLength(6);
  });

  it("is created again if the API server has deleted it meanwhile", async () => {
    const expired = new KubeError("NotFound", 404, "expired");
    const { client, clock, recorder } = recording(({ method }) => (method === "PATCH" ? Promise.reject(expired) : {}));
    recorder.record(event());
    recorder.record(event());
    await clock.advance(60_000);
    expect(client.calls.map(({ method }) => method)).toEqual(["POST", "PATCH", "POST"]);
    expect(client.calls[2]?.body).toMatchObject({ series: { count: 2 } });
  });
});

it("an event of a terminating namespace is created in the operator's namespace, about the same object", async () => {
  const ending = new KubeError("Forbidden", 403, "no", undefined, ["NamespaceTerminating"]);
  const { client, dropped, moved, recorder } = recording(({ path }) => (path === EVENTS ? Promise.reject(ending) : {}));
  recorder.record(event());
  await settle();
  expect(client.calls[1]).toMatchObject({
    path: "/apis/events.k8s.io/v1/namespaces/operator/events",
    body: { metadata: { namespace: "operator" }, regarding: { namespace: "default", name: "a" } },
  });
  expect(moved).toEqual([`a ${event().reason}`]);
  expect(dropped()).toBe(0);
});

describe("an event that cannot be written", () => {
  const [busy, down] = [new KubeError("TooManyRequests", 429, "busy", 3_000), new KubeError("Unreachable", 0, "down")];

  it.each<[string, readonly KubeError[], number, number]>([
    ["is written after failures that end", [busy, new KubeError("Server", 500, "no")], 3, 0],
    ["is dropped and counted after failures that do not end", [down, down, down, down, down], 4, 1],
    ["is dropped at once if RBAC refuses it", [new KubeError("Forbidden", 403, "rbac")], 1, 1],
  ])("%s", async (_, failures, calls, drops) => {
    const { client, clock, dropped, recorder } = recording(afterFailures(failures, {}));
    recorder.record(event());
    await clock.advance(60_000);
    expect(client.calls).toHaveLength(calls);
    expect(dropped()).toBe(drops);
  });

  it("is dropped if too many events are waiting", async () => {
    const { dropped, recorder } = recording(() => new Promise(() => undefined));
    for (let index = 0; index < 10_101; index += 1) recorder.record(event({ note: String(index) }));
    expect(dropped()).toBe(100);
  });
});

it("stop writes the waiting events and ends its timers", async () => {
  const { client, clock, recorder } = recording();
  recorder.record(event());
  recorder.record(event({ note: "other" }));
  recorder.record(event());
  await recorder.stop();
  expect(client.calls).toHaveLength(2);
  expect(clock.pending()).toBe(0);
});

it("stop waits 2 s for an API server that does not answer", async () => {
  const canceled = new KubeError("Unreachable", 0, "canceled");
  const { clock, recorder } = recording(({ signal }) => once(signal!, "abort").then(() => Promise.reject(canceled)));
  recorder.record(event());
  let stopped = false;
  const stopping = recorder.stop().then(() => (stopped = true));
  await clock.advance(1_999);
  expect(stopped).toBe(false);
  await clock.advance(1);
  await stopping;
  expect(stopped).toBe(true);
});
