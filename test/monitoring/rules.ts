/** The chart's alerts as data, also with shorter times for tests. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "yaml";
import { z } from "zod";

/** Prometheus's format of rule files (Prometheus: "Defining alerting rules"). */
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

/** @returns the alerts in their order */
export const rules = (): readonly Rule[] => alerting.rules;
/** @returns the recording rules of the objectives' alerts */
export const recordings = (): readonly Recording[] => recorded.rules;

const SECONDS = new Map(Object.entries({ s: 1, m: 60, h: 3_600 }));
/**
 * A metric in seconds and its threshold. Not that of silent watches, since the API server determines how long a watch
 * without changes is silent.
 */
const TOO_LONG = /(\b(?!platform_operator_watch_|process_)\w+_seconds(?:_bucket)?\b[^<>]*>\s*)(\d+)\s*$/;

/** @returns a duration divided by a factor, at least one second, e.g. "5s" for "5m" and 60; "NaNs" for no duration */
function shorter(text: string, factor: number): string {
  const [, count = "", unit = ""] = /^(\d+)([smh])$/.exec(text) ?? [];
  const seconds = Number(count) * (SECONDS.get(unit) ?? Number.NaN);
  return `${Math.max(1, Math.round(seconds / factor))}s`;
}

/** Divides the windows of an expression, and a threshold that is itself a time. */
function scaledExpr(expr: string, factor: number): string {
  return expr
    .replaceAll(/\[(\w+)\]/g, (_, window: string) => `[${shorter(window, factor)}]`)
    .replaceAll(/\boffset (\w+)/g, (_, window: string) => `offset ${shorter(window, factor)}`)
    .replace(TOO_LONG, (_, before: string, seconds: string) => `${before}${Number(seconds) / factor}`);
}

/**
 * Divides all times of an alert: `for`, the windows of its expression, and a threshold that is itself a time. Metrics,
 * labels, operators and all other thresholds stay, including that of a silent watch.
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

/** The same for a recording rule. */
export function scaledRecording(recording: Recording, factor: number): Recording {
  return { ...recording, expr: scaledExpr(recording.expr, factor) };
}
