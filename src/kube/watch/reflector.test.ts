import { describe, expect, it, onTestFinished } from "vitest";

import { manualClock, settle } from "../../../test/support/kube/clock.ts";
import { afterFailures, scriptedClient } from "../../../test/support/kube/scripted-client.ts";
import { THING, thing, thingList } from "../../../test/support/kube/things.ts";
import { KubeError } from "../api/errors.ts";
import type { Json } from "../api/types.ts";
import { createReflector } from "./reflector.ts";
import { createStore } from "./store.ts";

const gone = new KubeError("Gone", 410, "too old");
const expired = { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } };

/** Starts a reflector of Things, until the test ends. @param answer the API server's answer to each list */
async function started(answer: Parameters<typeof scriptedClient>[0] = () => thingList("10", [thing("a", "5")])) {
  const clock = manualClock();
  const client = scriptedClient(answer);
  const changes: string[] = [];
  const store = createStore((error) => expect.unreachable(String(error)));
  store.subscribe(({ type, object }) => changes.push(`${type} ${object.metadata.uid}`));
  const problems = { malformed: 0, failures: [] as string[] };
  const observer = {
    malformed: () => (problems.malformed += 1),
    failed: (_: unknown, error: KubeError) => problems.failures.push(error.failure),
  };
  const reflector = createReflector({ client, store, type: THING, clock, random: () => 0, observer });
  onTestFinished(() => reflector.stop());
  reflector.start();
  await clock.advance(1);
  return { clock, client, store, changes, reflector, problems, lists: () => client.calls.length };
}

