/** Watches that are late, break, or send malformed events. */
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";

import { TYPES } from "../../src/config/kinds.ts";
import { metricsOf } from "../support/env/secrets.ts";
import { idOf } from "../support/env/settling.ts";
import { COMMIT, defaults, deploying, NEXT_COMMIT, project, tree } from "../support/kube/manifests.ts";
import { tcpProxy } from "../support/kube/tcp-proxy.ts";
import { figure } from "../support/platform/figure.ts";
import { effects } from "./effects.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { changesSince, EXPIRED } from "./stale-cache.ts";
import type { Call, Decision, Watch } from "./tap/call.ts";

const CREATED = ["createProject", "createEnvironment", "createApplication", "deployApplication"];

/** The newest open watch of each kind, by its plural. */
type Watches = Map<string, Watch>;

describe("the operator, behind a watch that delivers late,", () => {
  const watches: Watches = new Map();
  /** Sends the events that are withheld. */
  let withheld: (() => void)[] = [];
  let isLate = true;
  let env: ChaosEnv;

  beforeAll(async () => {
    const onWatch = (watch: Watch): void => {
      watches.set(watch.plural, watch);
      watch.rewrite = (line) => {
        if (!isLate || !line.startsWith('{"type":"MODIFIED"')) return [line];
        withheld.push(() => {
          watch.inject(line);
        });
        return [];
      };
    };
    env = await openChaosEnv({ surface: "full", interceptor: { onWatch } });
  });
  afterAll(() => env[Symbol.asyncDispose]());

  it("[B2] creates and deploys nothing twice although the events of its own writes are withheld", async ({ task }) => {
    await env.ready(...defaults(env), ...tree(env, "shop"));
    // Wait for more reconciles with a cache that lacks those writes.
    const lists = () => env.calls.filter(({ what }) => what === "platform listProjects").length;
    const before = lists();
    await vi.waitFor(() => expect(lists()).toBeGreaterThan(before + 3), 20_000);
    expect(effects(env)).toEqual(CREATED);
    const { length } = withheld;
    isLate = false;
    for (const send of withheld) send();
    withheld = [];
    await env.ready(project("after"));
    expect(effects(env)).toEqual([...CREATED, "createProject"]);
    figure(task, `0 second creates with ${length} events withheld`);
  });

  it("[B3] finds the state again when it missed a reverted change, and the deletion and new creation of an object", async ({
    task,
  }) => {
    const since = env.calls.length;
    const { uid } = (await env.get("PlatformProject", "after")).metadata;
    const id = idOf(await env.get("PlatformProject", "after"));
    for (const watch of watches.values()) watch.rewrite = () => [];
    await env.patch("PlatformApplication", "shop", deploying(NEXT_COMMIT));
    await env.patch("PlatformApplication", "shop", deploying(COMMIT));
    await env.remove("PlatformProject", "after");
    await env.apply(project("after"), project("marker"));
    for (const watch of watches.values()) {
      watch.rewrite = (line) => [line];
      watch.inject(EXPIRED);
    }
    await env.waitFor("PlatformProject", "marker", { status: "True" });
    const recreated = await env.waitFor("PlatformProject", "after", { status: "True" });
    await env.waitFor("PlatformApplication", "shop", { status: "True" });
    expect(recreated.metadata.uid).not.toBe(uid);
    expect(idOf(recreated)).toBe(id);
    expect(changesSince(env, since)).toEqual(["createProject marker"]);
    figure(task, "0 deployments of a reverted spec; a new object of the same name finds its external object", 2);
  });
});

/** Returns the kinds with malformed events, as the operator's metric counts them. */
async function malformed({ operator }: ChaosEnv): Promise<readonly string[]> {
  const counted = (await metricsOf(operator)).matchAll(
    /^platform_operator_watch_malformed_total\{kind="(\w+)"\} [1-9]/gm,
  );
  return [...counted].flatMap(([, kind]) => kind ?? []);
}

