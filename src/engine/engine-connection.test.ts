import { describe, expect, it } from "vitest";

import {
  applied,
  callTimes,
  DELETE,
  effects,
  engineEnv,
  type Env,
  fail,
  leastGap,
  outage,
  ready,
  withFleet,
} from "../../test/support/engine/env.ts";
import type { Op } from "../../test/support/engine/fake-platform.ts";
import { MINUTE } from "../../test/support/platform/durations.ts";
import { FINALIZER, PAUSED, POLL_INTERVAL, RESOLVE } from "../api/names.ts";
import { KubeError } from "../kube/api/errors.ts";
import { member } from "../kube/api/json.ts";
import type { JsonObject } from "../kube/api/types.ts";
import { ApiError, type ApiFailure } from "../platform/transport/errors.ts";
import { conditionOf, statusOf } from "./contract/status.ts";

it("[K1] a token is waited for, also one that comes back as it was, and the objects that wait name it", async () => {
  const env = engineEnv({ link: null });
  env.cluster.create("Link", "default", {});
  env.widget("a");
  await env.run(MINUTE);
  expect(env.conditions("Link", "default")).toContain("Stalled=True/CredentialsMissing");
  const message = 'Waiting for Link "team/default" (reason CredentialsMissing).';
  const told = conditionOf(env.cluster.get("Widget", "a"), "Ready");
  expect(told).toMatchObject({ reason: "ConnectionNotReady", message });
  const writes = env.cluster.writes.length;
  await env.run(10 * MINUTE);
  expect(env.cluster.writes.length).toBe(writes);
  env.cluster.secret("token", { token: "t" });
  await env.run(6_000);
  expect(ready(env)).toBe("Ready=True/Available");
  env.cluster.secret("token", undefined);
  await env.run(12 * MINUTE);
  expect(env.conditions("Link", "default")).toContain("Stalled=True/CredentialsMissing");
  env.cluster.secret("token", { token: "t" });
  await env.run(15_000);
  expect(env.conditions("Link", "default")).toContain("Ready=True/Available");
});

it("an object that waits for a connection reports within seconds that another reason holds the connection back", async () => {
  const env = engineEnv();
  const ping = (failure: ApiFailure) => {
    env.world.hooks.before = async ({ op }) => {
      if (op === "ping") await Promise.reject(new ApiError("ping", failure, 0, "no"));
    };
  };
  ping({ is: "Unreachable" });
  env.widget("a");
  await env.run(10 * MINUTE);
  const told = () => conditionOf(env.cluster.get("Widget", "a"), "Ready")?.message;
  expect(told()).toBe('Waiting for Link "team/default" (reason PlatformUnreachable).');
  ping({ is: "Unauthorized" });
  await env.run(30_000);
  expect(env.conditions("Link", "default")).toContain("Ready=False/CredentialsInvalid");
  expect(told()).toBe('Waiting for Link "team/default" (reason CredentialsInvalid).');
});

it("a connection whose last resource goes while it is probed does not wait for anything", async () => {
  const env = await applied(DELETE);
  env.world.hooks.before = ({ op }) => {
    if (op === "ping" && env.cluster.find("Widget", "a") !== undefined) {
      env.cluster.remove("Widget", "a");
      env.cluster.patch("Widget", "a", { metadata: { finalizers: null } });
    }
    return Promise.resolve();
  };
  env.cluster.annotate("Link", "default", { [RESOLVE]: "adopt:another" });
  env.cluster.remove("Link", "default");
  await env.run(MINUTE);
  expect(env.cluster.find("Link", "default")).toBeUndefined();
  const waits = env.events.flatMap(({ reason, note }) => (reason === "WaitingForChildren" ? [note] : []));
  expect(waits).toEqual([]);
});

it("an answer that a user gives on a connection is looked at at once: the platform is probed", async () => {
  const env = await applied();
  await env.run(5 * MINUTE);
  const probes = () => env.world.calls.filter(({ op }) => op === "ping").length;
  const before = probes();
  env.cluster.annotate("Link", "default", { [RESOLVE]: "adopt:another" });
  await env.run(1_000);
  expect(probes()).toBe(before + 1);
  await env.run(MINUTE);
  expect(probes()).toBe(before + 1);
});

it("a shorter poll interval of a connection counts from its last probe", async () => {
  const env = await applied();
  const probes = () => env.world.calls.filter(({ op }) => op === "ping").length;
  env.cluster.annotate("Link", "default", { [POLL_INTERVAL]: "8h" });
  await env.run(30 * MINUTE);
  const before = probes();
  env.cluster.annotate("Link", "default", { [POLL_INTERVAL]: "5m" });
  await env.run(MINUTE);
  expect(probes()).toBe(before + 1);
  await env.run(10 * MINUTE);
  expect(probes()).toBe(before + 3);
});

