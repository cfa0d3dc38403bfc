import { describe, expect, it } from "vitest";

import { reflectorEnv } from "../../../test/support/kube/reflector-env.ts";
import { thing, thingList } from "../../../test/support/kube/things.ts";
import { KubeError } from "../api/errors.ts";

const gone = new KubeError("Gone", 410, "too old");
const expired = { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } };
const started = reflectorEnv();

describe("[B4] a version that is too old", () => {
  const listed = [thingList("10", [thing("a", "5"), thing("b", "6")]), thingList("30", [thing("a", "25")])];

  it.each(["as status", "in the stream"])("told %s is followed by one list within 2 s", async (way) => {
    let calls = 0;
    const { changes, client, clock, lists } = await started(() => listed[Math.min(calls++, 1)] ?? null);
    if (way === "as status") client.watch().fail(gone);
    else client.watch().send(expired);
    await clock.advance(2_000);
    expect(lists()).toBe(2);
    expect(changes.slice(2)).toEqual(["deleted uid-b", "updated uid-a"]);
    expect(client.watch().query["resourceVersion"]).toBe("30");
  });

  it("that comes again and again is followed by fewer and fewer lists", async () => {
    const { client, clock, lists } = await started();
    for (let tenth = 0; tenth < 600; tenth += 1) {
      client.watch().send(expired);
      await clock.advance(100);
    }
    expect(lists()).toBeLessThanOrEqual(8);
  });

  it("is noticed when the server went back in time: the list then wins", async () => {
    let answer = thingList("100", [thing("a", "90"), thing("b", "91")]);
    const { client, clock, store } = await started(() => answer);
    answer = thingList("50", [thing("a", "40")]);
    client.watch().send({ type: "BOOKMARK", object: { metadata: { resourceVersion: "60" } } });
    await clock.advance(1_000);
    expect(store.list("Thing")).toEqual([thing("a", "40")]);
  });
});

describe("[B7] what a server should not send (K6)", () => {
  it.each([
    ["half a line", '{"type":"ADDED","obj\n'],
    ["an event without an object", '{"type":"MODIFIED"}\n'],
    ["an object without metadata", '{"type":"DELETED","object":{"kind":"Thing"}}\n'],
    ["an object without a uid", '{"type":"ADDED","object":{"metadata":{"name":"x","resourceVersion":"1"}}}\n'],
    ["a type of tomorrow", '{"type":"RENAMED","object":{}}\n'],
    ["an array", "[]\n"],
    ["a bookmark without a version", '{"type":"BOOKMARK","object":{}}\n'],
  ])("%s is counted and repaired by the next list", async (_, text) => {
    let calls = 0;
    const { client, clock, store, told } = await started(() => {
      calls += 1;
      return calls === 1 ? thingList("10", []) : thingList("12", [thing("lost", "11")]);
    });
    client.watch().raw(text);
    await clock.advance(1_000);
    expect(told.malformed).toBe(1);
    expect(store.list("Thing")).toEqual([thing("lost", "11")]);
    expect(client.watches).toHaveLength(2);
  });

  it("a line that the end of the stream cut off is counted, and comes again by the next watch", async () => {
    const { client, clock, lists, told } = await started();
    client.watch().raw('{"type":"ADDED","obj');
    client.watch().close();
    await clock.advance(100);
    expect(told.malformed).toBe(1);
    expect(client.watch().query["resourceVersion"]).toBe("10");
    expect(lists()).toBe(1);
  });

  it("an ERROR without an object is an ordinary failure", async () => {
    const { client, clock, told } = await started();
    client.watch().send({ type: "ERROR" });
    await clock.advance(1_000);
    expect(told.failures).toEqual(["Server"]);
    expect(client.watches).toHaveLength(2);
  });
});

describe("[B12] a type that is not served", () => {
  it("empties nothing, and is listed again once it is there", async () => {
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
});
