/** Restarts and freezes the processes of a control plane of its own; only in `make chaos`. */
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { TYPES } from "../../src/config/kinds.ts";
import { isKube } from "../../src/kube/api/errors.ts";
import type { Exit } from "../support/env/operator.ts";
import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { defaults, project, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { compact, endChild, findProcess, startProcess, stopProcess } from "./control-plane-process.ts";
import { effects } from "./effects.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { doubleActions } from "./lifecycle/actions.ts";
import { duplicates } from "./lifecycle/invariants.ts";
import { changesSince } from "./stale-cache.ts";
import type { Call } from "./tap/call.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const PROJECTS = `${CRDS}/platformprojects.platform-operator.io`;
const DELETE = { lifecycle: { deletionPolicy: "Delete" } };
const POLL = { timeout: 60_000, interval: 100 };
/** The time limit for a successor to start and lead; the lease of 15 s expires first. */
const SUCCESSION_MS = 120_000;
/** The exit of a process that lost its lease. */
const LOST = { code: 1, signal: null, log: "lost the lease: ending at once, as another process may lead now" };
const KEPT = "keeps running";

const controlPlane = await ownControlPlane({
  controllers: true,
  apiServerFlags: { "min-request-timeout": "5", "etcd-compaction-interval": "10s" },
});

describe("the operator of a control plane", { timeout: 400_000 }, () => {
  const children: ChildProcess[] = [];
  let env: ChaosEnv;
  /** When the API server became ready, in milliseconds since 1970; it has not loaded its roles before. */
  let readyAt = 0;
  const mayBeRefused = ({ at }: Call): boolean => at <= readyAt;

  beforeAll(async () => {
    env = await openChaosEnv({ surface: "full", controlPlane, mayBeRefused, isHttp1: true });
    await env.ready(...defaults(env), ...tree(env, "shop", DELETE));
  }, 600_000);
  afterAll(async () => {
    try {
      await env[Symbol.asyncDispose]();
    } finally {
      await Promise.all(children.map(endChild));
    }
  });

  /** Stops the API server, starts it again, and waits until it is ready. @param onStart called before the start */
  const cycle = async (signal: "SIGTERM" | "SIGKILL", downMs: number, onStart = () => {}): Promise<void> => {
    const apiServer = await findProcess(controlPlane, "kube-apiserver");
    readyAt = Infinity;
    await stopProcess(apiServer, signal);
    await sleep(downMs);
    onStart();
    children.push(startProcess(apiServer));
    const isReady = () => env.client.request({ method: "GET", path: "/readyz" }).catch(ignoreText);
    await vi.waitFor(isReady, { timeout: 120_000, interval: 100 });
    readyAt = Date.now();
  };

  /** Restarts the API server. @returns the seconds from its readiness until all watches are open */
  const restart = async (env: ChaosEnv, signal: "SIGTERM" | "SIGKILL", downMs: number): Promise<number> => {
    // The tap reports a watch after the API server has answered with 200.
    const open = new Set<string>();
    await cycle(signal, downMs, () => {
      env.interceptor = { onWatch: ({ plural }) => open.add(plural) };
    });
    const from = performance.now();
    await vi.waitFor(() => expect(open.size).toBe(TYPES.length), POLL);
    env.interceptor = {};
    return (performance.now() - from) / 1_000;
  };

  /** Stops etcd for 20 s by SIGSTOP, then compacts and defragments it. */
  const freeze = async (): Promise<void> => {
    const etcd = await findProcess(controlPlane, "etcd");
    process.kill(etcd.pid, "SIGSTOP");
    await sleep(20_000).finally(() => process.kill(etcd.pid, "SIGCONT"));
    await compact(etcd);
  };

  /** Returns an environment with leader election and a Ready application. */
  const leaderEnv = async (): Promise<ChaosEnv> => {
    const env = await openChaosEnv({ surface: "full", controlPlane, mayBeRefused, args: [] });
    await env.ready(...defaults(env), ...tree(env, "shop"));
    return env;
  };

  it.for(["SIGTERM", "SIGKILL"] as const)(
    "[B8] opens all watches again after the API server's 30 s of absence (%s)",
    async (signal, { task }) => {
      const seconds = await restart(env, signal, 30_000);
      await env.ready(project(`after-${signal.toLowerCase()}`));
      expect(effects(env).filter((effect) => effect === "createApplication")).toHaveLength(1);
      figure(task, `all watches open ${seconds.toFixed(1)} s after /readyz`);
    },
  );

  it.for(["SIGTERM", "SIGKILL"] as const)(
    "[B8] sees changes again after the API server's 30 s of absence, over HTTP/2 (%s)",
    async (signal, { task }) => {
      const untapped = Number(new URL(controlPlane.server).port);
      await using env = await openChaosEnv({ surface: "full", controlPlane, mayBeRefused, untapped });
      await env.ready(...defaults(env), project("before"));
      await cycle(signal, 30_000);
      const from = performance.now();
      await env.ready(project("after"));
      expect(effects(env)).toEqual(["createProject", "createProject"]);
      figure(task, `a new object is Ready ${((performance.now() - from) / 1_000).toFixed(1)} s after /readyz`);
    },
  );

  it("[B8] exits when the API server is down for 30 s and it leads, and a successor takes over", async ({ task }) => {
    await using env = await leaderEnv();
    let seconds = 0;
    const end = await exitDuring(env, async () => {
      seconds = await restart(env, "SIGKILL", 30_000);
    });
    expect(end).toEqual(LOST);
    figure(task, `0 duplicates, all watches of the successor open ${seconds.toFixed(1)} s after /readyz`);
  });

  // After SIGTERM the API server waits for its watches, which may take longer than the lease.
  it.for(["SIGTERM", "SIGKILL"] as const)(
    "[B8] keeps the lease or exits when the API server restarts at once (%s)",
    async (signal, { task }) => {
      await using env = await leaderEnv();
      const end = await exitDuring(env, () => restart(env, signal, 0));
      expect([KEPT, LOST]).toContainEqual(end);
      figure(task, `0 duplicates, the lease is ${end === KEPT ? "kept" : "a successor's"}`);
    },
  );

  it("[B9] completes a deployment during which etcd is down for 20 s, compacts and defragments", async ({ task }) => {
    const since = env.calls.length;
    await env.apply(...tree(env, "frozen"));
    await freeze();
    await env.waitFor("PlatformApplication", "frozen", { status: "True" }, 120_000);
    const created = ["createProject frozen", "createEnvironment frozen", "createApplication frozen"];
    expect(changesSince(env, since)).toEqual([...created, "deployApplication frozen"]);
    figure(task, "0 statuses lost, 0 duplicates");
  });

  it("[B9] exits when etcd is down for 20 s and it leads, and a successor takes over", async ({ task }) => {
    await using env = await leaderEnv();
    expect(await exitDuring(env, freeze)).toEqual(LOST);
    figure(task, "0 statuses lost, 0 duplicates");
  });

  it("[B4] loses no event when etcd compacts every 10 s and watches end every 5 s", async ({ task }) => {
    const since = env.calls.length;
    const names = Array.from({ length: 8 }, (_, index) => `compacted-${index}`);
    for (const name of names) {
      await env.ready(project(name));
      await sleep(4_000);
    }
    const lists = env.calls.slice(since).filter(({ what }) => what === "kube LIST platformprojects").length;
    expect(changesSince(env, since)).toEqual(names.map((name) => `createProject ${name}`));
    figure(task, `0 events lost over ${names.length * 4} s, ${lists} lists`);
  });

  it("[B12] deletes nothing on the platform while a CRD serves no version", async ({ task }) => {
    const since = env.calls.length;
    const serve = async (served: boolean): Promise<void> => {
      const { spec } = await crdOf(env);
      const versions = spec.versions.map((version) => ({ ...version, served }));
      await env.client.request({ method: "PATCH", path: PROJECTS, body: { spec: { versions } } });
    };
    await serve(false);
    const lists = () => env.calls.slice(since).filter(({ what }) => what === "kube LIST platformprojects");
    await expect.poll(() => lists().length, POLL).toBeGreaterThan(1);
    await env.kill();
    await env.start();
    await sleep(3_000);
    await serve(true);
    await vi.waitFor(() => env.apply(project("served")), POLL);
    await env.waitFor("PlatformProject", "served", { status: "True" });
    expect(changesSince(env, since)).toEqual(["createProject served"]);
    figure(task, "0 changes of the platform");
  });

  it("[B12] finds all objects again when a CRD is deleted under Retain and created again", async ({ task }) => {
    await env.waitFor("PlatformApplication", "frozen", { status: "True" });
    const { spec } = await crdOf(env);
    await env.patch("PlatformProject", "shop", { spec: { lifecycle: { deletionPolicy: "Retain" } } });
    await env.waitFor("PlatformProject", "shop", ({ metadata }) => metadata.finalizers === undefined);
    const names = (await env.list("PlatformProject")).map(({ metadata }) => metadata.name).toSorted();
    const since = env.calls.length;
    await deleteCrd(env);
    const metadata = { name: "platformprojects.platform-operator.io" };
    const body = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata, spec };
    await env.client.request({ method: "POST", path: CRDS, body });
    await vi.waitFor(() => env.apply(...names.map((name) => project(name))), POLL);
    for (const name of names) await env.waitFor("PlatformProject", name, { status: "True" }, 120_000);
    expect(changesSince(env, since)).toEqual([]);
    figure(task, `0 changes of the platform, ${names.length} projects found again`);
  });

  // Deleting a CRD sets a deletionTimestamp on each of its objects.
  it("[B12] deletes only the object under Delete when a CRD is deleted", async ({ task }) => {
    await env.ready(project("doomed", DELETE));
    const since = env.calls.length;
    await deleteCrd(env);
    expect(changesSince(env, since)).toEqual(["deleteProject doomed"]);
    figure(task, "1 deletion, of the object under Delete");
  });
});

