import { describe, expect, it } from "vitest";

import { makeHarness } from "../../../test/support/engine/fake-platform.ts";
import { usualSettings } from "../../../test/support/engine/links.ts";
import { anObject } from "../../../test/support/engine/objects.ts";
import { manualClock } from "../../../test/support/kube/clock.ts";
import { keyValues } from "../../../test/support/kube/key-values.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { ConnectionSettings } from "../contract/connection.ts";
import { createConnections } from "./connections.ts";

const REFUSED = "https://refused.example";

/** Connections whose clients show the tokens that they would send now. */
function connectionsWith(tokens: Readonly<Record<string, string>>) {
  const clock = manualClock();
  const sent: (() => string)[] = [];
  const world = makeHarness();
  const state = { isNeeded: false };
  const woken: string[] = [];
  const connections = createConnections({
    clock,
    operatorNamespace: "operator",
    wake: (key) => woken.push(key),
    isNeeded: () => state.isNeeded,
    reader: {
      secret: (_namespace, name) => Promise.resolve(keyValues("1", { token: tokens[name] ?? "" })),
      configMap: () => Promise.resolve(undefined),
    },
    connect: ({ baseUrl }, token) => {
      if (baseUrl === REFUSED) throw new ApiError("connect", { is: "Refused" }, 0, "refused");
      sent.push(token);
      return world.api();
    },
  });
  return { clock, connections, sent, world, state, woken };
}

function link(uid: string): KubeObject {
  return { ...anObject({ meta: { name: "default", uid, generation: 1 } }), kind: "Link" };
}

function settings(baseUrl: string, name: string): ConnectionSettings {
  return { ...usualSettings("Full"), baseUrl, tokenSecret: { name, key: "token" } };
}

describe("a client that is replaced", () => {
  it.each([
    ["by one of another host", "https://new.example", ["old", "new"]],
    ["by one whose address is refused", REFUSED, ["old"]],
  ])("%s never sends the other one's token", async (_, baseUrl, expected) => {
    const { connections, sent } = connectionsWith({ first: "old", second: "new" });
    await connections.open(link("uid-1"), settings("https://old.example", "first"));
    await connections.open(link("uid-2"), settings(baseUrl, "second"));
    expect(sent.map((token) => token())).toEqual(expected);
  });

  it("is closed once its calls are over, or with all others at the end of the process", async () => {
    const { clock, connections, world } = connectionsWith({ first: "token" });
    const open = (uid: string) => connections.open(link(uid), settings("https://a.example", "first"));
    await open("uid-1");
    await open("uid-2");
    await clock.advance(29_000);
    expect(world.closed).toBe(0);
    await clock.advance(1_000);
    expect(world.closed).toBe(1);
    await open("uid-3");
    await connections.closeAll();
    expect(world.closed).toBe(3);
  });

  it("does not give its token to its successor when its Secret is read late", async () => {
    const { connections, sent } = connectionsWith({ first: "old", second: "new" });
    const opened = await connections.open(link("uid-1"), settings("https://old.example", "first"));
    await connections.open(link("uid-2"), settings("https://new.example", "second"));
    if (opened.is === "open") await connections.refresh(opened.connection);
    expect(sent.map((token) => token())).toEqual(["old", "new"]);
  });
});

it("a deleted connection is kept as long as an object needs it, and then closed", async () => {
  const { clock, connections, world, state } = connectionsWith({ first: "token" });
  const opened = await connections.open(link("uid-1"), settings("https://old.example", "first"));
  if (opened.is === "open") connections.use(opened.connection, "Widget/team/a");
  connections.forget("Link/team/default");
  expect(connections.last(keyOf(link("uid-1")))).toBeDefined();
  state.isNeeded = true;
  connections.forget("Widget/team/a");
  expect(connections.last(keyOf(link("uid-1")))).toBeDefined();
  state.isNeeded = false;
  connections.forget("Widget/team/b");
  expect(connections.last(keyOf(link("uid-1")))).toBeUndefined();
  await clock.advance(30_000);
  expect(world.closed).toBe(1);
});

/** An open connection that was probed at 5,000 ms and works; it is 20,000 ms now. */
async function working(tokens: Record<string, string> = { first: "token" }) {
  const env = connectionsWith(tokens);
  const object = link("uid-1");
  const how = settings("https://a.example", "first");
  const open = async (of = object) => {
    const opened = await env.connections.open(of, how);
    if (opened.is !== "open") throw new TypeError(opened.why.message);
    return opened.connection;
  };
  const connection = Object.assign(await open(), { probedAt: 5_000, nextProbeAt: 600_000, notReadyReason: undefined });
  await env.clock.advance(20_000);
  env.woken.length = 0;
  return { ...env, object, open, connection };
}

const FAILS = { reason: "PlatformUnreachable", message: "No answer." } as const;

describe("a requested probe", () => {
  it("is due a second after the last one, and wakes the connection", async () => {
    const { connections, connection, woken } = await working();
    connections.requestProbe(connection);
    expect(connection.nextProbeAt).toBe(6_000);
    expect(woken).toEqual(["Link/team/default"]);
  });

  it("changes nothing while the connection cannot be used: its own probes go on", async () => {
    const { connections, connection, woken } = await working();
    Object.assign(connection, { notReadyReason: FAILS });
    connections.requestProbe(connection);
    expect(connection.nextProbeAt).toBe(600_000);
    expect(woken).toEqual([]);
  });
});

describe("a Secret that is read again", () => {
  it("with the same token requests no probe", async () => {
    const { connections, connection, woken } = await working();
    await connections.refresh(connection);
    expect(connection.nextProbeAt).toBe(600_000);
    expect(woken).toEqual([]);
  });

  it("with another token requests a probe and wakes the objects that were denied a request", async () => {
    const tokens = { first: "token" };
    const { connections, connection, woken } = await working(tokens);
    connection.denied.add("Widget/team/a");
    tokens.first = "rotated";
    await connections.refresh(connection);
    expect(connection.token()).toBe("rotated");
    expect(connection.nextProbeAt).toBe(0);
    expect(woken).toEqual(["Widget/team/a", "Link/team/default"]);
    expect(connection.denied.size).toBe(0);
  });
});

describe("a connection that is edited", () => {
  const edited = ({ metadata, ...object }: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...metadata, generation: 2 },
  });

  it("keeps its limit of mass changes and its users", async () => {
    const { connections, connection, object, open } = await working();
    connections.use(connection, "Widget/team/a");
    const next = await open(edited(object));
    expect(next).not.toBe(connection);
    expect(next.massChangeLimit).toBe(connection.massChangeLimit);
    expect([...next.users]).toEqual(["Widget/team/a"]);
  });

  it("wakes the objects that were denied a request, and waits for a probe", async () => {
    const { connection, object, open, woken } = await working();
    connection.denied.add("Widget/team/a");
    const next = await open(edited(object));
    expect(woken).toEqual(["Widget/team/a"]);
    expect(next.notReadyReason?.reason).toBe("Progressing");
    expect(next.nextProbeAt).toBe(0);
  });
});

it("a connection that works again wakes the objects that wait, and counts its failures anew", async () => {
  const { connections, connection, woken, object } = await working();
  Object.assign(connection, { notReadyReason: FAILS, failures: 3, failingSince: 1_000 });
  connections.waitFor(keyOf(object), "Widget/team/a");
  connections.recovered(connection);
  expect(connection.notReadyReason).toBeUndefined();
  expect(connection.failures).toBe(0);
  expect(connection.failingSince).toBeUndefined();
  expect(woken).toEqual(["Widget/team/a"]);
});
