import { Registry } from "prom-client";
import { afterEach, describe, expect, it } from "vitest";

import { manualClock } from "../../test/support/kube/clock.ts";
import { recordingLog } from "../../test/support/platform/telemetry.ts";
import type { HttpServer } from "../http/server.ts";
import { createStore } from "../kube/watch/store.ts";
import { startServers } from "./servers.ts";

const loopback = { host: "127.0.0.1", port: 0 };
let running: readonly HttpServer[] = [];
const { log, lines } = recordingLog();

afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()));
  running = [];
  lines.length = 0;
});

const nowhere = { metricsBindAddress: undefined, healthProbeBindAddress: undefined };
const off = { webhookBindAddress: undefined, statusPageBindAddress: undefined };
const receiver = { clock: manualClock(), deliveries: () => undefined, ended: () => {} };

const statusPage = {
  clock: manualClock(),
  store: createStore(() => {}),
  about: () => ({ version: "0", instance: "here", isLeading: false, waitingFor: null, silentMs: 0 }),
  events: () => [],
  consoleLinks: new Map<string, string>(),
};

type Options = Parameters<typeof startServers>[0];

function optionsOf(addresses: Partial<Options["config"]>): Options {
  const config = { ...nowhere, ...off, ...addresses };
  return { config, registry: new Registry(), waitingFor: () => undefined, receiver, statusPage, log };
}

/** @returns the address of a server, as the log has it */
const at = (name: string): string => lines.findLast(([, , { server }]) => server === name)?.[2].address ?? "";

async function start(options: Partial<Options> = {}): Promise<void> {
  const both = { metricsBindAddress: loopback, healthProbeBindAddress: loopback };
  running = await startServers({ ...optionsOf(both), ...options });
}

describe("the HTTP servers of the operator", () => {
  it("log the address that they listen on, and do not start without one", async () => {
    await start(optionsOf({ healthProbeBindAddress: loopback }));
    expect(lines.map(([, , { server, address }]) => [server, address])).toEqual([["health", running[0]?.url]]);
    expect(at("health")).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  });

  it("answer /healthz at once, and /readyz with what they wait for until all lists are complete", async () => {
    let waiting: string | undefined = "waiting for the first list of PlatformProject";
    await start({ waitingFor: () => waiting });
    const get = async (path: string) => {
      const answer = await fetch(`${at("health")}${path}`);
      return { status: answer.status, body: await answer.text() };
    };
    expect(await get("/healthz")).toEqual({ status: 200, body: "ok\n" });
    const notReady = { status: 503, body: "not ready: waiting for the first list of PlatformProject\n" };
    expect(await get("/readyz")).toEqual(notReady);
    waiting = undefined;
    expect(await get("/readyz?verbose")).toEqual({ status: 200, body: "ok\n" });
  });

  it.each([
    ["POST", "/healthz", 405],
    ["GET", "/", 404],
    ["GET", "/metrics", 404],
    ["GET", "/constructor", 404],
    ["GET", "//healthz", 404],
  ])("answer %s %s of the probes with %i", async (method, path, status) => {
    await start();
    expect((await fetch(`${at("health")}${path}`, { method })).status).toBe(status);
  });

  it("answer 500 without details when metrics cannot be collected", async () => {
    const registry = new Registry();
    registry.getMetricsAsArray = () => {
      throw new Error("a secret");
    };
    await start({ registry });
    const answer = await fetch(`${at("metrics")}/metrics`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).toBe("failed\n");
  });

  it("stop together when one of their addresses is in use", async () => {
    await start(optionsOf({ metricsBindAddress: loopback, webhookBindAddress: loopback }));
    const taken = { host: "127.0.0.1", port: Number(new URL(at("metrics")).port) };
    const second = startServers(optionsOf({ metricsBindAddress: loopback, healthProbeBindAddress: taken }));
    await expect(second).rejects.toThrow(/cannot listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\): choose another address/);
    await expect(fetch(at("metrics"))).rejects.toThrow("fetch failed");
  });
});
