/** The context and the findings of checks, and the output of findings. */
import { MARKS } from "../../../console/tree/labels.ts";
import type { Clock } from "../../../kube/api/types.ts";
import { printable } from "../../../text/text.ts";
import type { Access } from "../../base/access.ts";
import type { Call } from "../../base/call.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import { paintFor } from "../../base/io.ts";
import { printAs, wrap } from "../../base/render.ts";

export interface CheckContext {
  readonly cluster: ClusterClient;
  readonly access: () => Promise<Access>;
  /** The namespace in which objects with a finalizer are listed; "" for all. */
  readonly namespace: string;
  readonly operatorNamespace: string;
  /** The operator's ServiceAccount in that namespace. */
  readonly serviceAccount: string;
  readonly clock: Clock;
}

export interface Finding {
  /** The subject in a few words, e.g. "CRDs". */
  readonly what: string;
  /** failed: action is required; unknown: it could not be checked; info: worth knowing. */
  readonly is: "ok" | "failed" | "unknown" | "info";
  /** The finding, and what to do. */
  readonly detail: string;
}

export const ok = (what: string, detail: string): Finding => ({ what, is: "ok", detail });
export const failed = (what: string, detail: string): Finding => ({ what, is: "failed", detail });
export const unknown = (what: string, detail: string): Finding => ({ what, is: "unknown", detail });
export const info = (what: string, detail: string): Finding => ({ what, is: "info", detail });

const SIGNS = {
  ok: [MARKS.ready.sign, "green"],
  failed: [MARKS.stalled.sign, "red"],
  unknown: ["?", "yellow"],
  info: ["·", "dim"],
} as const satisfies Readonly<Record<Finding["is"], unknown>>;

/** Prints the findings in the format of -o: a line, or an object, for each. */
export async function printFindings(call: Pick<Call, "io" | "output">, findings: readonly Finding[]) {
  const paint = paintFor(call.io.stdout);
  const width = Math.max(...findings.map(({ what }) => what.length));
  await printAs(call, {
    data: () => findings.map(({ what, is, detail }) => ({ check: what, result: is, detail })),
    lines: () =>
      findings.map(({ what, is, detail }) => {
        const [sign, color] = SIGNS[is];
        const line = `${sign} ${what.padEnd(width)}  ${printable(detail)}`;
        return wrap(line, width + 4).replace(sign, paint(color, sign));
      }),
  });
}
