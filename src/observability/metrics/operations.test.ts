import { beforeEach, describe, expect, it } from "vitest";

import { stored } from "../../../test/support/kube/stored.ts";
import { storeMetrics } from "../../../test/support/platform/metrics.ts";
import { REASONS } from "../../api/reasons.ts";
import type { JsonObject, ObjectMeta } from "../../kube/api/types.ts";

const DURATION = "platform_operator_operation_duration_seconds";
const OLDEST = "platform_operator_operation_in_progress_seconds";
const STALLED = "platform_operator_resources_stalled";
const UNKNOWN = "platform_operator_api_unknown_value_total";
const KINDS = ["PlatformProject", "PlatformApplication"];

type Conditions = readonly (JsonObject | readonly JsonObject[])[];

/** The metrics of a store; the clock starts at a quarter past midnight. */
function setting({ perNamespace = false } = {}) {
  const own = { leads: true, time: "2026-01-01T00:15:00Z" };
  const figures = { kinds: KINDS, leading: () => own.leads, perNamespace, now: () => new Date(own.time) };
  const { store, series } = storeMetrics(figures);
  return Object.assign(own, {
    put: (name: string, ...conditions: Conditions) => {
      store.upsert(stored("PlatformProject", name, { status: { conditions: conditions.flat() } }));
    },
    show: (name: string, state: string) => store.upsert(stored("PlatformProject", name, { status: { state } })),
    remove: (name: string, metadata: Partial<ObjectMeta> = {}) =>
      store.remove(stored("PlatformProject", name, { metadata })),
    /** The series of one family, without its buckets. */
    series: async (family: string) => (await series(family)).filter((line) => !line.includes("_bucket{")),
  });
}

let env: ReturnType<typeof setting>;
beforeEach(() => {
  env = setting();
});

/** The conditions of an object that is being worked on: the reason of Ready is the operation. */
const working = (reason: string, since = "2026-01-01T00:10:00Z"): readonly JsonObject[] => [
  { type: "Ready", status: "False", reason },
  { type: "Reconciling", status: "True", reason: "Progressing", lastTransitionTime: since },
];
const ready = (status: string, reason: string): JsonObject => ({ type: "Ready", status, reason });
const stalled = (reason: string): JsonObject => ({ type: "Stalled", status: "True", reason });

const durationOf = (operation: string, outcome: string, seconds: number): readonly string[] => {
  const labels = `kind="PlatformProject",operation="${operation}",outcome="${outcome}"`;
  return [`${DURATION}_sum{${labels}} ${seconds}`, `${DURATION}_count{${labels}} 1`];
};

describe("the duration of an operation", () => {
  const deploying = working("Deploying");
  const available = ready("True", "Available");
  const failed = [ready("False", "DeploymentFailed"), stalled("DeploymentFailed")];

  it.each<[string, Conditions, JsonObject | readonly JsonObject[], readonly string[]]>([
    [
      "has the last reason as its operation",
      [working("Building"), deploying],
      available,
      durationOf("Deploying", "succeeded", 300),
    ],
    [
      "counts as failed when the object is Stalled at the end",
      [deploying],
      failed,
      durationOf("Deploying", "failed", 300),
    ],
    ["is omitted without a start", [working("Creating", "")], available, []],
    ["is omitted when its start is invalid", [working("Creating", "yesterday")], available, []],
    // The clocks of two leaders may differ.
    [
      "is zero where its start is in the future",
      [working("Creating", "2026-01-01T00:16:00Z")],
      available,
      durationOf("Creating", "succeeded", 0),
    ],
  ])("%s", async (_what, during, end, expected) => {
    for (const conditions of during) env.put("a", conditions);
    expect(await env.series(DURATION)).toEqual([]);
    env.put("a", end);
    expect(await env.series(DURATION)).toEqual(expected);
  });

  it("of a deletion is the time from its request to the end of the object", async () => {
    env.put("a");
    env.remove("a", { deletionTimestamp: "2026-01-01T00:14:30Z" });
    expect(await env.series(DURATION)).toEqual(durationOf("Deleting", "succeeded", 30));
  });

  it("is not observed for an object that was deleted at once, nor for the first state of an object", async () => {
    env.put("a", available);
    env.remove("a");
    expect(await env.series(DURATION)).toEqual([]);
  });

  it("excludes waits on purpose, which do not end the operation", async () => {
    env.put("a", working("Creating"));
    env.put("a", working("ApprovalPending"));
    expect(await env.series(DURATION)).toEqual([]);
    env.time = "2026-01-01T08:00:00Z";
    env.put("a", deploying);
    env.time = "2026-01-01T08:00:05Z";
    expect(await env.series(OLDEST)).toContain(`${OLDEST}{kind="PlatformProject"} 5`);
    env.time = "2026-01-01T08:00:20Z";
    env.put("a", ready("True", "Deployed"));
    expect(await env.series(DURATION)).toEqual(durationOf("Deploying", "succeeded", 20));
    env.put("a", working("Deploying", "2026-01-01T08:00:15Z"));
    expect(await env.series(OLDEST)).toContain(`${OLDEST}{kind="PlatformProject"} 5`);
  });

  it("has only known operations as labels, whatever reasons a status has", async () => {
    for (const reason of ["a1b2", ...Object.keys(REASONS)]) {
      env.put("a", working(reason));
      env.put("a", available);
    }
    const operations = (await env.series(`${DURATION}_count`)).map((line) => /operation="(\w+)"/.exec(line)?.[1]);
    const all = ["Building", "Canceling", "Creating", "Deleting", "Deploying", "Progressing", "Queued", "Restarting"];
    expect(new Set(operations)).toEqual(new Set([...all, "Stopping", "Upgrading", "other"]));
  });
});