/**
 * Creates a second application during a fault, and restarts the operator if it exits, as a Deployment does, until both
 * applications are Ready. Expects no duplicates.
 * @returns the exit of the first process, with its last log line
 */
async function exitDuring(
  env: ChaosEnv,
  fault: () => Promise<unknown>,
): Promise<typeof KEPT | (Exit & { log?: string })> {
  const { operator } = env;
  const done = new AbortController();
  const restarted = env.restartAfterCrash(done.signal);
  try {
    await env.apply(...tree(env, "later"));
    await fault();
    for (const name of ["shop", "later"]) {
      await env.waitFor("PlatformApplication", name, { status: "True" }, SUCCESSION_MS);
    }
  } finally {
    done.abort();
    await restarted;
  }
  expect([...duplicates(env), ...doubleActions(env, 0)]).toEqual([]);
  const once = ["createProject", "createEnvironment", "createApplication", "deployApplication"];
  expect(effects(env).toSorted()).toEqual([...once, ...once].toSorted());
  if (env.operator === operator) return KEPT;
  return { ...(await operator.exited), log: operator.logs().at(-1)?.message ?? "" };
}

/** Ignores that the answer of /readyz is not JSON. */
function ignoreText(error: unknown): void {
  if (!isKube(error, "BadResponse")) throw error;
}

/** Deletes the CRD of projects and waits until it is gone. */
async function deleteCrd(env: ChaosEnv): Promise<void> {
  await env.client.request({ method: "DELETE", path: PROJECTS });
  const read = () => env.client.request({ method: "GET", path: PROJECTS });
  await vi.waitFor(() => expect(read()).rejects.toMatchObject({ failure: "NotFound" }), POLL);
}

const Crd = z.object({
  spec: z.record(z.string(), z.json()).and(z.object({ versions: z.array(z.record(z.string(), z.json())) })),
});

async function crdOf(env: ChaosEnv): Promise<z.infer<typeof Crd>> {
  return Crd.parse(await env.client.request({ method: "GET", path: PROJECTS }));
}
