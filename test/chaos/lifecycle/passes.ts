/** What a life's passes over each object did (docs/reliability.md). */
import { RESOURCES } from "../../../src/kinds/index.ts";
import type { LogLine } from "../../support/env/operator.ts";
import type { Call } from "../tap/call.ts";
import { textOf } from "./invariants.ts";

/** The passes over the object that took the most of them. */
export interface ReconcileCounts {
  /**
   * That did something: a change of the platform, a write of the object's metadata, or the last write of its status.
   */
  readonly acting: number;
  /**
   * That wrote anything. Those that do not act tell what the object waits for or what the platform is at: how many of
   * these are seen says how fast the machine is.
   */
  readonly writing: number;
}

const PLURALS: ReadonlyMap<string, string> = new Map(RESOURCES.map(({ kind, plural }) => [kind, plural]));

/**
 * @param calls from the restart on
 * @param logs of the process that was started then, its "reconciled" lines among them
 */
export function mostPasses(calls: readonly Pick<Call, "what" | "at">[], logs: readonly LogLine[]): ReconcileCounts {
  const lines = logs.flatMap(lineOf);
  const ends = Map.groupBy(
    lines.filter(({ is }) => is === "end"),
    ({ key }) => key,
  );
  /** Which pass over an object that was: the first that ended after it. */
  const contextOf = ({ key, at }: Moment): number => (ends.get(key) ?? []).findIndex((end) => end.at >= at);
  const writes = calls.flatMap(writeOf);
  const passes = [
    ...Map.groupBy([...writes, ...lines.filter(({ is }) => is === "change")], ({ key }) => key).values(),
  ].map((moments) => {
    const last = Math.max(...moments.map(contextOf));
    const acting = new Set(moments.filter(({ is }) => is !== "status").map(contextOf));
    return { acting: acting.add(last).size, writing: new Set(moments.map(contextOf)).size };
  });
  const most = (of: keyof ReconcileCounts): number => Math.max(0, ...passes.map((one) => one[of]));
  return { acting: most("acting"), writing: most("writing") };
}

interface Moment {
  /** "platformapplications/api". */
  readonly key: string;
  readonly at: number;
  readonly is: "end" | "change" | "metadata" | "status";
}

function lineOf({ message, logger, kind, name, time }: LogLine): readonly Moment[] {
  const is = message === "reconciled" ? "end" : logger === "changes" ? "change" : undefined;
  if (is === undefined) return [];
  return [{ key: `${PLURALS.get(textOf(kind)) ?? ""}/${textOf(name)}`, at: Date.parse(textOf(time)), is }];
}

function writeOf({ what, at }: Pick<Call, "what" | "at">): readonly Moment[] {
  const [, key, status] = /^kube PATCH (platform\w+\/[^/]+)(\/status)?/.exec(what) ?? [];
  return key === undefined ? [] : [{ key, at, is: status === undefined ? "metadata" : "status" }];
}
