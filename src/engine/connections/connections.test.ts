import { describe, expect, it } from "vitest";

import { makeHarness } from "../../../test/support/engine/fake-platform.ts";
import { usualSettings } from "../../../test/support/engine/links.ts";
import { anObject } from "../../../test/support/engine/objects.ts";
import { manualClock } from "../../../test/support/kube/clock.ts";
import { keyValues } from "../../../test/support/kube/key-values.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { ConnectionSettings } from "../contract/kind.ts";
import { createConnections } from "./connections.ts";

const REFUSED = "https://refused.example";

/** Connections whose clients show the tokens that they would send now. */
function connectionsWith(tokens: Readonly<Record<string, string>>) {
  const clock = manualClock();
  const sent: (() => string)[] = [];
  const world = makeHarness();
  const state = { isNeeded: false };
  const connections = createConnections({
    clock,
    operatorNamespace: "operator",
    wake: () => {},
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
  return { clock, connections, sent, world, state };
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
