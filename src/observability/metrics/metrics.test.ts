import { describe, expect, it } from "vitest";
import { z } from "zod";

import { stored } from "../../../test/support/kube/stored.ts";
import { storeMetrics } from "../../../test/support/platform/metrics.ts";
import { deployCall } from "../../../test/support/platform/telemetry.ts";
import { PAUSED } from "../../api/names.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { ResultLabel } from "./controller-runtime.ts";

const KINDS = ["PlatformProject", "PlatformApplication"];

function setting(perObject = false) {
  const own = { leads: true };
  const budgets = () => [{ pausedMs: 1_500, requestsPerSecond: 2, waiting: 0, refusedMs: 0 }];
  return Object.assign(own, storeMetrics({ kinds: KINDS, perObject, leading: () => own.leads, budgets }));
}

function object(name: string, states: Readonly<Record<string, string>>, paused = false): KubeObject {
  const conditions = Object.entries(states).map(([type, status]) => ({ type, status, reason: "Because" }));
  const metadata = { annotations: paused ? { [PAUSED]: "true" } : {} };
  return stored("PlatformProject", name, { metadata, status: { conditions } });
}

/** Families without series at first: of what has not happened yet, of single objects, of a limit that may not exist. */
const LATER = new Set([
  ...["nodejs_gc_duration_seconds", "platform_operator_memory_limit_bytes", "platform_operator_connection_up"],
  ...["platform_operator_operation_duration_seconds", "platform_operator_resources_stalled"],
  ...["platform_operator_api_requests_total", "platform_operator_api_request_duration_seconds"],
  ...["platform_operator_watch_malformed_total", "platform_operator_changes_total"],
  ...["platform_operator_webhook_deliveries_total"],
  ...["rest_client_requests_total", "rest_client_request_duration_seconds"],
]);
const Families = z.array(z.object({ name: z.string(), labelNames: z.array(z.string()) }));

it("orphaned objects are counted by kind and reason on the leader", async () => {
  const env = setting();
  const name = "platform_operator_orphaned_objects";
  expect(await env.series(name)).toEqual([
    `${name}{kind="PlatformEnvironment",reason="Retain"} 1`,
    `${name}{kind="PlatformEnvironment",reason="ConnectionNotReady"} 1`,
  ]);
  env.leads = false;
  expect(await env.series(name)).toEqual([]);
});

