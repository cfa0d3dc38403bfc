import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { quietPorts } from "../../test/support/engine/ports.ts";
import { manualClock, settle, type ManualClock } from "../../test/support/kube/clock.ts";
import { stored } from "../../test/support/kube/stored.ts";
import { memoryOrphans, memoryConfigMaps } from "../../test/support/platform/orphans.ts";
import { recordingLog } from "../../test/support/platform/telemetry.ts";
import type { Bound } from "../engine/bind.ts";
import { DEFAULT_WINDOWS } from "../engine/contract/windows.ts";
import { KubeError } from "../kube/api/errors.ts";
import type { KubeObject } from "../kube/api/types.ts";
import { createWorkQueue } from "../kube/queue/workqueue.ts";
import { createStore, type Store } from "../kube/watch/store.ts";
import type { Logger } from "../observability/logger.ts";
import { createReconcileTracker } from "../observability/reconcile-tracker.ts";
import type { Platform } from "../platform/index.ts";
import { createWork, loadObjects, LONG_RECONCILE_MS, type WorkOptions } from "./work.ts";

let clock: ManualClock;
let store: Store;
let reconciled: string[];
let outcomes: string[];

beforeEach(() => {
  clock = manualClock();
  store = createStore(() => {});
  reconciled = [];
  outcomes = [];
});

/** A kind whose reconciles return what the test sets. */
function kind(name: string, reconcile: () => Promise<number | undefined> = async () => undefined): Bound<Platform> {
  return {
    kind: name,
    references: () => [],
    claim: () => undefined,
    fieldClaims: () => [],
    recordOrphan: () => {},
    attach: () => async (key) => {
      reconciled.push(`${key.kind}/${key.name}`);
      return reconcile();
    },
  };
}

function work(
  managed: readonly Bound<Platform>[],
  overrides: Partial<WorkOptions> = {},
  orphans = memoryOrphans(clock),
) {
  const unused = (): never => {
    throw new Error("no reconcile of these kinds uses it");
  };
  const engine: WorkOptions["engine"] = {
    ...quietPorts(),
    writer: { patchChecked: unused, patchStatus: unused, storeOutcome: unused, confirm: unused },
    reader: { secret: unused, configMap: unused },
    random: () => 0.5,
    connectionKinds: { namespaced: "PlatformConnection", cluster: "ClusterPlatformConnection" },
    installation: "kube-system-uid",
    connect: unused,
    orphans,
  };
  const note: Logger["warn"] = (message, { kind: of = "", name = "", error = "" } = {}) =>
    outcomes.push(`${of}/${name} ${message}: ${String(error)}`);
  return createWork({
    store,
    queue: createWorkQueue({ clock, random: () => 0 }),
    workers: 1,
    clock,
    kinds: { connections: [], managed },
    engine,
    tracker: createReconcileTracker(() => 0),
    log: { trace: () => {}, debug: () => {}, info: () => {}, warn: note, error: note },
    metrics: { started: () => {}, finished: (of, outcome) => outcomes.push(`${of} ${outcome}`), panicked: () => {} },
    ...overrides,
  });
}

/** Starts the work, until the test ends. */
async function begin(...options: Parameters<typeof work>) {
  const started = work(...options);
  onTestFinished(() => started.drain());
  void started.start();
  await settled();
  return started;
}

function object(kindName: string, name: string, version = 1, settled = false): KubeObject {
  const conditions = [{ type: "Ready", status: "True", reason: "Available", message: "", observedGeneration: version }];
  return stored(kindName, name, {
    metadata: { resourceVersion: String(version), generation: version },
    ...(settled ? { status: { observedGeneration: version, conditions } } : {}),
  });
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await settle();
}

it("loadObjects() yields between objects, and reports changes of that time afterwards and in their order", async () => {
  for (let index = 0; index < 120; index += 1) store.upsert(object("PlatformProject", `p${String(index)}`));
  const reported: string[] = [];
  const loading = loadObjects(store, ({ type, object: { metadata } }, initial) =>
    reported.push(`${type} ${metadata.name}@${metadata.resourceVersion} ${String(initial)}`),
  );
  expect(reported).toHaveLength(50);
  store.upsert(object("PlatformProject", "p1", 2));
  store.upsert(object("PlatformEnvironment", "new"));
  store.remove(object("PlatformProject", "p119", 3));
  const unsubscribe = await loading;
  expect(reported).toHaveLength(123);
  const later = ["updated p1@2 false", "added new@1 false", "deleted p119@3 false"];
  expect(reported.slice(119)).toEqual(["added p119@1 true", ...later]);
  store.upsert(object("PlatformProject", "p2", 4));
  expect(reported.at(-1)).toBe("updated p2@4 false");
  unsubscribe();
  store.upsert(object("PlatformProject", "p2", 5));
  expect(reported).toHaveLength(124);
});

