/** Writes data in the formats of -o: table, wide, json, yaml and name. */
import { stripVTControlCharacters } from "node:util";

import { printable } from "../../text/text.ts";
import type { Io } from "./io.ts";

/** A format of -o. dot: for Graphviz. */
export type Format = "table" | "wide" | "json" | "yaml" | "name" | "dot";

/** The output and its format. */
interface Printing {
  readonly io: Io;
  readonly output: Format;
}

type Cell = string | number | bigint | boolean | undefined;
type CellName<Row> = { [Name in keyof Row]-?: Row[Name] extends Cell ? Name : never }[keyof Row];

/** A member of the row, or a function of it. */
type Column<Row> = CellName<Row> | ((row: Row) => Cell);
/** By title, in capitals. */
type Columns<Row> = Readonly<Record<string, Column<Row>>>;

/** How rows are shown. */
export interface View<Row> {
  readonly columns: Columns<Row>;
  /** Further columns, shown with -o wide only. */
  readonly wide?: Columns<Row>;
  /** The row in -o name: "kind/name". */
  readonly name: (row: Row) => string;
  /** The row in -o json and -o yaml; the row itself if absent. */
  readonly data?: (row: Row) => unknown;
}

/**
 * Writes one row or a list of rows in the format of -o; json and yaml write an object or a list.
 * @param nothing the sentence for an empty list
 */
export async function print<Row>(
  call: Printing & { readonly report: (line: string) => void },
  view: View<Row>,
  answer: Row | readonly Row[],
  nothing = nothingIn(""),
): Promise<void> {
  const rows = isList(answer) ? answer : [answer];
  const isWide = call.output === "wide";
  if (rows.length === 0 && (isWide || call.output === "table")) {
    call.report(nothing);
    return;
  }
  await printAs(call, {
    data: () => (isList(answer) ? answer.map((row) => dataOf(view, row)) : dataOf(view, answer)),
    names: () => rows.map(view.name),
    lines: () => table(view, rows, isWide),
  });
}

/** @returns the sentence of kubectl for an empty list @param namespace "" for all */
export function nothingIn(namespace: string): string {
  return namespace === "" ? "No resources found" : `No resources found in ${namespace} namespace.`;
}

function isList<Row>(answer: Row | readonly Row[]): answer is readonly Row[] {
  return Array.isArray(answer);
}

/** Writes plain data as JSON or YAML. @param value may hold bigint, which keeps its digits. */
export async function printData(call: Pick<Printing, "io">, output: "json" | "yaml", value: unknown): Promise<void> {
  if (output === "json") {
    const { stringifyJson } = await import("../../platform/codec/json.ts");
    printText(call, stringifyJson(value, 2));
  } else {
    const { yamlText } = await import("./yaml.ts");
    printText(call, yamlText(value));
  }
}

/**
 * Writes text as it is, with a line break at its end; on a terminal without control characters: what the platform sent
 * must not move the cursor or change the title.
 */
export function printText({ io: { stdout } }: Pick<Printing, "io">, text: string): void {
  if (text === "") return;
  const whole = text.endsWith("\n") ? text : `${text}\n`;
  stdout.write(stdout.isTTY === true ? stripVTControlCharacters(whole).replaceAll(/[^\P{Cc}\t\n]/gu, "") : whole);
}

/** One answer in each format of -o. */
interface Forms {
  /** The data for json and yaml. */
  readonly data: () => unknown;
  /** The names for -o name, one for each object. */
  readonly names?: () => readonly string[];
  /** The lines for all other formats. */
  readonly lines: () => readonly string[];
}

/** Writes in the format of -o. */
export async function printAs(call: Printing, { data, names, lines }: Forms): Promise<void> {
  const { io, output } = call;
  if (output === "json" || output === "yaml") return printData(call, output, data());
  const shown = output === "name" && names !== undefined ? names().map(printable) : lines();
  io.stdout.write(shown.map((line) => `${line}\n`).join(""));
}

function dataOf<Row>(view: View<Row>, row: Row): unknown {
  return view.data === undefined ? row : view.data(row);
}

function table<Row>(view: View<Row>, rows: readonly Row[], isWide: boolean): readonly string[] {
  const columns = Object.entries({ ...view.columns, ...(isWide ? view.wide : {}) });
  return align([
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, column]) => textOf(cellOf(row, column)))),
  ]);
}

function cellOf<Row>(row: Row, column: Column<Row>): Cell {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- CellName allows no other members
  return typeof column === "function" ? column(row) : (row[column] as Cell);
}

function textOf(value: Cell): string {
  const text = value === undefined ? "" : printable(String(value));
  return text === "" ? "<none>" : text;
}

/** Pads the cells of each column to one width. @returns one line for each row */
export function align(rows: readonly (readonly string[])[], gap = "   "): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [at, text] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, text.length);
  return rows.map((row) => row.map((text, at) => text.padEnd(widths[at] ?? 0)).join(gap)).map((line) => line.trimEnd());
}

/**
 * Pads the cells of each column to one width, and breaks the last cell at spaces, so that no line is wider than WIDTH.
 * @param margin how far the caller indents the lines
 * @returns one line or several for each row
 */
export function alignBroken(rows: readonly (readonly string[])[], gap = "  ", margin = 0): readonly string[] {
  const most = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: most - 1 }, (_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  const start = widths.reduce((sum, width) => sum + width + gap.length, 0);
  // Long names leave no room beside them.
  const indent = start <= WIDTH / 2 ? start : 4;
  return align(rows, gap).flatMap((line) => wrap(line, indent, WIDTH - margin).split("\n"));
}

/** The width of lists and of the help, in columns. */
const WIDTH = 120;

/** Breaks lines that are longer than `width` at spaces. @param indent how far further lines are indented */
export function wrap(text: string, indent = 0, width = WIDTH): string {
  return text
    .split("\n")
    .map((line) => wrapLine(line, indent, width))
    .join("\n");
}

function wrapLine(line: string, indent: number, width: number): string {
  const at = line.length > width ? line.lastIndexOf(" ", width) : -1;
  if (at <= indent) return line;
  return `${line.slice(0, at)}\n${wrapLine(`${" ".repeat(indent)}${line.slice(at + 1)}`, indent, width)}`;
}