it("a connection that a user pauses keeps its finalizer as long as a resource needs it, and serves the resource", async () => {
  const env = await applied();
  env.cluster.annotate("Link", "default", { [PAUSED]: "true" });
  env.cluster.spec("Widget", "a", { name: "a", ...DELETE });
  await env.run(MINUTE);
  expect(env.cluster.get("Link", "default").metadata.finalizers).toEqual([FINALIZER]);
  env.cluster.remove("Link", "default");
  await env.run(MINUTE);
  expect(env.conditions("Link", "default")).toContain("Ready=False/WaitingForChildren");
  env.cluster.remove("Widget", "a");
  await env.run(MINUTE);
  expect(env.cluster.find("Widget", "a")).toBeUndefined();
  expect(effects(env)).toEqual(["create", "delete"]);
  expect(env.cluster.find("Link", "default")).toBeUndefined();
});

describe("a connection's own status", () => {
  it("that could not be written is written soon", async () => {
    const env = await withFleet(1);
    const over = outage(env);
    await env.run(12 * MINUTE);
    expect(env.conditions("Link", "default")).toContain("Synced=False/PlatformUnavailable");
    const failures = [new KubeError("Server", 500, "etcd"), new KubeError("Conflict", 409, "moved")];
    env.cluster.hooks.before = ({ key }) => {
      const failure = key.startsWith("Link/") ? failures.shift() : undefined;
      return failure === undefined ? Promise.resolve() : Promise.reject(failure);
    };
    over();
    await env.run(30_000);
    expect(failures).toEqual([]);
    expect(env.conditions("Link", "default")).toContain("Synced=True/ReconcileSuccess");
  });

  it("waits between reconciles while no request has shown whether a rate limit is over", async () => {
    const env = await withFleet(1);
    const looks = () => env.reconciles.filter(({ key }) => key.startsWith("Link/")).length;
    env.world.limited = { sinceMs: 10 * MINUTE, leftMs: 0 };
    env.cluster.annotate("Link", "default", { [POLL_INTERVAL]: "5m" });
    const before = looks();
    await env.run(10_000);
    expect(looks() - before).toBeLessThan(8);
    expect(env.conditions("Link", "default")).toContain("Synced=True/ReconcileSuccess");
    env.world.limited = { sinceMs: 10 * MINUTE, leftMs: MINUTE };
    await env.run(5_000);
    expect(env.conditions("Link", "default")).toContain("Synced=False/RateLimited");
    env.world.limited = undefined;
    await env.run(MINUTE);
    expect(env.conditions("Link", "default")).toContain("Synced=True/ReconcileSuccess");
  });
});

it("[R1] the mass-change limit reports within seconds that it holds", async () => {
  const env = await withFleet(12, { note: "right" });
  for (const { id, name } of env.world.remotes.values()) {
    env.world.change(id, { note: "wrong" });
    env.cluster.annotate("Widget", name, { [POLL_INTERVAL]: "10m" });
  }
  await env.run(5_000);
  expect(env.conditions("Link", "default")).toContain("Stalled=True/MassChangeHeld");
});

