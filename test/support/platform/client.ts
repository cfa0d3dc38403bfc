import { expect, onTestFinished } from "vitest";

import type { CallRecord } from "../../../src/platform/client/caller.ts";
import { connectPlatform } from "../../../src/platform/index.ts";
import type { Platform, PlatformOptions } from "../../../src/platform/index.ts";
import type { Clock } from "../../../src/platform/transport/clock.ts";
import { ApiError } from "../../../src/platform/transport/errors.ts";
import { startScriptedServer } from "../kube/scripted-server.ts";
import type { ScriptedServer } from "../kube/scripted-server.ts";

export const ORGANIZATION = "00000000-0000-4000-8000-000000000001";
export const TOKEN = "s3cret-token";

/** A clock whose waits end at once and advance the time; for tests with real sockets. */
export interface HurriedClock extends Clock {
  skip(ms: number): void;
}

export function hurriedClock(start = new Date("2026-11-21T10:00:00Z")): HurriedClock {
  let elapsed = 0;
  return {
    now: () => new Date(start.getTime() + elapsed),
    monotonic: () => elapsed,
    after: (ms, run) => {
      const timer = setImmediate(() => {
        elapsed += ms;
        run();
      });
      return () => clearImmediate(timer);
    },
    skip: (ms) => {
      elapsed += ms;
    },
  };
}

export interface Harness {
  readonly server: ScriptedServer;
  readonly clock: HurriedClock;
  /** The calls of `onCall`. */
  readonly calls: readonly CallRecord[];
  /** Connects to the server; all connections end with the test. */
  readonly connect: (change?: Partial<PlatformOptions>) => Platform;
}

/** A scripted server and clients of it. Everything ends with the test that it was started in. */
export async function startHarness(): Promise<Harness> {
  const server = await startScriptedServer();
  const clock = hurriedClock();
  const calls: CallRecord[] = [];
  onTestFinished(() => server.stop());
  const connect = (change: Partial<PlatformOptions> = {}) => {
    const platform = connectPlatform({
      baseUrl: server.url,
      pathPrefix: "",
      organizationId: ORGANIZATION,
      scheme: "Token",
      token: () => TOKEN,
      rate: { requestsPerSecond: 100, burst: 100 },
      allowedHosts: [],
      allowInsecure: true,
      version: "1.2.3",
      clock,
      random: () => 0,
      onCall: (call) => calls.push(call),
      ...change,
    });
    onTestFinished(() => platform.close());
    return platform;
  };
  return { server, clock, calls, connect };
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
