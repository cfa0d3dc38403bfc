/** The alerts of the chart as data, and the same alerts for a test that cannot wait for an hour. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "yaml";
import { z } from "zod";

/** Prometheus's own format of rule files (Prometheus: "Defining alerting rules"). */
const Rule = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string(),
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
});
const RuleFile = z.strictObject({
  groups: z.tuple([z.strictObject({ name: z.string(), rules: z.array(Rule) })]),
});
export type Rule = z.infer<typeof Rule>;

export const RULES_FILE = join(import.meta.dirname, "../../helm-chart/files/alerts.yaml");

/** @returns the alerts in their order. */
export function rules(): readonly Rule[] {
  return RuleFile.parse(parse(readFileSync(RULES_FILE, "utf8"))).groups[0].rules;
}

const SECONDS = { s: 1, m: 60, h: 3_600 } as const;
/**
 * A gauge of seconds, whatever is done to it, and the seconds that are too many. How long a watch is silent where
 * nothing happens is the API server's affair: its times are not ours to scale.
 */
const TOO_LONG = /(\b(?!platform_operator_watch_|process_)\w+_seconds\b[^<>]*>\s*)(\d+)\s*$/;

/**
 * Makes all times of an alert shorter: `for`, the windows of its expression, and a threshold that is itself a time.
 * Metrics, labels, operators and all other thresholds stay, that of a silent watch too.
 * @param factor by which; what would fall below a second is one
 */
export function scaled(rule: Rule, factor: number): Rule {
  const shorter = (text: string): string => {
    const [, count = "", unit = ""] = /^(\d+)([smh])$/.exec(text) ?? [];
    const seconds =
      Number(count) *
      z
        .enum(["s", "m", "h"])
        .transform((known) => SECONDS[known])
        .parse(unit);
    return `${Math.max(1, Math.round(seconds / factor))}s`;
  };
  return {
    ...rule,
    for: shorter(rule.for),
    expr: rule.expr
      .replaceAll(/\[(\w+)\]/g, (_, window: string) => `[${shorter(window)}]`)
      .replaceAll(/\boffset (\w+)/g, (_, window: string) => `offset ${shorter(window)}`)
      .replace(TOO_LONG, (_, before: string, seconds: string) => `${before}${Number(seconds) / factor}`),
  };
}
