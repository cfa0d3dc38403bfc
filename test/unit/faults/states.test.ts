import { describe, expect, it } from "vitest";

import type { Surface } from "../../../simulator/base/operations.ts";
import { editRecord } from "../../../simulator/control/records.ts";
import type { Service } from "../../../simulator/model/world.ts";
import { POLL_INTERVAL } from "../../../src/api/names.ts";
import { conditionOf } from "../../../src/engine/contract/status.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { clusterStates, serviceStates } from "../../../src/platform/codec/states.ts";
import { effort } from "../../support/env/effort.ts";
import {
  application,
  blueprint,
  database,
  defaults,
  NEXT_COMMIT,
  resource,
  secret,
  tree,
} from "../../support/kube/manifests.ts";
import { figure } from "../../support/platform/figure.ts";
import { operatorBench, type OperatorBench } from "../../support/platform/operator-env.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const KINDS = [
  ["PlatformApplication", "a"],
  ["PlatformDatabase", "d"],
  ["PlatformBlueprint", "b"],
  ["PlatformCluster", "c"],
] as const;
const UNKNOWN = ["PAUSED", "deployed", "half-up, perhaps?", "\u202E\u0000", "X".repeat(3_000), "😀"];

/** One of each kind that has a state, looked at every 30 s. */
async function fleet(): Promise<OperatorBench> {
  const bench = await operatorBench();
  bench.apply(...defaults(bench), ...tree(bench, "a"), database("d", "a"), blueprint("b", "a"));
  bench.apply(resource("PlatformCluster", "c", { externalId: bench.platform.clusterIds[0] ?? "" }));
  await bench.run(15 * MINUTE);
  for (const [kind, name] of KINDS) bench.cluster.annotate(kind, name, { [POLL_INTERVAL]: "30s" });
  await bench.run(MINUTE);
  return bench;
}

function serviceOf({ platform }: OperatorBench, wanted: string): Service {
  const found = [...platform.world().services.values()].find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`the platform has no service ${wanted}`);
  return found;
}

function show(bench: OperatorBench, state: string, clusters: boolean): void {
  const { sim } = bench.platform;
  for (const { id } of bench.platform.world().services.values()) editRecord(sim, id, { state });
  if (clusters) editRecord(sim, bench.platform.clusterIds[0] ?? "", { state });
}

describe("[C5] a state", { timeout: 120_000 }, () => {
  it("of those that are documented is survived by every kind, and nothing is done that nobody asked for", async ({
    task,
  }) => {
    const bench = await fleet();
    const from = bench.mark();
    const states = [...new Set([...serviceStates, ...clusterStates])];
    for (const state of states) {
      show(bench, state, clusterStates.includes(state));
      await bench.run(40 * SECOND);
      for (const [kind, name] of KINDS) expect(bench.told(kind, name), `${kind} ${state}`).not.toMatch(/InternalError/);
    }
    show(bench, "DEPLOYED", true);
    await bench.run(2 * MINUTE);
    for (const [kind, name] of KINDS) expect(bench.told(kind, name), kind).toMatch(/^True/);
    expect(bench.writes(from)).toEqual([]);
    expect(bench.internal).toEqual([]);
    figure(task, `0 crashes, 0 actions in ${serviceStates.length} and ${clusterStates.length} states`, 53);
  });

  it("that is not documented is told as it is, and nothing is stopped, whatever is wanted", async ({ task }) => {
    const bench = await fleet();
    const from = bench.mark();
    const change = (kind: string, name: string, members: object): void =>
      bench.cluster.spec(kind, name, { ...(bench.get(kind, name).spec as object), ...members });
    show(bench, "HIBERNATING", true);
    await bench.run(MINUTE);
    change("PlatformDatabase", "d", { runState: "Stopped" });
    change("PlatformCluster", "c", { runState: "Stopped", lifecycle: { applyPolicy: "Automatic" } });
    for (const state of UNKNOWN) {
      show(bench, state, true);
      await bench.run(11 * MINUTE);
      for (const [kind, name] of KINDS) {
        const ready = conditionOf(bench.get(kind, name), "Ready");
        expect(`${ready?.status}/${ready?.reason}`, `${kind} ${state}`).toBe("Unknown/UnknownState");
        expect(ready?.message.length, `${kind} ${state}`).toBeLessThanOrEqual(300);
        for (const odd of ["\u0000", "\u202E"]) expect(ready?.message, `${kind} ${state}`).not.toContain(odd);
        expect(bench.looks(kind, name), `${kind} ${state}`).not.toContain("Stalled");
      }
    }
    expect(bench.writes(from).toSorted()).toEqual([]);
    expect(bench.internal).toEqual([]);
    show(bench, "DEPLOYED", true);
    await bench.run(20 * MINUTE);
    expect(bench.writes(from).toSorted()).toEqual(["stopCluster", "stopDatabase"]);
    figure(task, "0 actions in a state that nobody documented", UNKNOWN.length * KINDS.length);
  });
});

