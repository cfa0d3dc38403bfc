/** helm-chart/files/dashboard.json as Grafana reads it, and its queries with values for the variables. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

const Target = z.object({ expr: z.string(), legendFormat: z.string(), instant: z.boolean().default(false) });
const Panel = z.object({
  id: z.int(),
  type: z.enum(["row", "stat", "timeseries", "table"]),
  title: z.string(),
  gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
  targets: z.array(Target).default([]),
});
const Variable = z.object({
  name: z.string(),
  query: z.union([z.string(), z.object({ query: z.string() })]),
  allValue: z.string().optional(),
});
const Dashboard = z.object({
  templating: z.object({ list: z.array(Variable) }),
  panels: z.array(Panel),
});
export type Panel = z.infer<typeof Panel>;
export type Dashboard = z.infer<typeof Dashboard>;

const FILE = join(import.meta.dirname, "../../helm-chart/files/dashboard.json");

/** @returns the dashboard. @throws z.ZodError when a part that Grafana needs is missing */
export function dashboard(): Dashboard {
  return Dashboard.parse(JSON.parse(readFileSync(FILE, "utf8")));
}

/**
 * @returns an expression with the values of Grafana's variables when "All" is selected for each
 * @param rateSeconds for `$__rate_interval`; Grafana uses at least four times the scrape interval
 */
export function putIn({ templating }: Dashboard, expr: string, rateSeconds: number): string {
  const all = new Map(templating.list.map(({ name, allValue }) => [name, allValue]));
  return expr.replaceAll(/\$(\w+)/g, (whole, name: string) =>
    name === "__rate_interval" ? `${rateSeconds}s` : (all.get(name) ?? whole),
  );
}

/** @returns the legend of a series in Grafana */
export function legendOf(format: string, labels: Readonly<Record<string, string>>): string {
  return format.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? "");
}
