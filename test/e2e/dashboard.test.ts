/** The dashboard's queries against a real Prometheus that scrapes an operator in many situations. */
import { beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { stagedApplications } from "../integration/staged-applications.ts";
import { dashboard, legendOf, type Panel, putIn } from "../monitoring/dashboard.ts";
import { startPrometheus } from "../monitoring/prometheus.ts";
import { rules, scaled } from "../monitoring/rules.ts";
import { createEnv } from "../support/env/env.ts";
import { application, connection, project, tree } from "../support/kube/manifests.ts";
import { OTHER_COMMIT } from "../support/services/applications.ts";

const PATIENCE_MS = 120_000;
/** Twice the window that a rate needs with a scrape every two seconds. */
const RATE_SECONDS = 16;

const model = dashboard();
// With a sixtieth of their times, so that some alerts fire.
const prometheus = await startPrometheus(rules().map((rule) => scaled(rule, 60)));

/** @returns the panel and legend of a query */
const nameOf = ({ title }: Panel, legend: string): string => (legend === "" ? title : `${title}: ${legend}`);
const QUERIES = model.panels.flatMap((panel) =>
  panel.targets.map((target) => [nameOf(panel, target.legendFormat), panel, target] as const),
);

/** Whether a process has the metrics: only a container has a memory limit. */
const hasProcess = ([, , { expr }]: (typeof QUERIES)[number]): boolean =>
  !expr.includes("platform_operator_memory_limit_bytes");

describe("the dashboard", () => {
  const env = createEnv({
    surface: "full",
    windows: { pollMs: 2_000 },
    args: ["--leader-elect=false", "--metrics-per-object", "--webhook-bind-address=127.0.0.1:0"],
  });
  const apps = stagedApplications(env);
  const began = new Date();

  const ask = async (panel: Panel, { expr, instant }: Panel["targets"][number]) => {
    const query = putIn(model, expr, RATE_SECONDS);
    return instant || panel.type === "stat" ? prometheus.query(query) : prometheus.queryRange(query, began);
  };

  const scraped = async (series: string): Promise<void> => {
    await vi.waitFor(async () => expect(await prometheus.query(series), series).not.toEqual([]), PATIENCE_MS);
  };

  beforeAll(async () => {
    await prometheus.scrape("platform-operator", env.operator.metricsUrl);
    // Events before the first scrape have no rate.
    await scraped("platform_operator_build_info");
    await env.apply(...env.quickstart(), ...tree(env, "drifts", { lifecycle: { driftPolicy: "Report" } }));
    for (const name of ["api", "web", "drifts"]) {
      await env.waitFor("PlatformApplication", name, { status: "True" }, PATIENCE_MS);
    }
    await scraped('platform_operator_changes_total{operation="deployApplication"}');
    // A series has a rate after its second value.
    await scraped('platform_operator_operation_duration_seconds_count{kind="PlatformApplication"}');
    await apps.change("api", { deploy: { gitCommitId: OTHER_COMMIT } });
    await apps.deployed("api", OTHER_COMMIT);
    // One of each: drift, a plan that waits for approval, an undocumented state, a failing build, a long deployment,
    // invalid deliveries, a platform that fails and limits the rate.
    await apps.edit("drifts", { name: "renamed" });
    await apps.edit("web", { state: "HIBERNATING" });
    await env.apply(
      project("planned", { lifecycle: { applyPolicy: "Manual" } }),
      application("broken", "staging", { deploy: { gitCommitId: "bad0c0de" } }),
      connection(env, "without-secret"),
    );
    await env.waitFor("PlatformApplication", "broken", { type: "Stalled", status: "True" }, PATIENCE_MS);
    env.platform.sim.settings.durations.deploy = 1_000_000;
    await apps.change("api", { deploy: { gitCommitId: "fedcba9" } });
    const { address } = z
      .object({ address: z.string() })
      .parse(env.operator.logs().find((line) => line["server"] === "webhook"));
    for (let deliveries = 0; deliveries < 20; deliveries += 1) {
      await fetch(`${address}/webhooks`, { method: "POST", body: "{}" });
    }
    const { faults } = env.platform.sim;
    faults.add({ every: 9, count: null, answer: { is: "status", status: 503 } });
    faults.add({ every: 31, count: null, answer: { is: "rate-limited", reset: "1" } });
  });

  it.each(["namespace", "job", "controller"])("offers values for the variable %s", async (name) => {
    const query = model.templating.list.find((variable) => variable.name === name)?.query ?? "";
    const text = typeof query === "string" ? query : query.query;
    const [, selector = "", label = ""] = /^label_values\((.+), (\w+)\)$/.exec(text) ?? [];
    const series = await prometheus.query(putIn(model, selector, RATE_SECONDS));
    expect(series.map(({ metric }) => metric[label])).not.toContain(undefined);
    expect(series.length).toBeGreaterThan(0);
  });

  it.each(QUERIES.filter(hasProcess))("shows a value for %s", async (_name, panel, target) => {
    const finite = async () =>
      (await ask(panel, target)).flatMap(({ values }) => values.filter(([, value]) => Number.isFinite(Number(value))));
    await vi.waitFor(async () => expect(await finite()).not.toEqual([]), PATIENCE_MS);
  });

  it.each(QUERIES.filter(([, { type }]) => type === "timeseries"))(
    "distinguishes the lines of %s by the legend",
    async (_name, panel, target) => {
      const series = await ask(panel, target);
      const legends = series.map(({ metric }) => legendOf(target.legendFormat, metric));
      expect(new Set(legends).size).toBe(legends.length);
    },
  );
});
