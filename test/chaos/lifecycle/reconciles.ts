/** Counts the reconciles of each object. */
import { RESOURCES } from "../../../src/kinds/index.ts";
import type { LogLine } from "../../support/env/operator.ts";
import type { Call } from "../tap/call.ts";

/** The counts of the object with the most reconciles. */
export interface ReconcileCounts {
  /** Reconciles that change the platform, write metadata, or write the status last. */
  readonly acting: number;
  /** Reconciles that write anything. The number of those that only report progress depends on the machine's speed. */
  readonly writing: number;
}

const PLURALS: ReadonlyMap<string, string> = new Map(RESOURCES.map(({ kind, plural }) => [kind, plural]));

/**
 * @param calls the calls since the restart
 * @param logs the log of the process that was started then
 */
export function maxReconciles(calls: readonly Pick<Call, "what" | "at">[], logs: readonly LogLine[]): ReconcileCounts {
  const lines = logs.flatMap(lineOf);
  const ends = Map.groupBy(
    lines.filter(({ is }) => is === "end"),
    ({ key }) => key,
  );
  /** Returns the index of the reconcile that an activity belongs to: the first that ends after it. */
  const reconcileOf = ({ key, at }: Activity): number => (ends.get(key) ?? []).findIndex((end) => end.at >= at);
  const writes = calls.flatMap(writeOf);
  const counts = [
    ...Map.groupBy([...writes, ...lines.filter(({ is }) => is === "change")], ({ key }) => key).values(),
  ].map((activities) => {
    const last = Math.max(...activities.map(reconcileOf));
    const acting = new Set(activities.filter(({ is }) => is !== "status").map(reconcileOf));
    return { acting: acting.add(last).size, writing: new Set(activities.map(reconcileOf)).size };
  });
  const most = (of: keyof ReconcileCounts): number => Math.max(0, ...counts.map((count) => count[of]));
  return { acting: most("acting"), writing: most("writing") };
}

interface Activity {
  /** E.g. "platformapplications/api". */
  readonly key: string;
  readonly at: number;
  readonly is: "end" | "change" | "metadata" | "status";
}

function lineOf({ message, logger, kind, name, time }: LogLine): readonly Activity[] {
  const is = message === "reconciled" ? "end" : logger === "changes" ? "change" : undefined;
  if (is === undefined) return [];
  return [{ key: `${PLURALS.get(String(kind)) ?? ""}/${String(name)}`, at: Date.parse(String(time)), is }];
}

function writeOf({ what, at }: Pick<Call, "what" | "at">): readonly Activity[] {
  const [, key, status] = /^kube PATCH (platform\w+\/[^/]+)(\/status)?/.exec(what) ?? [];
  return key === undefined ? [] : [{ key, at, is: status === undefined ? "metadata" : "status" }];
}
