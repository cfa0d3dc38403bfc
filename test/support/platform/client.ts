import { expect, onTestFinished } from "vitest";

import type { Simulator } from "../../../simulator/simulator.ts";
import type { CallRecord } from "../../../src/platform/client/caller.ts";
import { connectPlatform, type Platform, type PlatformOptions } from "../../../src/platform/index.ts";
import type { Clock } from "../../../src/platform/transport/clock.ts";
import { ApiError } from "../../../src/platform/transport/errors.ts";
import { createTransport, type Transport } from "../../../src/platform/transport/http.ts";
import { type Answer, startScriptedServer } from "../kube/scripted-server.ts";

export const ORGANIZATION = "00000000-0000-4000-8000-000000000001";
export const TOKEN = "s3cret-token";

/** A clock whose waits end at once and advance the time; for tests with real sockets. */
export function hurriedClock(start = new Date("2026-11-21T10:00:00Z")) {
  let elapsed = 0;
  const clock: Clock = {
    now: () => new Date(start.getTime() + elapsed),
    monotonic: () => elapsed,
    after: (ms, run) => {
      const timer = setImmediate(() => {
        elapsed += ms;
        run();
      });
      return () => clearImmediate(timer);
    },
  };
  const skip = (ms: number): void => {
    elapsed += ms;
  };
  return { ...clock, skip };
}

/** A transport that may call any host and address. */
export function anyTransport(connections: number): Transport {
  const allowed = { mayCall: () => true, allowAddress: () => true };
  return createTransport({ connections, connectTimeoutMs: 5_000, network: () => ({}), ...allowed });
}

/** A client that may send as much as it wants, to any host, also without TLS. */
export function clientOf(options: Pick<PlatformOptions, "baseUrl"> & Partial<PlatformOptions>): Platform {
  return connectPlatform({
    pathPrefix: "",
    organizationId: ORGANIZATION,
    scheme: "Token",
    token: () => TOKEN,
    rate: { requestsPerSecond: 1e9, burst: 1e9 },
    allowedHosts: [],
    allowInsecure: true,
    version: "1.2.3",
    clock: hurriedClock(),
    random: () => 0,
    ...options,
  });
}

/** A client of the administrator of a simulated platform. */
export function adminOf(simulator: Simulator, change: Partial<PlatformOptions> = {}): Platform {
  const { url: baseUrl, organizationId, tokens } = simulator;
  const allowedHosts = ["127.0.0.1"];
  return clientOf({ baseUrl, organizationId, token: () => tokens.admin, allowedHosts, ...change });
}

/** A server with scripted answers and clients of it. Everything ends with the test that it was started in. */
export async function startHarness(...answers: readonly Answer[]) {
  const server = await startScriptedServer();
  if (answers.length > 0) server.script(...answers);
  const clock = hurriedClock();
  const calls: CallRecord[] = [];
  onTestFinished(() => server.stop());
  return {
    server,
    clock,
    calls,
    connect: (change: Partial<PlatformOptions> = {}): Platform => {
      const rate = { requestsPerSecond: 100, burst: 100 };
      const onCall = (call: CallRecord) => calls.push(call);
      const platform = clientOf({ baseUrl: server.url, rate, clock, onCall, ...change });
      onTestFinished(() => platform.close());
      return platform;
    },
  };
}

/** Returns the error of a call; fails the test when the call succeeds or throws anything else. */
export async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}