describe("the age of the oldest operation in progress", () => {
  const of = (kind: string, seconds: number) => `${OLDEST}{kind="${kind}"} ${seconds}`;

  it("is that of the object in progress for the longest time, and grows without new events", async () => {
    env.put("a", working("Creating"));
    env.put("b", working("Deploying", "2026-01-01T00:05:00Z"));
    env.put("c", ready("True", "Available"));
    expect(await env.series(OLDEST)).toEqual([of("PlatformProject", 600), of("PlatformApplication", 0)]);
    env.time = "2026-01-01T00:16:00Z";
    expect(await env.series(OLDEST)).toContain(of("PlatformProject", 660));
  });

  it("is 0 after the operation ended or the object was deleted", async () => {
    env.put("a", working("Creating"));
    env.put("b", working("Creating"));
    env.put("a", ready("True", "Available"));
    env.remove("b");
    expect(await env.series(OLDEST)).toContain(of("PlatformProject", 0));
  });

  const notTheirs = ["ParentNotReady", "DependencyNotReady", "WaitingForChildren", "ConnectionNotReady"];
  const waits = ["ApprovalPending", ...notTheirs, "PlatformUnavailable"];
  it.each(waits)("excludes objects that wait for something else than the platform: %s", async (reason) => {
    env.put("a", working(reason));
    expect(await env.series(OLDEST)).toContain(of("PlatformProject", 0));
  });

  it("begins after the last wait, and continues through an outage of the platform", async () => {
    env.put("a", working("ParentNotReady"));
    env.put("a", working("Deploying"));
    env.time = "2026-01-01T00:16:00Z";
    env.put("a", working("PlatformUnavailable"));
    env.put("a", working("Deploying"));
    expect(await env.series(OLDEST)).toContain(of("PlatformProject", 60));
  });
});

describe("the number of stalled objects", () => {
  it("is counted by kind and reason, without objects that continue or are deleted", async () => {
    env.put("a", stalled("InvalidSpec"));
    env.put("b", stalled("InvalidSpec"));
    env.put("c", stalled("NameConflict"));
    const of = (reason: string, count: number) => `${STALLED}{kind="PlatformProject",reason="${reason}"} ${count}`;
    expect(await env.series(STALLED)).toEqual([of("InvalidSpec", 2), of("NameConflict", 1)]);
    env.put("a", ready("True", "Available"));
    env.remove("c");
    expect(await env.series(STALLED)).toEqual([of("InvalidSpec", 1)]);
  });

  it("has only known reasons as labels, whatever reasons a status has", async () => {
    env.put("a", stalled("kubectl-delete-everything"));
    expect(await env.series(STALLED)).toEqual([`${STALLED}{kind="PlatformProject",reason="other"} 1`]);
  });

  it("is counted by namespace on request", async () => {
    env = setting({ perNamespace: true });
    env.put("a", stalled("BuildFailed"));
    env.put("b", stalled("BuildFailed"));
    const labels = 'kind="PlatformProject",reason="BuildFailed",exported_namespace="shop"';
    expect(await env.series(STALLED)).toEqual([`${STALLED}{${labels}} 2`]);
  });
});

it("durations, ages and stalled objects are reported only by the leader", async () => {
  env.put("a", working("Creating"));
  env.put("b", working("Creating"));
  env.put("c", stalled("InvalidSpec"));
  env.leads = false;
  env.put("a", ready("True", "Available"));
  for (const family of [DURATION, OLDEST, STALLED]) expect(await env.series(family)).toEqual([]);
});

it("undocumented values are counted from 0 on, each time that an object gets one", async () => {
  expect(await env.series(UNKNOWN)).toEqual([`${UNKNOWN}{field="state"} 0`]);
  env.show("a", "DEPLOYED");
  for (const state of ["HIBERNATING", "HIBERNATING", "UNAVAILABLE", "half-up", "RUNNING"]) env.show("a", state);
  expect(await env.series(UNKNOWN)).toEqual([`${UNKNOWN}{field="state"} 2`]);
});
