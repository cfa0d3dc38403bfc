/** A control plane whose own parts go down: a test file with one of its own, for `make chaos` alone. */
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { isKube } from "../../src/kube/api/errors.ts";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import type { Exit } from "../support/env/operator.ts";
import { defaults, project, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { effects } from "./effects.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { doubleActions } from "./lifecycle/actions.ts";
import { duplicates } from "./lifecycle/invariants.ts";
import { endChild, endPart, forget, partOf, startPart } from "./part.ts";
import { changesSince } from "./past.ts";
import type { Call } from "./tap/call.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const PROJECTS = `${CRDS}/platformprojects.platform-operator.io`;
const DELETE = { lifecycle: { deletionPolicy: "Delete" } };
const soon = { timeout: 60_000, interval: 100 };
/** What a busy machine may take to start a successor and have it lead; a lease of 15 s runs out first. */
const SUCCESSION_MS = 120_000;
/** How one ends that lost its lease. */
const LOST = { code: 1, signal: null, said: "lost the lease: ending at once, as another process may lead now" };
const KEPT = "goes on";

describe("a control plane", { timeout: 400_000 }, () => {
  const children: ChildProcess[] = [];
  let controlPlane: ControlPlane;
  let env: ChaosEnv;
  /**
   * Since when the API server is ready, milliseconds since 1970: before, it has not read the roles that it grants by.
   */
  let readyAt = 0;
  const mayBeRefused = ({ at }: Call): boolean => at <= readyAt;

  beforeAll(async () => {
    controlPlane = await startControlPlane({
      crdsDir: join(import.meta.dirname, "../../crds"),
      controllers: true,
      apiServerFlags: { "min-request-timeout": "5", "etcd-compaction-interval": "10s" },
    });
    env = await openChaosEnv({ surface: "full", controlPlane, mayBeRefused });
    await env.apply(...defaults(env), ...tree(env, "shop", DELETE));
    await env.waitFor("PlatformApplication", "shop", { status: "True" }, 60_000);
  }, 600_000);
  afterAll(async () => {
    try {
      await env[Symbol.asyncDispose]();
    } finally {
      await Promise.all(children.map(endChild));
      await controlPlane.stop();
    }
  });

  /** Until the API server says that it is ready. */
  const ready = async (): Promise<void> => {
    await vi.waitFor(() => env.client.request({ method: "GET", path: "/readyz" }).catch(unlessText), {
      timeout: 120_000,
      interval: 100,
    });
  };

  /** Takes the API server away for a while. @returns after how many seconds all watches of a bed lived again */
  const restart = async (env: ChaosEnv, signal: "SIGTERM" | "SIGKILL", downMs: number): Promise<number> => {
    const part = await partOf(controlPlane, "kube-apiserver");
    readyAt = Infinity;
    await endPart(part, signal);
    await sleep(downMs);
    // Opened is what the API server has answered; what it refuses is only asked for.
    const open = new Set<string>();
    env.interceptor = { onWatch: ({ plural }) => open.add(plural) };
    children.push(startPart(part));
    await ready();
    readyAt = Date.now();
    const from = performance.now();
    await vi.waitFor(() => {
      expect(open.size).toBe(13);
    }, soon);
    env.interceptor = {};
    return (performance.now() - from) / 1_000;
  };

  /** Freezes etcd for 20 s; when it goes on, it is told to forget what was, and to give back what that took. */
  const freeze = async (): Promise<void> => {
    const etcd = await partOf(controlPlane, "etcd");
    process.kill(etcd.pid, "SIGSTOP");
    await sleep(20_000).finally(() => process.kill(etcd.pid, "SIGCONT"));
    await forget(etcd);
  };

  /** @returns a bed whose operator leads under a lease, with one tree that is ready. */
  const leased = async (): Promise<ChaosEnv> => {
    const env = await openChaosEnv({ surface: "full", controlPlane, mayBeRefused, args: [] });
    await env.apply(...defaults(env), ...tree(env, "shop"));
    await env.waitFor("PlatformApplication", "shop", { status: "True" }, 60_000);
    return env;
  };

  it.for(["SIGTERM", "SIGKILL"] as const)("[B8] whose API server is away for 30 s, %s", async (signal, { task }) => {
    const seconds = await restart(env, signal, 30_000);
    const name = `after-${signal.toLowerCase()}`;
    await env.apply(project(name));
    await env.waitFor("PlatformProject", name, { status: "True" }, 60_000);
    expect(seconds).toBeLessThan(10);
    expect(effects(env).filter((effect) => effect === "createApplication")).toHaveLength(1);
    figure(task, `all watches live ${seconds.toFixed(1)} s after /readyz`);
  });

  it("[B8] whose API server is away for 30 s: who holds the lease ends by itself, and a successor goes on", async ({
    task,
  }) => {
    await using env = await leased();
    let seconds = 0;
    const end = await endDuring(env, async () => {
      seconds = await restart(env, "SIGKILL", 30_000);
    });
    expect(end).toEqual(LOST);
    figure(task, `0 duplicates, all watches of the successor live ${seconds.toFixed(1)} s after /readyz`);
  });

  // One that is told to end waits for watches to end first, for longer than a lease can go without a renewal.
  it.for(["SIGTERM", "SIGKILL"] as const)(
    "[B8] whose API server is started again at once, %s: who holds the lease keeps it, or ends by itself",
    async (signal, { task }) => {
      await using env = await leased();
      const end = await endDuring(env, () => restart(env, signal, 0));
      expect([KEPT, LOST]).toContainEqual(end);
      figure(task, `0 duplicates, the lease is ${end === KEPT ? "kept" : "a successor's"}`);
    },
  );

  it("[B9] whose etcd is away for 20 s while the platform works, then compacts and defragments", async ({ task }) => {
    const since = env.calls.length;
    await env.apply(...tree(env, "frozen"));
    await freeze();
    await env.waitFor("PlatformApplication", "frozen", { status: "True" }, 120_000);
    const created = ["createProject frozen", "createEnvironment frozen", "createApplication frozen"];
    expect(changesSince(env, since)).toEqual([...created, "deployApplication frozen"]);
    figure(task, "0 statuses lost, 0 duplicates");
  });

  it("[B9] whose etcd is away for 20 s: who holds the lease ends by itself, and a successor goes on", async ({
    task,
  }) => {
    await using env = await leased();
    expect(await endDuring(env, freeze)).toEqual(LOST);
    figure(task, "0 statuses lost, 0 duplicates");
  });

  it("[B4] that compacts every 10 s and ends watches every 5 s: no event is lost", async ({ task }) => {
    const since = env.calls.length;
    const names = Array.from({ length: 8 }, (_, index) => `compacted-${index}`);
    for (const name of names) {
      await env.apply(project(name));
      await env.waitFor("PlatformProject", name, { status: "True" }, 60_000);
      await sleep(4_000);
    }
    const calls = env.calls.filter(({ k }) => k > since);
    const lists = calls.filter(({ what }) => what === "kube LIST platformprojects").length;
    expect(changesSince(env, since)).toEqual(names.map((name) => `createProject ${name}`));
    figure(task, `0 events lost over ${names.length * 4} s, ${lists} lists`);
  });

  it("[B12] whose CRD serves no version any more: nothing is deleted on the platform", async ({ task }) => {
    const since = env.calls.length;
    const serve = async (served: boolean): Promise<void> => {
      const { spec } = await crdOf(env);
      const versions = spec.versions.map((version) => ({ ...version, served }));
      const contentType = "application/merge-patch+json";
      await env.client.request({ method: "PATCH", path: PROJECTS, contentType, body: { spec: { versions } } });
    };
    await serve(false);
    await vi.waitFor(() => {
      expect(
        env.calls.filter(({ k, what }) => k > since && what === "kube LIST platformprojects").length,
      ).toBeGreaterThan(1);
    }, soon);
    await env.kill();
    await env.start();
    await sleep(3_000);
    await serve(true);
    await vi.waitFor(() => env.apply(project("served")), soon);
    await env.waitFor("PlatformProject", "served", { status: "True" }, 60_000);
    expect(changesSince(env, since)).toEqual(["createProject served"]);
    figure(task, "0 changes of the platform");
  });

  it("[B12] whose CRD is deleted with all that is under Retain, and comes back", async ({ task }) => {
    await env.waitFor("PlatformApplication", "frozen", { status: "True" }, 60_000);
    const { spec } = await crdOf(env);
    await env.patch("PlatformProject", "shop", { spec: { lifecycle: { deletionPolicy: "Retain" } } });
    await env.waitFor("PlatformProject", "shop", ({ metadata }) => metadata.finalizers === undefined, 60_000);
    const names = (await env.list("PlatformProject")).map(({ metadata }) => metadata.name).toSorted();
    const since = env.calls.length;
    await deleteCrd(env);
    const metadata = { name: "platformprojects.platform-operator.io" };
    const body = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata, spec };
    await env.client.request({ method: "POST", path: CRDS, body });
    await vi.waitFor(() => env.apply(...names.map((name) => project(name))), soon);
    for (const name of names) await env.waitFor("PlatformProject", name, { status: "True" }, 120_000);
    expect(changesSince(env, since)).toEqual([]);
    figure(task, `0 changes of the platform, ${names.length} projects found again`);
  });

  // Whoever deletes a CRD deletes each of its objects, and says so to each: that is no absence.
  it("[B12] whose CRD is deleted: of the platform goes what is under Delete, and nothing else", async ({ task }) => {
    await env.apply(project("doomed", DELETE));
    await env.waitFor("PlatformProject", "doomed", { status: "True" }, 60_000);
    const since = env.calls.length;
    await deleteCrd(env);
    expect(changesSince(env, since)).toEqual(["deleteProject doomed"]);
    figure(task, "1 deletion, of the one under Delete");
  });
});

