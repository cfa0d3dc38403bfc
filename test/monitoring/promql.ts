/**
 * Which metrics an expression of PromQL names, and with which labels. It takes the expressions apart, and does not
 * judge them: promtool and Prometheus do. What it does not know it takes for the name of a metric, which then does not
 * exist.
 */

/** What an expression asks for. */
export interface Selector {
  readonly metric: string;
  /** Of its braces. */
  readonly labels: readonly string[];
}

const STRING = /"(?:[^"\\]|\\.)*"/g;
const SELECTOR = /([a-zA-Z_:][\w:]*)\s*\{([^{}]*)\}/g;
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^()]*)\)/g;
const OPERATORS = new Set(["and", "or", "unless", "bool", "offset"]);

/** @returns the metrics that an expression names, each as often as it does. */
export function selectorsOf(expr: string): readonly Selector[] {
  const braced: Selector[] = [];
  const rest = expr
    .replaceAll(STRING, '""')
    .replaceAll(SELECTOR, (_, metric: string, matchers: string) => {
      braced.push({ metric, labels: names(matchers) });
      return "0";
    })
    .replaceAll(GROUPING, "")
    .replaceAll(/\[[^\]]*\]/g, "");
  const bare = [...rest.matchAll(/\b([a-zA-Z_:][\w:]*)\b(?!\s*\()/g)].map(([, metric = ""]) => metric);
  return [...braced, ...bare.filter((name) => !OPERATORS.has(name)).map((metric) => ({ metric, labels: [] }))];
}

/** @returns the labels that an expression groups by. */
export function groupingOf(expr: string): readonly string[] {
  return [...expr.replaceAll(STRING, '""').matchAll(GROUPING)].flatMap(([, labels = ""]) => names(labels));
}

function names(text: string): readonly string[] {
  return [...text.matchAll(/[a-zA-Z_]\w*/g)].map(([name]) => name);
}
