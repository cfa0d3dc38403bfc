/** Writes data: table, wide, json, yaml and name. No other file does. */
import { printable } from "../../text/text.ts";
import type { Format } from "./globals.ts";
import type { Io } from "./io.ts";

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

/** Writes rows in the format of -o; json and yaml write a list. */
export async function printList<Row>(
  call: Printing & { readonly tell: (line: string) => void },
  view: View<Row>,
  rows: readonly Row[],
) {
  if (rows.length === 0 && (call.output === "table" || call.output === "wide")) {
    call.tell("Nothing found.");
    return;
  }
  await printRows(call, view, rows, () => rows.map((row) => dataOf(view, row)));
}

/** Writes one row in the format of -o; json and yaml write an object. */
export async function printOne<Row>(call: Printing, view: View<Row>, row: Row): Promise<void> {
  await printRows(call, view, [row], () => dataOf(view, row));
}

/** Writes plain data as JSON or YAML. @param value may hold bigint, which keeps its digits. */
export async function printData(call: Pick<Printing, "io">, output: "json" | "yaml", value: unknown): Promise<void> {
  if (output === "json") {
    const { stringifyJson } = await import("../../platform/codec/json.ts");
    call.io.stdout.write(`${stringifyJson(value, 2)}\n`);
  } else {
    const { stringify } = await import("yaml");
    call.io.stdout.write(stringify(value, { lineWidth: 0 }));
  }
}

/** One answer in each format of -o. */
interface Forms {
  /** For json and yaml. */
  readonly data: () => unknown;
  /** For name, one for each object. */
  readonly names?: () => readonly string[];
  /** For all others. */
  readonly lines: () => readonly string[];
}

/** Writes in the format of -o. */
export async function printAs(call: Printing, { data, names, lines }: Forms): Promise<void> {
  const { io, output } = call;
  if (output === "json" || output === "yaml") return printData(call, output, data());
  const shown = output === "name" && names !== undefined ? names().map(printable) : lines();
  io.stdout.write(shown.map((line) => `${line}\n`).join(""));
}

function printRows<Row>(call: Printing, view: View<Row>, rows: readonly Row[], data: () => unknown): Promise<void> {
  const lines = (): readonly string[] => table(view, rows, call.output === "wide");
  return printAs(call, { data, names: () => rows.map(view.name), lines });
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