describe("[C6] a token that may not do something", () => {
  it.each<[Op, JsonObject]>([
    ["create", {}],
    ["update", { note: "new" }],
    ["deploy", { commit: "c1" }],
  ])("(%s) stalls the object alone, and a new token brings it back at once", async (op, spec) => {
    const env = await applied();
    const over = fail(env, [op], [{ is: "Forbidden" }, 403]);
    if (op === "update") env.world.add("b");
    env.widget("b", spec);
    await env.run(MINUTE);
    expect(env.conditions("Widget", "b")).toContain("Stalled=True/PermissionDenied");
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.conditions("Link", "default")).toContain("Ready=True/Available");
    const tries = () => env.world.calls.filter((call) => call.op === op).length;
    const [before, writes] = [tries(), env.writes("Widget", "a")];
    await env.run(8 * MINUTE);
    expect(tries()).toBe(before);
    await env.run(20 * MINUTE);
    expect(tries() - before).toBeLessThan(5);
    expect(env.writes("Widget", "a")).toBe(writes);
    over();
    env.cluster.secret("token", { token: "stronger" });
    await env.run(11_000);
    expect(env.conditions("Widget", "b")).toContain("Ready=True/Available");
    expect([...env.world.remotes.values()].filter(({ name }) => name === "b")).toHaveLength(1);
  });

  it.each<[ApiFailure, number, reason: string, token: string, withinMs: number]>([
    [{ is: "Unauthorized" }, 401, "CredentialsInvalid", "token-2", 10_000],
    [{ is: "Unauthorized" }, 401, "CredentialsInvalid", "token-1", 75_000],
    [{ is: "Forbidden" }, 403, "PermissionDenied", "token-2", 10_000],
    [{ is: "Forbidden" }, 403, "PermissionDenied", "token-1", 75_000],
  ])("at all (%j %i) stalls the connection, no dependent: a probe a minute", async (...row) => {
    const [failure, status, reason, token, withinMs] = row;
    const env = await applied();
    const writes = env.writes("Widget", "a");
    const over = outage(env, failure, status);
    await env.run(15 * MINUTE);
    expect(env.conditions("Link", "default")).toContain(`Stalled=True/${reason}`);
    env.widget("late");
    await env.run(MINUTE);
    expect(env.conditions("Widget", "late")).toContain("Ready=False/ConnectionNotReady");
    const probes = callTimes(env);
    await env.run(10 * MINUTE);
    expect(probes.length).toBeGreaterThan(5);
    expect(leastGap(probes)).toBeGreaterThanOrEqual(MINUTE);
    expect(env.writes("Widget", "a")).toBe(writes);
    expect(effects(env)).toEqual(["create"]);
    over();
    env.cluster.secret("token", { token });
    await env.run(withinMs);
    expect(env.conditions("Link", "default")).toContain("Ready=True/Available");
    // Its Secret is not read every few seconds any more.
    expect(env.due("Link", "default")).toBeGreaterThan(10_000);
    await env.run(10_000);
    expect(env.conditions("Widget", "late")).toContain("Ready=True/Available");
    expect(effects(env)).toEqual(["create", "create"]);
  });
});

describe("the status of a cluster's connection that two releases of the operator use", () => {
  const HELD = "ClusterLink//default";
  const readyOf = ({ cluster }: Env) => {
    const object = cluster.find("ClusterLink", "default", "");
    return { release: member(object?.status, "release"), reason: object && conditionOf(object, "Ready")?.reason };
  };
  const writesOf = ({ cluster }: Env): number => cluster.writes.filter(({ key }) => key === HELD).length;
  /** The release in "operator" has written the status; now the one in "second" runs, too. */
  async function second({ first, own }: { readonly first: boolean; readonly own: boolean }): Promise<Env> {
    const env = engineEnv({ link: null });
    if (first) env.cluster.secret("token", { token: "token-1" }, "operator");
    if (own) env.cluster.secret("token", { token: "token-1" }, "second");
    env.cluster.create("ClusterLink", "default", { allowedNamespaces: ["team"] });
    await env.run(MINUTE);
    env.running.add("operator").add("second");
    env.operatorNamespace = "second";
    env.restart();
    return env;
  }

  it("is written by the first one alone, and its resources become Ready by both", async () => {
    const env = await second({ first: true, own: true });
    const before = writesOf(env);
    env.widget("a");
    await env.run(30 * MINUTE);
    expect(readyOf(env)).toEqual({ release: "operator", reason: "Available" });
    expect(writesOf(env)).toBe(before);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.elsewhere).toEqual(["default operator Available"]);
  });

  it("stays as it is where the other release lacks the Secret, and its resources say so", async () => {
    const env = await second({ first: true, own: false });
    env.widget("a");
    await env.run(30 * MINUTE);
    expect(readyOf(env)).toEqual({ release: "operator", reason: "Available" });
    expect(ready(env)).toBe("Ready=False/ConnectionNotReady");
    expect(env.elsewhere).toEqual(["default operator CredentialsMissing"]);
  });

  it("is taken over by the release that has the Secret", async () => {
    const env = await second({ first: false, own: true });
    expect(readyOf(env)).toEqual({ release: "operator", reason: "CredentialsMissing" });
    await env.run(10_000);
    expect(readyOf(env)).toEqual({ release: "second", reason: "Available" });
  });

  it("is taken over within two minutes once the first one does not run any more", async () => {
    const env = await second({ first: true, own: true });
    await env.run(5 * MINUTE);
    env.running.delete("operator");
    await env.run(2 * MINUTE);
    expect(readyOf(env)).toEqual({ release: "second", reason: "Available" });
  });

  it("holds back no change of the other release", async () => {
    const env = await second({ first: true, own: true });
    const { status } = env.cluster.get("ClusterLink", "default");
    const condition = { type: "ChangesHeld", status: "True", reason: "MassChangeHeld", message: "run: proceed:x" };
    const conditions = [{ ...condition, lastTransitionTime: "2026-11-21T10:00:00Z" }];
    env.cluster.status("ClusterLink", "default", { ...statusOf({ status }), conditions });
    env.restart();
    env.widget("a");
    await env.run(MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
  });
});