/**
 * Has a second tree made while something happens, and the operator started again where it ends, as a Deployment does,
 * until both trees are ready. Expects that nothing was done twice for them.
 * @returns how the first process ended, with its last word
 */
async function endDuring(
  env: ChaosEnv,
  happen: () => Promise<unknown>,
): Promise<typeof KEPT | (Exit & { said?: string })> {
  const { operator } = env;
  const over = new AbortController();
  const revived = env.restartAfterCrash(over.signal);
  try {
    await env.apply(...tree(env, "later"));
    await happen();
    for (const name of ["shop", "later"]) {
      await env.waitFor("PlatformApplication", name, { status: "True" }, SUCCESSION_MS);
    }
  } finally {
    over.abort();
    await revived;
  }
  expect([...duplicates(env), ...doubleActions(env, 0)]).toEqual([]);
  const once = ["createProject", "createEnvironment", "createApplication", "deployApplication"];
  expect(effects(env).toSorted()).toEqual([...once, ...once].toSorted());
  if (env.operator === operator) return KEPT;
  return { ...(await operator.exited), said: operator.logs().at(-1)?.message ?? "" };
}

/** kube-apiserver's readiness is no JSON. */
function unlessText(error: unknown): void {
  if (!isKube(error, "BadResponse")) throw error;
}

/** Deletes the CRD of projects, and with it all of them, and waits until it is gone. */
async function deleteCrd(env: ChaosEnv): Promise<void> {
  await env.client.request({ method: "DELETE", path: PROJECTS });
  await vi.waitFor(async () => {
    const read = env.client.request({ method: "GET", path: PROJECTS });
    expect(
      await read.then(
        () => "there",
        (error: unknown) => isKube(error, "NotFound") && "gone",
      ),
    ).toBe("gone");
  }, soon);
}

const Crd = z.object({
  spec: z.record(z.string(), z.json()).and(z.object({ versions: z.array(z.record(z.string(), z.json())) })),
});

async function crdOf(env: ChaosEnv): Promise<z.infer<typeof Crd>> {
  return Crd.parse(await env.client.request({ method: "GET", path: PROJECTS }));
}