describe("[C10] a state", { timeout: 120_000 }, () => {
  it("that goes back and forth makes nothing be done, and what is told follows it", async () => {
    const bench = await fleet();
    const from = bench.mark();
    for (const state of ["DEPLOYING", "STOPPED", "DEPLOYED", "DEPLOYMENT_QUEUED", "BUILDING", "DEPLOYED", "STOPPING"]) {
      show(bench, state, true);
      await bench.run(40 * SECOND);
    }
    show(bench, "DEPLOYED", true);
    await bench.run(2 * MINUTE);
    for (const [kind, name] of KINDS) expect(bench.told(kind, name), kind).toMatch(/^True/);
    expect(bench.writes(from)).toEqual([]);
  });

  it("of an older answer does not end a deployment that is followed by its request", async () => {
    const bench = await fleet();
    const service = serviceOf(bench, "a");
    service.stuck = true;
    bench.apply(application("a", "a", { deploy: { gitCommitId: NEXT_COMMIT } }));
    await bench.run(MINUTE);
    // Every status says that all is well, as one from a cache does; the request says the truth.
    const set = { "applications.0.state": "DEPLOYED", "applications.0.service_deployment_status": "UP_TO_DATE" };
    const fault = { match: { operation: "getEnvironmentStatuses" }, answer: { is: "edited", set } } as const;
    bench.platform.sim.faults.add({ ...fault, count: null });
    await bench.run(5 * MINUTE);
    expect(bench.told("PlatformApplication", "a")).toMatch(/^False\/(Deploying|Building|Queued|Progressing)/);
    service.stuck = false;
    bench.platform.sim.faults.clear();
    await bench.run(15 * MINUTE);
    expect(bench.told("PlatformApplication", "a")).toBe("True/Deployed");
  });

  it("DEPLOYING that never ends is followed slowly, in few writes, and ends when it does", async ({ task }) => {
    const bench = await fleet();
    const service = serviceOf(bench, "a");
    service.stuck = true;
    const from = bench.mark();
    bench.apply(application("a", "a", { deploy: { gitCommitId: NEXT_COMMIT } }));
    const hours = effort.cases(1, 24);
    const writes = bench.cluster.writes.length;
    await bench.run(hours * HOUR);
    const told = hours > 1 ? "Stalled=True/ProgressDeadlineExceeded" : "Reconciling=True";
    expect(bench.looks("PlatformApplication", "a")).toContain(told);
    const followed = bench.calls(from).filter(({ operation }) => operation === "getDeploymentStatusByRequest").length;
    // At most every 27 s: the follow interval of 30 s, less its jitter, after it has grown.
    expect(followed).toBeLessThanOrEqual((hours * 3_600) / 27 + 10);
    expect(bench.cluster.writes.length - writes).toBeLessThanOrEqual(5);
    service.stuck = false;
    await bench.run(15 * MINUTE);
    expect(bench.told("PlatformApplication", "a")).toBe("True/Deployed");
    expect(bench.writes(from)).toEqual(["deployApplication"]);
    figure(task, `a deployment stuck for ${hours} h: ${followed} looks, 0 further actions`);
  });
});

