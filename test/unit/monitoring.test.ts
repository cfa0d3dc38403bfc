/** That alerts, their tests, runbooks, the dashboard and the docs speak of the same, and of metrics that exist. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

import { describedMetrics } from "../../scripts/reference.ts";
import { dashboard, putIn } from "../monitoring/dashboard.ts";
import { groupingOf, selectorsOf } from "../monitoring/promql.ts";
import { recordings, rules } from "../monitoring/rules.ts";
import { filesIn, root, textOf as read } from "./repository.ts";

const ALERTS = rules().map(({ alert }) => alert);

/** Labels that a scrape adds. */
const TARGET = new Set(["namespace", "job", "pod", "instance"]);
const OF_ALERTS = "alertname alertstate severity kind customresource_kind exported_namespace name reason";
const SERVED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  // Prometheus's own.
  ["ALERTS", new Set(OF_ALERTS.split(" "))],
  ...recordings().map(({ record }) => [record, new Set<string>()] as const),
  ...describedMetrics().flatMap(({ name, type, labels }) =>
    (type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]).map(
      (series) => [series, new Set(series.endsWith("_bucket") ? [...labels, "le"] : labels)] as const,
    ),
  ),
]);

const PANELS = dashboard().panels;
const QUERIES: readonly (readonly [string, string])[] = [
  ...rules().map(({ alert, expr }) => [`alert ${alert}`, expr] as const),
  ...recordings().map(({ record, expr }) => [`series ${record}`, expr] as const),
  ...PANELS.flatMap(({ title, targets }) => targets.map(({ expr }) => [`panel ${title}`, expr] as const)),
];

describe("each PromQL expression", () => {
  it.each(QUERIES)("of %s uses only metrics that are served, with labels that they have", (_what, expr) => {
    const selectors = selectorsOf(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric, labels } of selectors) {
      const served = SERVED.get(metric);
      expect(served, metric).toBeDefined();
      expect(
        labels.filter((label) => !TARGET.has(label) && served?.has(label) !== true),
        metric,
      ).toEqual([]);
    }
    const known = new Set(selectors.flatMap(({ metric }) => [...(SERVED.get(metric) ?? [])]));
    expect(groupingOf(expr).filter((label) => !TARGET.has(label) && !known.has(label))).toEqual([]);
  });

  const shown = PANELS.flatMap(({ title, targets }) => targets.map((target) => ({ title, ...target })));
  it.each(shown)("of panel $title keeps the labels of its legend $legendFormat", ({ legendFormat, expr }) => {
    const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
    const kept = new Set([...groupingOf(expr), ...(/\bby\b/.test(expr) ? [] : TARGET)]);
    expect(labels.filter((label) => !kept.has(label))).toEqual([]);
  });
});

describe("each alert", () => {
  it.each(rules())("has a severity, a summary and a description: $alert", (rule) => {
    const severity = /^(critical|warning|\{\{ if .* \}\}critical\{\{ else \}\}warning\{\{ end \}\})$/;
    expect(rule.labels).toEqual({ severity: expect.stringMatching(severity) });
    expect(Object.keys(rule.annotations)).toEqual(["summary", "description"]);
    for (const text of Object.values(rule.annotations)) expect(text).toMatch(/\.$/);
  });

  it("has a runbook of its name, which the list of runbooks links with its severity", () => {
    const pages = readdirSync(join(root, "docs/runbooks")).filter((name) => name !== "README.md");
    expect(pages.toSorted()).toEqual(ALERTS.map((alert) => `${alert}.md`).toSorted());
    const rows = [...read("docs/runbooks/README.md").matchAll(/^\| \[(\w+)\]\((\w+)\.md\) \| ([\w ]+) \|/gm)];
    expect(rows.map(([, name, page, severity]) => ({ name, page, severity }))).toEqual(
      rules().map(({ alert, labels }) => ({
        name: alert,
        page: alert,
        severity: labels["severity"]?.includes("{{") === true ? "critical or warning" : labels["severity"],
      })),
    );
    for (const alert of ALERTS) expect(read(`docs/runbooks/${alert}.md`)).toMatch(new RegExp(`^# ${alert}\n`));
  });

  it("has a runbook that names only panels of the dashboard", () => {
    const titles = new Set(PANELS.map(({ title }) => title));
    const named = ALERTS.flatMap((alert) =>
      [...read(`docs/runbooks/${alert}.md`).matchAll(/^In the dashboard.*$/gm)].flatMap(([line]) =>
        [...line.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title),
      ),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((title) => !titles.has(title))).toEqual([]);
  });

  it("is in the guide to observing", () => {
    const guide = read("docs/guides/observe.md");
    expect(ALERTS.filter((alert) => !guide.includes(alert))).toEqual([]);
  });

  it("has test cases for promtool in which it fires and in which it does not", () => {
    const Case = z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) });
    const { tests } = z
      .object({ tests: z.array(z.object({ alert_rule_test: z.array(Case) })) })
      .parse(parse(read("test/monitoring/alerts.test.yaml")));
    const cases = tests.flatMap(({ alert_rule_test }) => alert_rule_test);
    const tested = (fires: boolean) =>
      ALERTS.filter((alert) => cases.some((one) => one.alertname === alert && one.exp_alerts.length > 0 === fires));
    expect(tested(true)).toEqual(ALERTS);
    expect(tested(false)).toEqual(ALERTS);
  });

  it("is caused by a real fault in test/e2e/alerts.test.ts, if that takes only minutes", () => {
    const scenes = read("test/e2e/alerts.test.ts");
    // Its objective is 15 minutes, which are not ours to scale.
    expect(ALERTS.filter((alert) => !scenes.includes(alert))).toEqual(["PlatformApplyToReadySlow"]);
  });
});

describe("the dashboard", () => {
  it("has panels with different ids and titles, which neither overlap nor exceed its 24 columns", () => {
    for (const key of ["id", "title"] as const) expect(new Set(PANELS.map((one) => one[key])).size).toBe(PANELS.length);
    const taken = PANELS.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(taken).size).toBe(taken.length);
    expect(Math.max(...PANELS.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  });

  it("defines every variable that its queries use", () => {
    const rest = PANELS.flatMap((panel) => panel.targets.map(({ expr }) => putIn(dashboard(), expr, 60)));
    expect(rest.filter((expr) => expr.includes("$"))).toEqual([]);
  });
});

it.each(["README.md", ...filesIn("docs", ".md")])("the page %s names only metrics that exist", (page) => {
  const ours = /\b(platform_operator|controller_runtime|workqueue|leader_election)_[a-z_]+\b/g;
  const named = read(page).match(ours) ?? [];
  expect(named.filter((name) => !name.endsWith("_") && !isServed(name))).toEqual([]);
});

function isServed(name: string): boolean {
  return SERVED.has(name) || SERVED.has(`${name}_bucket`);
}
