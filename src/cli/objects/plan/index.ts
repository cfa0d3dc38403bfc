/** The command `plan`: what the operator would do on the platform if these files were applied. It only reads. */
import { loadPlatformRules } from "../../../config/config.ts";
import { printable } from "../../../text/text.ts";
import { command } from "../../base/command.ts";
import { EXIT, UsageError } from "../../base/exit.ts";
import { OPERATOR_FLAGS } from "../../base/globals.ts";
import { align, printAs } from "../../base/render.ts";
import { fullName, shortTarget } from "../../base/targets.ts";
import { actionLines } from "../shared/plan-view.ts";
import { readManifests } from "./manifests.ts";
import { planManifests } from "./overlay.ts";
import type { PlanRow } from "./rows.ts";

export const planCommand = command({
  asks: "cluster",
  flags: {
    filename: { type: "list", short: "f", value: "FILE|DIR", about: "manifests to plan; - is standard input" },
    recursive: { type: "switch", short: "R", about: "also read subdirectories" },
    ...OPERATOR_FLAGS,
  },
  formats: ["table", "json", "yaml", "name"],
  details:
    "Reads the cluster and the platform, and writes nothing. The exit code is 0 if the platform would not be changed,\n" +
    "2 if it would be changed, 1 if a resource cannot be planned. Resources in other namespaces are not read, so the\n" +
    "plan does not show whether one of them already manages an object.",
  run: async (call) => {
    const { flags, host, io, report } = call;
    if (flags.filename.length === 0) throw new UsageError("Name the manifests to plan with -f FILE or -f DIR.");
    const manifests = await readManifests(io, flags.filename, flags.recursive);
    const rows = await planManifests(manifests, {
      rules: loadPlatformRules(flags),
      cluster: await call.cluster(),
      clock: host.clock,
      operatorNamespace: flags["operator-namespace"],
      report,
    });
    await printAs(call, {
      data: () => rows.map(dataOf),
      names: () => rows.filter(({ is }) => is === "change").map(fullName),
      lines: () => tableOf(rows),
    });
    if (rows.some(({ is }) => is === "error")) return EXIT.failed;
    return rows.some(({ is }) => is === "change") ? EXIT.changes : EXIT.ok;
  },
});

function dataOf({ kind, namespace, name, action, note, actions }: PlanRow): object {
  return { kind, ...(namespace === "" ? {} : { namespace }), name, action, ...(note === "" ? {} : { note }), actions };
}

/** The table ends with a summary. */
function tableOf(rows: readonly PlanRow[]): readonly string[] {
  const namespaces = new Set(rows.map(({ namespace }) => namespace).filter((namespace) => namespace !== ""));
  const nameOf = (row: PlanRow): string =>
    namespaces.size > 1 && row.namespace !== "" ? `${row.namespace}/${shortTarget(row)}` : shortTarget(row);
  const lines = [...Map.groupBy(rows, (row) => row.cause ?? row).values()].flatMap(([row, ...more]) => {
    if (row === undefined) return [];
    const suffix = more.length === 0 ? "" : ` and ${more.length} more`;
    return [
      [`${nameOf(row)}${suffix}`, row.action, printable(row.note)],
      ...actionLines(row.actions, row.deployed).map((detail) => ["", "", detail]),
    ];
  });
  const count = (is: PlanRow["is"]): number => rows.filter((row) => row.is === is).length;
  return [
    ...align([["OBJECT", "ACTION", "DETAILS"], ...lines]),
    "",
    `Plan: ${count("change")} to change, ${count("none")} without a write, ${count("error")} that cannot be planned.`,
  ];
}
