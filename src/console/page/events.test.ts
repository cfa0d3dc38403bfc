import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";

import { describe, expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { createStreams } from "./events.ts";

/** A response that records what is written. */
function responseOf(unread = 0) {
  const events: string[] = [];
  const response = Object.assign(new EventEmitter(), {
    writableLength: unread,
    write: (text: string) => events.push(/^event: (\w+)\ndata:\n\n$/.exec(text)?.[1] ?? text),
    destroy: () => response.emit("close"),
  });
  return { events, response: response as unknown as ServerResponse };
}

describe("the event streams of the status page", () => {
  it(`send "alive" at once and then every ten seconds`, async () => {
    const clock = manualClock();
    const { events, response } = responseOf();
    expect(createStreams(clock).open(response)).toBe(true);
    expect(events).toEqual(["alive"]);
    await clock.advance(20_000);
    expect(events).toEqual(["alive", "alive", "alive"]);
  });

  it("send one event for changes within 50 ms, and at most one event a second", async () => {
    const clock = manualClock();
    const streams = createStreams(clock);
    const { events, response } = responseOf();
    streams.open(response);
    for (let change = 0; change < 1_000; change += 1) streams.changed();
    await clock.advance(50);
    expect(events).toEqual(["alive", "changed"]);
    streams.changed();
    await clock.advance(999);
    expect(events).toEqual(["alive", "changed"]);
    await clock.advance(1);
    expect(events).toEqual(["alive", "changed", "changed"]);
    await clock.advance(5_000);
    expect(events).toHaveLength(3);
  });

  it("drop a browser that does not read, and take another in its place", async () => {
    const clock = manualClock();
    const streams = createStreams(clock);
    const { events, response } = responseOf(64 * 1024);
    streams.open(response);
    streams.changed();
    await clock.advance(30_000);
    expect(events).toEqual([]);
    expect(clock.pending()).toBe(0);
    const others = Array.from({ length: 32 }, () => streams.open(responseOf().response));
    expect(others).not.toContain(false);
  });
});