describe("the work of the operator", () => {
  it("begins with all objects of the cache, parents first", async () => {
    store.upsert(object("PlatformApplication", "api"));
    store.upsert(object("PlatformEnvironment", "staging"));
    store.upsert(object("PlatformProject", "shop"));
    const started = work([kind("PlatformApplication"), kind("PlatformEnvironment"), kind("PlatformProject")]);
    await settled();
    expect(reconciled).toEqual([]);
    void started.start();
    await settled();
    expect(reconciled).toEqual(["PlatformProject/shop", "PlatformEnvironment/staging", "PlatformApplication/api"]);
    await started.drain();
  });

  it.each([
    ["Server", 1, ["/ cannot read the orphan ledger: trying again: KubeError: no"]],
    ["Forbidden", 9, ["/ cannot read the orphan ledger: nothing in it is found again by this process: KubeError: no"]],
  ] as const)("waits for the orphan ledger unless the user may not read it: %s", async (failure, refusals, logged) => {
    store.upsert(object("PlatformProject", "shop"));
    const configMaps = memoryConfigMaps();
    const read = configMaps.read.bind(configMaps);
    let left = refusals * configMaps.count;
    configMaps.read = (index) => {
      left -= 1;
      return left < 0 ? read(index) : Promise.reject(new KubeError(failure, 403, "no"));
    };
    await begin([kind("PlatformProject")], {}, memoryOrphans(clock, configMaps));
    expect(outcomes.slice(0, 1)).toEqual(logged);
    expect(reconciled).toEqual(failure === "Forbidden" ? ["PlatformProject/shop"] : []);
    await clock.advance(1_000);
    await settled();
    expect(reconciled).toEqual(["PlatformProject/shop"]);
  });

  it("spreads the verification of settled objects over the poll interval, and takes changes at once", async () => {
    store.upsert(object("PlatformProject", "shop", 1, true));
    await begin([kind("PlatformProject")]);
    store.upsert(object("PlatformProject", "new"));
    await settled();
    expect(reconciled).toEqual(["PlatformProject/new"]);
    await clock.advance(DEFAULT_WINDOWS.pollMs / 2);
    expect(reconciled).toEqual(["PlatformProject/new", "PlatformProject/shop"]);
  });

  it("repeats a reconcile when it asks for that, and after its backoff when it failed, and leaves no timer", async () => {
    const failure = new KubeError("Server", 500, "PATCH /x: 500");
    const ends = [async () => 5_000, () => Promise.reject(failure), async () => undefined];
    store.upsert(object("PlatformProject", "shop"));
    const started = await begin([kind("PlatformProject", async () => ends.shift()?.())]);
    expect(outcomes).toEqual(["PlatformProject requeue_after"]);
    await clock.advance(5_000);
    await settled();
    const logged = "PlatformProject/shop reconcile failed, trying again: KubeError: PATCH /x: 500";
    expect(outcomes.slice(1)).toEqual([logged, "PlatformProject error"]);
    await clock.advance(1_000);
    await settled();
    expect(outcomes.at(-1)).toBe("PlatformProject success");
    await started.drain();
    expect(clock.pending()).toBe(0);
  });

  it("logs once that a reconcile takes longer than a minute, with its object and reconcile id", async () => {
    const tracker = createReconcileTracker(() => 0.5);
    const { log, lines } = recordingLog();
    const warn: Logger["warn"] = (message, fields) =>
      log.warn(message, { ...fields, reconcileID: tracker.current()?.id });
    const held = Promise.withResolvers<undefined>();
    let reconcileID: string | undefined;
    store.upsert(object("PlatformProject", "shop"));
    const holding = kind("PlatformProject", () => {
      reconcileID = tracker.current()?.id;
      return held.promise;
    });
    const started = await begin([holding], { tracker, log: { ...log, warn } });
    await clock.advance(LONG_RECONCILE_MS - 1);
    expect(lines).toEqual([]);
    await clock.advance(1);
    const named = { kind: "PlatformProject", namespace: "shop", name: "shop", reconcileID };
    expect(lines).toEqual([["warn", "is still being reconciled", named]]);
    expect(reconcileID).toMatch(/-1$/);
    await clock.advance(100 * LONG_RECONCILE_MS);
    expect(lines).toHaveLength(1);
    held.resolve(undefined);
    await started.drain();
    expect(clock.pending()).toBe(0);
  });
});
