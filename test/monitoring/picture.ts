/**
 * Draws a dashboard roughly as Grafana does: its grid, titles, legends, units and query results. For people, since no
 * assertion can show whether a panel fits its title.
 */
import { legendOf, type Dashboard, type Panel } from "./dashboard.ts";
import type { Series } from "./prometheus.ts";

/** The result of one query of a panel. */
export interface Answered {
  readonly legend: string;
  readonly series: readonly Series[];
}

const COLUMN = 50;
const ROW = 30;
const GAP = 4;
const COLORS = ["#7eb26d", "#eab839", "#6ed0e0", "#ef843c", "#e24d42", "#1f78c1", "#ba43a9", "#705da0", "#508642"];
const STYLE = `body{margin:0;background:#111217;font:11px sans-serif;color:#ccccdc}
.p{position:absolute;box-sizing:border-box;background:#181b1f;border:1px solid #2c3235;padding:4px 6px;overflow:hidden}
.p.row{background:none;border:none;font-weight:bold;font-size:13px}.t{font-weight:bold}.n{font-size:22px;text-align:center}
.l{line-height:13px}.l span{margin-right:8px}table{width:100%;border-collapse:collapse}td,th{text-align:left;padding:2px}`;

/** @param answers by the panel's id. @returns a page, and its size in pixels */
export function picture(
  { panels }: Dashboard,
  answers: ReadonlyMap<number, readonly Answered[]>,
): { readonly html: string; readonly width: number; readonly height: number } {
  const height = Math.max(...panels.map(({ gridPos: { y, h } }) => y + h)) * ROW;
  const boxes = panels.map((panel) => box(panel, answers.get(panel.id) ?? []));
  return {
    html: `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>${boxes.join("")}`,
    width: 24 * COLUMN,
    height,
  };
}

function box(panel: Panel, answers: readonly Answered[]): string {
  const { x, y, w, h } = panel.gridPos;
  const [width, height] = [w * COLUMN - GAP, h * ROW - GAP];
  const place = `left:${x * COLUMN}px;top:${y * ROW}px;width:${width}px;height:${height}px`;
  const title = `<div class="t">${escaped(panel.title)}</div>`;
  return `<div class="p ${panel.type}" style="${place}">${title}${inside(panel, answers, width - 14, height - 26)}</div>`;
}

function inside(panel: Panel, answers: readonly Answered[], width: number, height: number): string {
  const unit = panel.fieldConfig?.defaults.unit ?? "short";
  switch (panel.type) {
    case "row":
      return "";
    case "stat": {
      const values = answers.flatMap(({ legend, series }) =>
        series.map(({ metric, values: all }) =>
          panel.options?.textMode === "name" ? legendOf(legend, metric) : shown(Number(all.at(-1)?.[1]), unit),
        ),
      );
      return `<div class="n">${values.length === 0 ? "No data" : values.map(escaped).join(" ")}</div>`;
    }
    case "table":
      return table(answers.flatMap(({ series }) => series));
    case "timeseries":
      return graph(answers, unit, width, height);
    default:
      return panel.type satisfies never;
  }
}

function graph(answers: readonly Answered[], unit: string, width: number, height: number): string {
  const lines = answers.flatMap(({ legend, series }) =>
    series.map(({ metric, values }) => ({
      name: legendOf(legend, metric),
      points: values.map(([at, value]) => [at, Number(value)] as const).filter(([, value]) => Number.isFinite(value)),
    })),
  );
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0) return '<div class="n">No data</div>';
  const [first, last] = [Math.min(...points.map(([at]) => at)), Math.max(...points.map(([at]) => at))];
  const most = Math.max(...points.map(([, value]) => value)) || 1;
  const plot = height - 42;
  const at = ([time, value]: readonly [number, number]): string =>
    `${(((time - first) / (last - first || 1)) * width).toFixed(1)},${(plot - (value / most) * (plot - 12)).toFixed(1)}`;
  const drawn = lines.map(
    (line, index) =>
      `<polyline fill="none" stroke="${colorOf(index)}" stroke-width="1.3" points="${line.points.map(at).join(" ")}"/>`,
  );
  const named = lines.map(
    ({ name }, index) => `<span style="color:${colorOf(index)}">${escaped(name === "" ? "(no name)" : name)}</span>`,
  );
  const axis = `<text x="0" y="9" fill="#888" font-size="9">${escaped(shown(most, unit))}</text>`;
  return `<svg width="${width}" height="${plot}">${drawn.join("")}${axis}</svg><div class="l">${named.join("")}</div>`;
}

function table(rows: readonly Series[]): string {
  const columns = Object.keys(rows[0]?.metric ?? {});
  const cells = (tag: string, texts: readonly string[]): string =>
    `<tr>${texts.map((text) => `<${tag}>${escaped(text)}</${tag}>`).join("")}</tr>`;
  const body = rows.map(({ metric }) =>
    cells(
      "td",
      columns.map((column) => metric[column] ?? ""),
    ),
  );
  return `<table>${cells("th", columns)}${body.join("")}</table>`;
}

function shown(value: number, unit: string): string {
  switch (unit) {
    case "percentunit":
      return `${Number((value * 100).toPrecision(3))} %`;
    case "bytes":
      return `${Math.round(value / 1024 ** 2)} MiB`;
    case "s":
      return value < 1 ? `${Number((value * 1_000).toPrecision(3))} ms` : `${Number(value.toPrecision(3))} s`;
    case "ops":
      return `${Number(value.toPrecision(3))} ops/s`;
    case "reqps":
      return `${Number(value.toPrecision(3))} req/s`;
    default:
      return String(Number(value.toPrecision(3)));
  }
}

function colorOf(index: number): string {
  return COLORS[index % COLORS.length] ?? "#fff";
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
