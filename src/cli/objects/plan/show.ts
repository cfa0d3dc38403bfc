/** A plan as people and other tools read it. */
import { printable } from "../../../text/text.ts";
import type { Format } from "../../base/globals.ts";
import type { Io } from "../../base/io.ts";
import { printData } from "../../base/render.ts";
import { actionLines } from "../shared/plan-view.ts";
import { fullName, shortTarget } from "../shared/target.ts";
import type { PlanRow } from "./rows.ts";

/** Writes the rows. The table ends with a sum. */
export async function show(rows: readonly PlanRow[], output: Format, io: Io): Promise<void> {
  if (output === "json" || output === "yaml") {
    await printData({ io }, output, rows.map(dataOf));
    return;
  }
  if (output === "name") {
    io.stdout.write(
      rows
        .filter(({ is }) => is === "change")
        .map((row) => `${fullName(row)}\n`)
        .join(""),
    );
    return;
  }
  io.stdout.write(`${tableOf(rows).join("\n")}\n`);
}

function dataOf({ kind, namespace, name, action, note, actions }: PlanRow): object {
  return { kind, ...(namespace === "" ? {} : { namespace }), name, action, ...(note === "" ? {} : { note }), actions };
}

function tableOf(rows: readonly PlanRow[]): readonly string[] {
  const several = new Set(rows.map(({ namespace }) => namespace).filter((namespace) => namespace !== "")).size > 1;
  const nameOf = (row: PlanRow): string =>
    several && row.namespace !== "" ? `${row.namespace}/${shortTarget(row)}` : shortTarget(row);
  const objects = Math.max("OBJECT".length, ...rows.map((row) => nameOf(row).length));
  const verbs = Math.max("ACTION".length, ...rows.map(({ action }) => action.length));
  const line = (object: string, action: string, note: string): string =>
    `${object.padEnd(objects)}   ${action.padEnd(verbs)}   ${note}`.trimEnd();
  return [
    line("OBJECT", "ACTION", "DETAILS"),
    ...rows.flatMap((row) => [
      line(nameOf(row), row.action, printable(row.note)),
      ...actionLines(row.actions).map((detail) => line("", "", detail)),
    ]),
    "",
    sumOf(rows),
  ];
}

function sumOf(rows: readonly PlanRow[]): string {
  const count = (is: PlanRow["is"]): number => rows.filter((row) => row.is === is).length;
  return `Plan: ${count("change")} to change, ${count("none")} without a write, ${count("error")} that cannot be planned.`;
}
