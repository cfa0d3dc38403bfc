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
  keep_firing_for: z.string().optional(),
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
});
const Recording = z.strictObject({ record: z.string(), expr: z.string() });
const groupOf = <Of extends z.ZodType>(rule: Of) => z.strictObject({ name: z.string(), rules: z.array(rule) });
const RuleFile = z.strictObject({ groups: z.tuple([groupOf(Recording), groupOf(Rule)]) });
export type Rule = z.infer<typeof Rule>;
export type Recording = z.infer<typeof Recording>;

export const RULES_FILE = join(import.meta.dirname, "../../helm-chart/files/alerts.yaml");

const [recorded, alerting] = RuleFile.parse(parse(readFileSync(RULES_FILE, "utf8"))).groups;

/** @returns the alerts in their order. */
export function rules(): readonly Rule[] {
  return alerting.rules;
}

/** @returns the series that the alerts of the objectives are made of. */
export function recordings(): readonly Recording[] {
  return recorded.rules;
}

const SECONDS = { s: 1, m: 60, h: 3_600 } as const;
/**
 * A gauge of seconds, whatever is done to it, and the seconds that are too many. How long a watch is silent where
 * nothing happens is the API server's affair: its times are not ours to scale.
 */
const TOO_LONG = /(\b(?!platform_operator_watch_|process_)\w+_seconds(?:_bucket)?\b[^<>]*>\s*)(\d+)\s*$/;

/** @param factor by which; what would fall below a second is one @returns `count` and unit, e.g. "5s" of "5m" */
function shorter(text: string, factor: number): string {
  const [, count = "", unit = ""] = /^(\d+)([smh])$/.exec(text) ?? [];
  const seconds =
    Number(count) *
    z
      .enum(["s", "m", "h"])
      .transform((known) => SECONDS[known])
      .parse(unit);
  return `${Math.max(1, Math.round(seconds / factor))}s`;
}

/** Makes the windows of an expression shorter, and a threshold that is itself a time. */
function scaledExpr(expr: string, factor: number): string {
  return expr
    .replaceAll(/\[(\w+)\]/g, (_, window: string) => `[${shorter(window, factor)}]`)
    .replaceAll(/\boffset (\w+)/g, (_, window: string) => `offset ${shorter(window, factor)}`)
    .replace(TOO_LONG, (_, before: string, seconds: string) => `${before}${Number(seconds) / factor}`);
}

/**
 * Makes all times of an alert shorter: `for`, the windows of its expression, and a threshold that is itself a time.
 * Metrics, labels, operators and all other thresholds stay, that of a silent watch too.
 */
export function scaled(rule: Rule, factor: number): Rule {
  const { keep_firing_for: kept } = rule;
  return {
    ...rule,
    for: shorter(rule.for, factor),
    ...(kept === undefined ? {} : { keep_firing_for: shorter(kept, factor) }),
    expr: scaledExpr(rule.expr, factor),
  };
}

/** The same for a series that is recorded. */
export function scaledRecording(recording: Recording, factor: number): Recording {
  return { ...recording, expr: scaledExpr(recording.expr, factor) };
}