describe("the metrics of the operator", () => {
  it("exist from the start with all of their labels", async () => {
    const { metrics, series } = setting();
    const families = Families.parse(metrics.registry.getMetricsAsArray());
    const lines = await series();
    for (const { name, labelNames } of families.filter((family) => !LATER.has(family.name))) {
      const own = lines.filter((line) => new RegExp(`^${name}(_count)?[{ ]`).test(line));
      expect(own, name).not.toEqual([]);
      for (const line of own) {
        expect(new Set([...line.matchAll(/(\w+)="/g)].map(([, label]) => label)), name).toEqual(new Set(labelNames));
      }
    }
  });

  it("start at zero for every kind and result", async () => {
    const series = await setting().series();
    for (const controller of ["platformproject", "platformapplication"]) {
      for (const result of ["success", "error", "requeue", "requeue_after"] satisfies ResultLabel[]) {
        expect(series).toContain(`controller_runtime_reconcile_total{controller="${controller}",result="${result}"} 0`);
      }
    }
  });

  it("count a reconcile once, by its kind and result", async () => {
    const { metrics, series } = setting();
    metrics.reconcile.started("PlatformProject");
    expect(await series()).toContain('controller_runtime_active_workers{controller="platformproject"} 1');
    metrics.reconcile.finished("PlatformProject", "error", 0.2);
    const after = await series("controller_runtime_");
    expect(after).toContain('controller_runtime_active_workers{controller="platformproject"} 0');
    expect(after).toContain('controller_runtime_reconcile_total{controller="platformproject",result="error"} 1');
    expect(after).toContain('controller_runtime_reconcile_errors_total{controller="platformproject"} 1');
    expect(after).toContain('controller_runtime_reconcile_time_seconds_count{controller="platformproject"} 1');
  });

  it("read the queue, the lease and the rate gates when they are scraped", async () => {
    const env = setting();
    expect(await env.series()).toEqual(
      expect.arrayContaining([
        'workqueue_depth{name="platform-operator",controller="platform-operator",priority=""} 3',
        'workqueue_unfinished_work_seconds{name="platform-operator",controller="platform-operator"} 0.5',
        'leader_election_master_status{name="platform-operator-leader-election"} 1',
        "platform_operator_api_rate_limited_seconds 1.5",
        'platform_operator_watch_last_event_age_seconds{kind="PlatformProject"} 0.25',
      ]),
    );
    env.leads = false;
    expect(await env.series()).toContain('leader_election_master_status{name="platform-operator-leader-election"} 0');
  });

  it("count requests to the platform by status, and apart those that were not sent", async () => {
    const { metrics, series } = setting();
    const request = { operation: "listProjects", method: "GET" } as const;
    metrics.platform.called(deployCall({ ...request, status: 200 }));
    metrics.platform.called(deployCall({ ...request, status: 0 }));
    metrics.platform.called(deployCall({ ...request, status: 0, sent: false }));
    const name = 'platform_operator_api_requests_total{operation="listProjects",method="GET",code=';
    expect(await series()).toEqual(
      expect.arrayContaining([
        `${name}"200"} 1`,
        `${name}"0"} 1`,
        `${name}"held"} 1`,
        'platform_operator_api_request_duration_seconds_count{operation="listProjects"} 2',
      ]),
    );
  });
});

describe("the metrics of custom resources", () => {
  const count = (ready: string, n: number) =>
    `platform_operator_resources{kind="PlatformProject",ready="${ready}"} ${n}`;

  it("count the cached objects by readiness", async () => {
    const { series, store } = setting();
    store.upsert(object("a", { Ready: "True" }));
    store.upsert(object("b", { Ready: "False" }));
    store.upsert(object("c", {}));
    store.upsert(object("d", { Ready: "True" }));
    store.remove(object("d", {}));
    expect(await series()).toEqual(expect.arrayContaining([count("True", 1), count("False", 1), count("Unknown", 1)]));
  });

  it("count each time that drift is found", async () => {
    const { series, store } = setting();
    for (const drifted of ["False", "True", "True", "False", "True"]) store.upsert(object("a", { Drifted: drifted }));
    expect(await series()).toContain('platform_operator_drift_detected_total{kind="PlatformProject"} 2');
    expect(await series()).toContain('platform_operator_resources_drifted{kind="PlatformProject"} 1');
  });

  it("count the plans that wait for approval", async () => {
    const { series, store } = setting();
    const plan = { hash: "1", generation: 1, actions: [] };
    store.upsert({ ...object("a", {}), status: { plan } });
    store.upsert({ ...object("b", {}), status: { plan: { ...plan, approved: true } } });
    store.upsert(object("c", {}));
    expect(await series()).toContain('platform_operator_plans_pending{kind="PlatformProject"} 1');
  });

  it("[C5] count undocumented states without their text", async () => {
    const { series, store } = setting();
    const name = 'platform_operator_resources_unknown_state{kind="PlatformProject",state="other"}';
    for (const [at, state] of ["HIBERNATING", "half-up", "UNAVAILABLE", "RUNNING", "DEPLOYED"].entries()) {
      const conditions = [{ type: "Ready", status: "Unknown", reason: "UnknownState", message: `It is ${state}.` }];
      store.upsert({ ...object(`a${at}`, {}), status: { state, conditions } });
    }
    expect(await series()).toContain(`${name} 2`);
    expect((await series()).join("\n")).not.toMatch(/HIBERNATING|half-up/);
    store.remove(object("a0", {}));
    expect(await series()).toContain(`${name} 1`);
  });

  it("show each connection that is not paused, the unready ones first, 1,000 at most", async () => {
    const env = setting();
    const connection = (name: string, ready: string, paused = false): void => {
      env.store.upsert({ ...object(name, { Ready: ready }, paused), kind: "PlatformConnection" });
    };
    const up = () => env.series("platform_operator_connection_up");
    const of = (name: string, value: number): string =>
      `platform_operator_connection_up{kind="PlatformConnection",exported_namespace="shop",name="${name}"} ${value}`;
    connection("good", "True");
    connection("new", "Unknown");
    connection("paused", "False", true);
    expect(await up()).toEqual([of("new", 0), of("good", 1)]);
    for (let n = 0; n < 1_000; n += 1) connection(`more-${n}`, "True");
    connection("down", "False");
    const shown = await up();
    expect(shown).toHaveLength(1_000);
    expect(shown.slice(0, 2)).toEqual([of("new", 0), of("down", 0)]);
    env.leads = false;
    expect(await up()).toEqual([]);
  });

  it("are reported only by the leader", async () => {
    const env = setting(true);
    env.store.upsert(object("a", { Ready: "True" }));
    env.leads = false;
    expect(await env.series("platform_operator_resource")).toEqual([]);
  });

  it("show each object on request, until it is deleted", async () => {
    const { series, store } = setting(true);
    const info = () => series("platform_operator_resource_info");
    store.upsert(object("a", { Ready: "False" }, true));
    expect(await info()).toEqual([
      'platform_operator_resource_info{customresource_kind="PlatformProject",exported_namespace="shop",name="a",ready="False",reason="Because",suspended="true"} 1',
    ]);
    store.remove(object("a", {}));
    expect(await info()).toEqual([]);
  });
});
