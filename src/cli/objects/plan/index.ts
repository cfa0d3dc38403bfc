/** The command `plan`: what the operator would do on the platform if these files were applied. It only reads. */
import { loadPlatformRules } from "../../../config/config.ts";
import { printable } from "../../../text/text.ts";
import type { Call } from "../../base/call.ts";
import { EXIT, UsageError } from "../../base/exit.ts";
import { alignBroken, printAs } from "../../base/render.ts";
import { fullName, shortTarget } from "../../base/targets.ts";
import { actionLines } from "../shared/plan-view.ts";
import { readManifests } from "./manifests.ts";
import { planManifests } from "./overlay.ts";
import type { PlanRow } from "./rows.ts";

interface PlanOptions {
  readonly filename?: readonly string[] | undefined;
  readonly kustomize?: string | undefined;
  readonly recursive?: boolean | undefined;
}

/** @returns EXIT.changes if the platform would be changed, EXIT.failed if an object cannot be planned */
export async function planCommand(call: Call, { filename = [], kustomize, recursive }: PlanOptions): Promise<number> {
  const { host, report, shared } = call;
  if (filename.length === 0 && kustomize === undefined) {
    throw new UsageError("Name the manifests to plan with -f FILE, -f DIR or -k DIR.");
  }
  const manifests = await readManifests(host, [
    ...filename.map((file) => `--filename=${file}`),
    ...(kustomize === undefined ? [] : [`--kustomize=${kustomize}`]),
    ...(recursive === true ? ["--recursive"] : []),
  ]);
  const rows = await planManifests(manifests, {
    rules: loadPlatformRules(shared),
    cluster: await call.cluster(),
    clock: host.clock,
    operatorNamespace: shared.operatorNamespace,
    report,
  });
  await printAs(call, {
    data: () => rows.map(dataOf),
    names: () => rows.filter(({ is }) => is === "change").map(fullName),
    lines: () => tableOf(rows),
  });
  if (rows.some(({ is }) => is === "error")) return EXIT.failed;
  return rows.some(({ is }) => is === "change") ? EXIT.changes : EXIT.ok;
}

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
    ...alignBroken([["OBJECT", "ACTION", "DETAILS"], ...lines], "   "),
    "",
    `Plan: ${count("change")} to change, ${count("none")} without a write, ${count("error")} that cannot be planned.`,
  ];
}