describe("[C10] work without progress", { timeout: 120_000 }, () => {
  const HANGS = /^Ready=False\/ProgressDeadlineExceeded Synced=True\/ReconcileSuccess Stalled=True\/Progress/;

  it.each<Surface>(["full", "documented"])(
    "%s: a deployment is Stalled after its deadline, and followed",
    async (surface) => {
      const bench = await operatorBench({ surface });
      bench.apply(...defaults(bench), ...tree(bench, "a"));
      await bench.run(15 * MINUTE);
      expect(bench.told("PlatformApplication", "a")).toBe("True/Deployed");
      const looks = (): string => bench.looks("PlatformApplication", "a");
      const service = serviceOf(bench, "a");
      service.stuck = true;
      const from = bench.mark();
      bench.apply(application("a", "a", { deploy: { gitCommitId: NEXT_COMMIT } }));
      await bench.run(58 * MINUTE);
      expect(looks()).toContain("Reconciling=True");
      await bench.run(4 * MINUTE);
      expect(looks()).toMatch(HANGS);
      const message = conditionOf(bench.get("PlatformApplication", "a"), "Stalled")?.message ?? "";
      expect(message).toContain("spec.lifecycle.progressDeadline");
      expect(message.length).toBeLessThanOrEqual(300);
      // It is looked at as before, and not written again; a new process knows that it hangs.
      const [writes, calls] = [bench.cluster.writes.length, bench.mark()];
      await bench.run(10 * MINUTE);
      expect(bench.calls(calls).length).toBeGreaterThanOrEqual(20);
      await bench.restart();
      await bench.run(5 * MINUTE);
      expect(looks()).toMatch(HANGS);
      expect(bench.cluster.writes.length).toBe(writes);
      service.stuck = false;
      await bench.run(15 * MINUTE);
      expect(bench.told("PlatformApplication", "a")).toBe("True/Deployed");
      expect(bench.writes(from)).toEqual(["deployApplication"]);
    },
  );

  it.each<[Surface, readonly string[]]>([
    ["documented", ["stopDatabase"]],
    // Its state tells.
    ["full", []],
  ])("%s: a stop that is refused in any words is Stalled with them, and seldom sent again", async (surface, stops) => {
    const bench = await operatorBench({ surface });
    bench.apply(...defaults(bench), ...tree(bench, "a"), database("d", "a"));
    await bench.run(15 * MINUTE);
    const { sim } = bench.platform;
    editRecord(sim, serviceOf(bench, "d").id, { state: "STOPPED" });
    sim.settings.alreadyStopped = "Nothing runs there";
    bench.apply(database("d", "a", { runState: "Stopped" }));
    await bench.run(50 * MINUTE);
    const looks = (): string => bench.looks("PlatformDatabase", "d");
    const isShown = stops.length === 0;
    expect(looks()).toContain(isShown ? "Ready=True/Stopped" : "Reconciling=True");
    await bench.run(20 * MINUTE);
    const stalled = conditionOf(bench.get("PlatformDatabase", "d"), "Stalled");
    const words = /stopDatabase now \(409\): Nothing runs there\. It has been refused/;
    expect(stalled?.message ?? "").toMatch(isShown ? /^$/ : words);
    const [from, writes] = [bench.mark(), bench.cluster.writes.length];
    await bench.run(30 * MINUTE);
    expect([bench.writes(from), bench.cluster.writes.length - writes]).toEqual([[], 0]);
    await bench.run(60 * MINUTE);
    expect([...new Set(bench.writes(from))]).toEqual(stops);
    expect(looks()).toContain(isShown ? "Ready=True/Stopped" : "Stalled=True/ProgressDeadlineExceeded");
    // What was in the way is over.
    editRecord(sim, serviceOf(bench, "d").id, { state: "DEPLOYED" });
    await bench.run(75 * MINUTE);
    expect(looks()).toContain("Ready=True/Stopped");
  });

  it("of the layers of a binding is told like that of a deployment", async () => {
    const bench = await operatorBench();
    const template = { key: "kubernetes-essentials", version: "1.2.0" };
    bench.platform.sim.settings.layerStatuses = { networking: { status: "PENDING", reason: "Nodes are missing" } };
    const dnsApiToken = { valueFrom: { secretKeyRef: { name: "dns", key: "token" } } };
    const managedConfig = { ingress: { domain: { value: "shop.example.com" }, dnsApiToken } };
    const clusterRef = { externalId: bench.platform.clusterIds[0] ?? "" };
    bench.apply(
      ...defaults(bench),
      secret("dns", { token: "s3cret-value" }),
      resource("PlatformBinding", "b", { clusterRef, template, managedConfig }),
    );
    await bench.run(50 * MINUTE);
    expect(bench.looks("PlatformBinding", "b")).toContain("Ready=False/LayersNotEnabled");
    expect(bench.looks("PlatformBinding", "b")).toContain("Reconciling=True");
    await bench.run(30 * MINUTE);
    expect(bench.looks("PlatformBinding", "b")).toContain("Stalled=True/ProgressDeadlineExceeded");
    expect(conditionOf(bench.get("PlatformBinding", "b"), "Stalled")?.message).toContain("networking");
    bench.platform.sim.settings.layerStatuses = {};
    await bench.run(15 * MINUTE);
    expect(bench.told("PlatformBinding", "b")).toMatch(/^True/);
  });

  it("of every kind is told after the deadline that the object or its connection says", async ({ task }) => {
    const bench = await fleet();
    const change = (kind: string, name: string, members: JsonObject): void =>
      bench.cluster.spec(kind, name, { ...(bench.get(kind, name).spec as object), ...members });
    change("PlatformConnection", "default", { defaults: { lifecycle: { progressDeadline: "10m" } } });
    change("PlatformDatabase", "d", { lifecycle: { progressDeadline: "30m" } });
    change("PlatformBlueprint", "b", { lifecycle: { progressDeadline: "0m" } });
    await bench.run(5 * MINUTE);
    const from = bench.mark();
    const stalled = (): string =>
      KINDS.filter(([kind, name]) => bench.looks(kind, name).includes("Stalled=True/ProgressDeadlineExceeded"))
        .map(([, name]) => name)
        .join("");
    show(bench, "DEPLOYING", true);
    await bench.run(9 * MINUTE);
    expect(stalled()).toBe("");
    await bench.run(4 * MINUTE);
    expect(stalled()).toBe("ac");
    await bench.run(20 * MINUTE);
    expect(stalled()).toBe("adc");
    // Another state is progress; the time begins anew.
    show(bench, "STOPPING", true);
    await bench.run(MINUTE);
    for (const [kind, name] of KINDS) expect(bench.looks(kind, name), kind).toContain("Reconciling=True");
    await bench.run(12 * MINUTE);
    expect(stalled()).toBe("ac");
    show(bench, "DEPLOYED", true);
    await bench.run(2 * MINUTE);
    for (const [kind, name] of KINDS) expect(bench.told(kind, name), kind).toMatch(/^True/);
    expect(bench.writes(from)).toEqual([]);
    expect(bench.internal).toEqual([]);
    figure(task, "4 kinds Stalled after their deadline, cleared by progress, 0 actions", KINDS.length);
  });
});
