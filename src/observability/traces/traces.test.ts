import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { deployCall, recordingLog, runningReconcile } from "../../../test/support/platform/telemetry.ts";
import { startCollector, type CollectedSpan, type Collector } from "../../../test/support/programs/collector.ts";
import type { CallRecord } from "../../platform/client/caller.ts";
import type { RunningReconcile } from "../reconcile-tracker.ts";
import { createRedactor } from "../secrets.ts";
import { boundedExport, MOST_SPANS } from "./otlp.ts";
import { NO_TRACES, openTraces, type Traces, type TracesOptions } from "./traces.ts";

const AT = new Date("2026-11-21T10:00:00Z");

let collector: Collector;
const { log, lines } = recordingLog();

// The first import takes a moment.
beforeAll(() => import("./otlp.ts"), 60_000);
beforeEach(async () => {
  lines.length = 0;
  collector = await startCollector();
});
afterEach(() => collector.stop());

async function open(secrets: readonly string[] = [], settings: Partial<TracesOptions["config"]> = {}): Promise<Traces> {
  const redactor = createRedactor();
  redactor.hold("token", secrets);
  const config = { otlpEndpoint: collector.url, otlpPropagate: false, instance: "pod-1", ...settings };
  return await openTraces({ config, version: "1.2.3", redactor, log });
}

function begun(traces: Traces, name?: string): RunningReconcile {
  const pass = runningReconcile(name);
  traces.began(pass, AT);
  return pass;
}

/** Returns the collector's spans once it has `count` of them: stopping the traces waits for it only briefly. */
const arrived = (count: number): Promise<readonly CollectedSpan[]> =>
  vi.waitFor(
    () => {
      expect(collector.spans()).toHaveLength(count);
      return collector.spans();
    },
    { timeout: 15_000, interval: 20 },
  );

const connection = "PlatformConnection/shop/default";
const at = new Date(AT.getTime() + 300);
const made = (call: Partial<CallRecord> = {}) => ({ connection, call: deployCall(call), at });

describe("traces", () => {
  it("are off unless an endpoint is told", async () => {
    const traces = await open([], { otlpEndpoint: undefined, otlpPropagate: true });
    expect(traces).toBe(NO_TRACES);
    const pass = begun(traces);
    expect([traces.idOf(pass), traces.headersFor(pass), traces.dropped()]).toEqual([undefined, {}, 0]);
  });

  it("tell a pass and its calls, each when it was", async () => {
    const traces = await open();
    const pass = begun(traces);
    const failed = { operation: "getApplicationStatus", method: "GET", attempt: 3, failure: "Server" } as const;
    traces.called(pass, made({ ...failed, status: 503 }));
    traces.called(pass, made(), "abcdef1");
    traces.ended(pass, new Date(AT.getTime() + 400), "success", undefined);
    await traces.stop();
    const [read, deploy, whole] = await arrived(3);
    const attributes = { "http.request.resend_count": 2 };
    expect(read).toMatchObject({ status: { code: 2, message: "Server" }, attributes });
    expect(deploy).toMatchObject({
      traceId: whole?.traceId,
      parentSpanId: whole?.spanId,
      startTimeUnixNano: `${AT.getTime() + 50}000000`,
      endTimeUnixNano: `${AT.getTime() + 300}000000`,
      attributes: { "platform_operator.commit": "abcdef1", "platform_operator.request_id": "request-1" },
    });
    const result = { "platform_operator.result": "success" };
    expect(whole).toMatchObject({ name: "reconcile PlatformApplication", attributes: result });
    expect(traces.idOf(pass)).toBe(whole?.traceId);
    expect(lines).toEqual([]);
  });

  it("tell a change that the engine failed within", async () => {
    const traces = await open();
    const pass = begun(traces);
    pass.changed = made();
    traces.ended(pass, AT, "error", undefined);
    await traces.stop();
    expect((await arrived(2)).map(({ name, status }) => [name, status.code])).toEqual([
      ["deployApplication", 0],
      ["reconcile PlatformApplication", 2],
    ]);
  });

  it("[E6] hold no secret, whatever it is called", async () => {
    const traces = await open(["c4n4ry-name"]);
    const pass = begun(traces, "c4n4ry-name");
    traces.called(pass, made({ ids: { applicationId: "c4n4ry-name" }, requestId: "c4n4ry-name" }), "c4n4ry-name");
    traces.ended(pass, AT, "success", undefined);
    await traces.stop();
    await arrived(2);
    expect(JSON.stringify(collector.arrived)).not.toContain("c4n4ry");
  });

  it("reach the platform only where that is asked for", async () => {
    const [off, on] = [await open(), await open([], { otlpPropagate: true })];
    expect(off.headersFor(begun(off))).toEqual({});
    const pass = begun(on);
    const wanted = new RegExp(`^00-${on.idOf(pass) ?? ""}-[0-9a-f]{16}-01$`);
    expect(on.headersFor(pass)).toEqual({ traceparent: expect.stringMatching(wanted) });
  });

  it("are dropped and counted when the collector refuses them, which is told once", async () => {
    collector.script({ status: 400 });
    const traces = await open();
    const lost = (count: number) => vi.waitFor(() => expect(traces.dropped()).toBe(count), { timeout: 15_000 });
    for (let count = 0; count < 3; count += 1) traces.ended(begun(traces), AT, "success", undefined);
    await traces.stop();
    await lost(3);
    traces.ended(begun(traces), AT, "success", undefined);
    await traces.stop();
    await lost(4);
    expect(lines).toEqual([["warn", expect.stringMatching(/do not reach/), { address: collector.url, count: 3 }]]);
    collector.script({ body: {} });
    traces.ended(begun(traces), AT, "success", undefined);
    await traces.stop();
    await vi.waitFor(() => expect(lines.at(-1)?.[1]).toBe("traces reach their collector again"), { timeout: 15_000 });
  });
});

it("a bounded export makes room for as many as were sent, be it well or not", () => {
  let done = (_code: number): void => {};
  const exporter = {
    export: (_spans: unknown, callback: (result: { code: number }) => void) => {
      done = (code) => {
        callback({ code });
      };
    },
  };
  const taken: unknown[] = [];
  const next = { onEnd: (span: unknown) => taken.push(span) };
  const bounded = boundedExport(exporter as Parameters<typeof boundedExport>[0], log, "http://collector:4318");
  const processor = bounded.processor(next as unknown as Parameters<typeof bounded.processor>[0]);
  const span = {} as Parameters<typeof processor.onEnd>[0];
  for (let count = 0; count < MOST_SPANS + 1; count += 1) processor.onEnd(span);
  expect([taken.length, bounded.dropped()]).toEqual([MOST_SPANS, 1]);
  bounded.exporter.export([span, span], () => {});
  done(1);
  for (let count = 0; count < 3; count += 1) processor.onEnd(span);
  expect([taken.length, bounded.dropped()]).toEqual([MOST_SPANS + 2, 4]);
});
