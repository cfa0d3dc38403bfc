/**
 * Finds the metrics and labels in an expression of PromQL. It does not validate expressions, as promtool and Prometheus
 * do. An unknown word counts as the name of a metric, which then does not exist.
 */

/** A metric in an expression. */
export interface Selector {
  readonly metric: string;
  /** The labels in its braces. */
  readonly labels: readonly string[];
}

const STRING = /"(?:[^"\\]|\\.)*"/g;
const SELECTOR = /([a-zA-Z_:][\w:]*)\s*\{([^{}]*)\}/g;
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^()]*)\)/g;
const OPERATORS = new Set(["and", "or", "unless", "bool", "offset"]);

/** @returns the metrics in an expression, each as often as it occurs */
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

/** @returns the labels by which an expression groups */
export function groupingOf(expr: string): readonly string[] {
  return [...expr.replaceAll(STRING, '""').matchAll(GROUPING)].flatMap(([, labels = ""]) => names(labels));
}

function names(text: string): readonly string[] {
  return [...text.matchAll(/[a-zA-Z_]\w*/g)].map(([name]) => name);
}