describe("the operator, behind a watch that breaks,", () => {
  const watches: Watches = new Map();
  let decide: (call: Call) => Decision = () => ({ do: "forward" });
  let env: ChaosEnv;

  const lists = (plural: string): number => env.calls.filter(({ what }) => what === `kube LIST ${plural}`).length;

  beforeAll(async () => {
    env = await openChaosEnv({
      surface: "full",
      interceptor: { decide: (call) => decide(call), onWatch: (watch) => void watches.set(watch.plural, watch) },
    });
    await env.ready(...defaults(env), project("first"));
  });
  afterAll(() => env[Symbol.asyncDispose]());

  it("[B4] lists once for each 410, as an event or as a response, and loses no event", async ({ task }) => {
    const before = lists("platformprojects");
    expect(watches.get("platformprojects")?.call.httpVersion).toBe("2.0");
    watches.get("platformprojects")?.inject(EXPIRED);
    await env.ready(project("in-stream"));
    expect(lists("platformprojects")).toBe(before + 1);

    let refused = 0;
    decide = ({ what }) => {
      if (what !== "kube WATCH platformprojects" || refused > 0) return { do: "forward" };
      refused += 1;
      return { do: "answer", status: 410, body: JSON.stringify({ kind: "Status", code: 410, reason: "Expired" }) };
    };
    watches.get("platformprojects")?.end();
    await env.ready(project("as-status"));
    expect(refused).toBe(1);
    expect(lists("platformprojects")).toBe(before + 2);
    figure(task, "1 list for each 410", 2);
  });

  it("[B7] continues after malformed lines, and repairs each cache by one list", async ({ task }) => {
    const lines: readonly (readonly [plural: string, line: string])[] = [
      ["platformprojects", '{"type":"ADDED","obj'],
      ["platformenvironments", '{"type":"MODIFIED"}'],
      ["platformapplications", '{"type":"RENAMED","object":{"metadata":{"name":"x"}}}'],
      ["platformdatabases", '{"type":"DELETED","object":{"kind":"PlatformDatabase"}}'],
      ["platformwebhooks", "[]"],
      ["platformcatalogs", '{"type":"BOOKMARK","object":{}}'],
    ];
    const before = new Map(lines.map(([plural]) => [plural, lists(plural)]));
    const used = new Map<string, Watch | undefined>();
    const isListed = (plural: string): boolean => lists(plural) > (before.get(plural) ?? 0);
    /** Repeats a line on a new watch, as the previous one may have ended before the operator read the line. */
    const inject = (): void => {
      for (const [plural, line] of lines) {
        const watch = watches.get(plural);
        if (used.get(plural) === watch || isListed(plural)) continue;
        used.set(plural, watch);
        watch?.inject(line);
      }
    };
    inject();
    await vi.waitFor(() => {
      inject();
      for (const [plural] of lines) expect(lists(plural), plural).toBe((before.get(plural) ?? 0) + 1);
    }, 20_000);
    await env.ready(project("repaired"));
    expect(await malformed(env)).toContain("PlatformProject");
    figure(task, "1 list for each malformed line", lines.length);
  });

  it("[B6] connects at most 20 times a minute although the watch ends at once", async ({ task }) => {
    const connections = new Map<string, number>();
    env.interceptor = {
      decide: ({ what }) => {
        if (what.startsWith("kube WATCH")) connections.set(what, (connections.get(what) ?? 0) + 1);
        return { do: "forward" };
      },
      onWatch: (watch) => {
        watch.end();
      },
    };
    for (const watch of watches.values()) watch.end();
    await sleep(60_000);
    const most = Math.max(...connections.values());
    expect(most).toBeLessThanOrEqual(20);
    env.interceptor = {};
    await env.ready(project("calm"));
    figure(task, `${most} connections a minute and kind at most`);
  });
});

describe("the operator, behind a watch that is dead without an error,", () => {
  it("[B5] notices that within 45 s over HTTP/1.1", async ({ task }) => {
    let isDead = true;
    const versions = new Set<string>();
    const deadSince = new Map<string, number>();
    /** The milliseconds until the operator opened each watch again. */
    const reopened = new Map<string, number>();
    await using env = await openChaosEnv({
      surface: "full",
      isHttp1: true,
      interceptor: {
        onWatch: (watch) => {
          const since = deadSince.get(watch.plural);
          if (since !== undefined && !reopened.has(watch.plural)) reopened.set(watch.plural, performance.now() - since);
          versions.add(watch.call.httpVersion);
          if (!isDead) return;
          watch.hold();
          deadSince.set(watch.plural, performance.now());
        },
      },
    });
    await vi.waitFor(() => expect(deadSince.size).toBe(TYPES.length), 60_000);
    await env.apply(...defaults(env), project("shop"));
    isDead = false;
    await sleep(10_000);
    const metrics = await metricsOf(env.operator);
    const ages = [...metrics.matchAll(/platform_operator_watch_last_event_age_seconds\{.*\} (\S+)/g)];
    expect(Math.min(...ages.map(([, age]) => Number(age)))).toBeGreaterThan(5);
    await env.waitFor("PlatformProject", "shop", { status: "True" }, 100_000);
    await vi.waitFor(() => expect(reopened.size).toBe(TYPES.length), 60_000);
    const seconds = Math.max(...reopened.values()) / 1_000;
    expect(seconds).toBeLessThanOrEqual(45);
    expect([...versions]).toEqual(["1.1"]);
    figure(task, `noticed after ${Math.round(seconds)} s at most`);
  });

  it("[B5] notices within 30 s that a proxy swallows the bytes of all watches over HTTP/2", async ({ task }) => {
    const proxy = await tcpProxy(Number(new URL(inject("controlPlane").server).port));
    try {
      await using env = await openChaosEnv({ surface: "full", untapped: proxy.port });
      await env.ready(...defaults(env), project("first"));
      const opened = (): number =>
        env.logs().filter((line) => line["method"] === "WATCH" && line["code"] === "200").length;
      const before = opened();
      const since = performance.now();
      proxy.freeze();
      await env.apply(project("swallowed"));
      await vi.waitFor(() => expect(opened()).toBeGreaterThanOrEqual(before + TYPES.length), 60_000);
      const seconds = (performance.now() - since) / 1_000;
      // The calls have connections of their own, whose deadline of ten seconds may follow.
      await env.waitFor("PlatformProject", "swallowed", { status: "True" }, 60_000);
      expect(seconds).toBeGreaterThan(5);
      expect(seconds).toBeLessThanOrEqual(30);
      figure(task, `noticed, and all watches open again, after ${Math.round(seconds)} s`);
    } finally {
      await proxy.stop();
    }
  });
});