describe("the list of a reflector", () => {
  it("is read in pages of 500 without a resourceVersion, so that it is current", async () => {
    const { client, reflector, store } = await started(({ query }) =>
      query?.["continue"] === "more" ? thingList("10", [thing("b", "6")]) : thingList("10", [thing("a", "5")], "more"),
    );
    expect(store.list("Thing").map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    expect(client.calls.map(({ query }) => query)).toEqual([{ limit: 500 }, { limit: 500, continue: "more" }]);
    expect(reflector.synced()).toBe(true);
  });

  it("has objects without managedFields, and with the type of the resource", async () => {
    const { apiVersion: _, kind: __, ...bare } = thing("a", "5", { meta: { managedFields: [{ manager: "x" }] } });
    const { store } = await started(() => thingList("10", [bare]));
    expect(store.list("Thing")).toEqual([thing("a", "5")]);
  });

  it("leaves out and counts malformed items", async () => {
    const { store, problems } = await started(() => thingList("10", [null, { metadata: {} }, thing("a", "5")]));
    expect(store.list("Thing")).toHaveLength(1);
    expect(problems.malformed).toBe(2);
  });

  it("[B11] is tried again after a failure, and after the Retry-After of the server", async () => {
    const busy = new KubeError("TooManyRequests", 429, "busy", 7_000);
    const { clock, reflector } = await started(afterFailures([busy], thingList("10", [])));
    await clock.advance(6_900);
    expect(reflector.synced()).toBe(false);
    await clock.advance(200);
    expect(reflector.synced()).toBe(true);
  });

  it("[B4] is started again when its continuation has expired", async () => {
    let expire = true;
    const { clock, lists, store } = await started(({ query }) => {
      if (query?.["continue"] === undefined) return thingList("10", [thing("a", "5")], "more");
      if (expire) {
        expire = false;
        throw gone;
      }
      return thingList("10", [thing("b", "6")]);
    });
    expect(store.list("Thing")).toEqual([]);
    await clock.advance(1_000);
    expect(store.list("Thing")).toHaveLength(2);
    expect(lists()).toBe(4);
  });
});

describe("the watch of a reflector", () => {
  it("asks for bookmarks and its own end, and starts at the version of the list", async () => {
    const { client } = await started();
    const asked = { watch: true, allowWatchBookmarks: true };
    expect(client.watch().query).toEqual({ ...asked, resourceVersion: "10", timeoutSeconds: 30 });
  });

  it.each([
    ["short over HTTP/1.1, where only its end shows that the server lives", undefined, 30],
    ["long over HTTP/2, where the client notices a dead connection", 0, 300],
  ])("is %s", async (_, silenceMs, timeoutSeconds) => {
    const { client, clock } = await started();
    client.silenceMs = silenceMs;
    client.watch().close();
    await clock.advance(100);
    expect(client.watch().query["timeoutSeconds"]).toBe(timeoutSeconds);
  });

  it("is as silent as its connection, and after its death as long as that could go unnoticed", async () => {
    const { client, clock, reflector } = await started();
    client.silenceMs = 3_000;
    client.watch().close();
    await clock.advance(100);
    client.watch().send({ type: "BOOKMARK", object: { metadata: { resourceVersion: "20" } } });
    await clock.advance(120_000);
    expect(reflector.silentMs()).toBe(3_000);
    client.accepts = false;
    client.silenceMs = undefined;
    client.watch().fail(new KubeError("Timeout", 0, "dead"));
    await clock.advance(2_000);
    expect(reflector.silentMs()).toBe(22_000);
  });

  it("brings every change into the store", async () => {
    const { changes, client } = await started();
    client.watch().send({ type: "ADDED", object: thing("b", "11") });
    client.watch().send({ type: "MODIFIED", object: thing("a", "12") });
    client.watch().send({ type: "DELETED", object: thing("b", "13") });
    client.watch().send({ type: "ADDED", object: thing("a", "14", { uid: "again" }) });
    await settle();
    expect(changes).toEqual([
      "added uid-a",
      "added uid-b",
      "updated uid-a",
      "deleted uid-b",
      "deleted uid-a",
      "added again",
    ]);
  });

  it("is opened again at once from the newest version when the server ends it, without a list", async () => {
    const { client, clock, lists } = await started();
    client.watch().send({ type: "BOOKMARK", object: { metadata: { resourceVersion: "20" } } });
    client.watch().close();
    await clock.advance(100);
    expect(client.watches).toHaveLength(2);
    expect(client.watch().query["resourceVersion"]).toBe("20");
    expect(lists()).toBe(1);
  });

  it("[B6] connects at most 20 times a minute to a server that ends every watch at once", async () => {
    const { client, clock, lists } = await started();
    for (let second = 0; second < 600; second += 1) {
      for (const watch of client.watches) watch.close();
      await clock.advance(100);
    }
    expect(client.watches.length).toBeGreaterThan(10);
    expect(client.watches.length).toBeLessThanOrEqual(20);
    expect(lists()).toBe(1);
  });

  it("[B5] is opened again within 45 s if the connection is dead without an error", async () => {
    const { client, clock } = await started();
    const dead = client.watch();
    await clock.advance(45_000);
    expect(dead.aborted()).toBe(true);
    expect(client.watches).toHaveLength(2);
  });

  it.each([
    ["a refusal", new KubeError("Server", 500, "no")],
    ["a refused token", new KubeError("Unauthorized", 401, "no")],
    ["a reset", new KubeError("Unreachable", 0, "ECONNRESET")],
    ["an error of another kind", new TypeError("terminated")],
  ])("is opened again after %s", async (_, error) => {
    const { client, clock } = await started();
    client.watch().fail(error);
    await clock.advance(1_000);
    expect(client.watches).toHaveLength(2);
  });

  it.each(["an event", "a long life", "[B8] a long life and a reset"])("waits shortly again after %s", async (sign) => {
    const { client, clock } = await started();
    for (let failure = 0; failure < 5; failure += 1) {
      client.watch().fail(new KubeError("Server", 500, "no"));
      await clock.advance(800 * 2 ** failure + 1);
    }
    if (sign === "an event") client.watch().send({ type: "ADDED", object: thing("b", "11") });
    else {
      await clock.advance(5_000);
      if (sign === "a long life") client.watch().close();
      else client.watch().fail(new KubeError("Unreachable", 0, "ECONNRESET"));
    }
    await clock.advance(900);
    const before = client.watches.length;
    client.watch().fail(new KubeError("Server", 500, "no"));
    await clock.advance(1_000);
    expect(client.watches).toHaveLength(before + 1);
  });

  it("[B8] is tried every 8 s if the server does not answer, however long it is down", async () => {
    const { client, clock } = await started();
    for (let failure = 0; failure < 8; failure += 1) {
      client.watch().fail(new KubeError("Unreachable", 0, "ECONNREFUSED"));
      await clock.advance(8_200);
      expect(client.watches).toHaveLength(failure + 2);
    }
  });

  it("waits longer after each connection that times out, up to 8 s", async () => {
    const { client, clock } = await started();
    client.accepts = false;
    client.watch().fail(new KubeError("Unreachable", 0, "ECONNRESET"));
    await clock.advance(801);
    for (const wait of [1_600, 3_200, 6_400, 8_000, 8_000]) {
      const before = client.watches.length;
      await clock.advance(5_000);
      client.watch().fail(new KubeError("Timeout", 0, "UND_ERR_CONNECT_TIMEOUT"));
      await clock.advance(wait - 1);
      expect(client.watches).toHaveLength(before);
      await clock.advance(102);
      expect(client.watches).toHaveLength(before + 1);
    }
  });

  it("waits longer after each failure, up to 30 s", async () => {
    const { client, clock } = await started();
    for (let failure = 0; failure < 8; failure += 1) {
      client.watch().fail(new KubeError("Server", 500, "no"));
      await clock.advance(Math.min(30_000, 800 * 2 ** failure) + 1);
    }
    client.watch().fail(new KubeError("Server", 500, "no"));
    const before = client.watches.length;
    await clock.advance(29_000);
    expect(client.watches).toHaveLength(before);
    await clock.advance(1_100);
    expect(client.watches).toHaveLength(before + 1);
  });
});

describe("[B4] a resourceVersion that is too old", () => {
  const listed = [thingList("10", [thing("a", "5"), thing("b", "6")]), thingList("30", [thing("a", "25")])];

  it.each(["as status", "in the stream"])("reported %s is followed by one list within 2 s", async (way) => {
    const left = [...listed];
    const { changes, client, clock, lists } = await started(() => left.shift() ?? null);
    if (way === "as status") client.watch().fail(gone);
    else client.watch().send(expired);
    await clock.advance(2_000);
    expect(lists()).toBe(2);
    expect(changes.slice(2)).toEqual(["deleted uid-b", "updated uid-a"]);
    expect(client.watch().query["resourceVersion"]).toBe("30");
  });

  it("that the server reports again and again is followed by fewer and fewer lists", async () => {
    const { client, clock, lists } = await started();
    for (let tenth = 0; tenth < 600; tenth += 1) {
      client.watch().send(expired);
      await clock.advance(100);
    }
    expect(lists()).toBeLessThanOrEqual(8);
  });

  it("of a server that went back in time is followed by a list, which replaces newer objects", async () => {
    let answer = thingList("100", [thing("a", "90"), thing("b", "91")]);
    const { client, clock, store } = await started(() => answer);
    answer = thingList("50", [thing("a", "40")]);
    client.watch().send({ type: "BOOKMARK", object: { metadata: { resourceVersion: "60" } } });
    await clock.advance(1_000);
    expect(store.list("Thing")).toEqual([thing("a", "40")]);
  });
});

describe("[B7] a malformed line of a watch", () => {
  it.each([
    ["half a line", '{"type":"ADDED","obj\n'],
    ["an event without an object", '{"type":"MODIFIED"}\n'],
    ["an object without metadata", '{"type":"DELETED","object":{"kind":"Thing"}}\n'],
    ["an object without a uid", '{"type":"ADDED","object":{"metadata":{"name":"x","resourceVersion":"1"}}}\n'],
    ["a type of tomorrow", '{"type":"RENAMED","object":{}}\n'],
    ["an array", "[]\n"],
    ["a bookmark without a version", '{"type":"BOOKMARK","object":{}}\n'],
  ])("with %s is counted, and repaired by the next list", async (_, text) => {
    const lists = [thingList("10", []), thingList("12", [thing("lost", "11")])];
    const { client, clock, store, problems } = await started(() => lists.shift() ?? null);
    client.watch().raw(text);
    await clock.advance(1_000);
    expect(problems.malformed).toBe(1);
    expect(store.list("Thing")).toEqual([thing("lost", "11")]);
    expect(client.watches).toHaveLength(2);
  });

  it("that is cut off by the end of the stream is counted, and read again by the next watch", async () => {
    const { client, clock, lists, problems } = await started();
    client.watch().raw('{"type":"ADDED","obj');
    client.watch().close();
    await clock.advance(100);
    expect(problems.malformed).toBe(1);
    expect(client.watch().query["resourceVersion"]).toBe("10");
    expect(lists()).toBe(1);
  });

  it("with an ERROR without an object is an ordinary failure", async () => {
    const { client, clock, problems } = await started();
    client.watch().send({ type: "ERROR" });
    await clock.advance(1_000);
    expect(problems.failures).toEqual(["Server"]);
    expect(client.watches).toHaveLength(2);
  });
});

it("[B12] a type that is not served removes no object, and is listed again once it is served", async () => {
  let served = true;
  const { changes, client, clock } = await started(() => {
    if (!served) throw new KubeError("NotFound", 404, "no such path");
    return thingList("10", [thing("a", "5")]);
  });
  served = false;
  client.watch().fail(new KubeError("NotFound", 404, "no such path"));
  await clock.advance(60_000);
  expect(changes).toEqual(["added uid-a"]);
  served = true;
  await clock.advance(30_000);
  expect(client.watches).toHaveLength(2);
});

it("a reflector that is started twice opens one watch, is stopped once, and can be started again", async () => {
  const { client, clock, reflector } = await started();
  reflector.start();
  await clock.advance(10);
  expect(client.watches).toHaveLength(1);
  await reflector.stop();
  expect(client.watch().aborted()).toBe(true);
  expect(clock.pending()).toBe(0);
  reflector.start();
  await clock.advance(10);
  expect(client.watches).toHaveLength(2);
  expect(client.watch().aborted()).toBe(false);
});

it("a reflector that is stopped during a list opens no watch and stores nothing", async () => {
  let release: (list: Json) => void = () => undefined;
  const { client, clock, reflector, store } = await started(() => new Promise((resolve) => (release = resolve)));
  const stopped = reflector.stop();
  release(thingList("10", [thing("a", "5")]));
  await stopped;
  await clock.advance(60_000);
  expect(client.watches).toEqual([]);
  expect(store.list("Thing")).toEqual([]);
});
