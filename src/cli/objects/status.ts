/** The command `status`: everything about an object on one screen. */
import { isPaused } from "../../api/paused.ts";
import { WRITE_LEDGER } from "../../api/status.ts";
import { ageOf, MARKS, wordOf } from "../../console/tree/labels.ts";
import { conditionViews, summarize } from "../../console/tree/summary.ts";
import { member, stringMember } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { printable } from "../../text/text.ts";
import type { Call } from "../base/call.ts";
import { EXIT } from "../base/exit.ts";
import { alignBroken, printAs, wrap } from "../base/render.ts";
import { fullName, shortTarget } from "../base/targets.ts";
import { compareAll, type RemoteComparison, comparisonLines } from "./remote.ts";
import { eventsOf, type EventView } from "./shared/events.ts";
import { actionLines, lastDeployedCommit, fieldLine, reportedDrift, reportedPlan } from "./shared/plan-view.ts";

/** @returns EXIT.failed if an object could not be compared with the platform */
export async function statusCommand(
  call: Call,
  names: readonly string[],
  options: { readonly remote?: boolean | undefined },
): Promise<number> {
  const { host, output, program } = call;
  const objects = await call.objects(names);
  const cluster = await call.cluster();
  const isNamed = output === "name";
  const comparisons = options.remote === true && !isNamed ? await compareAll(call, objects) : undefined;
  const reports: Omit<SummaryOf, "now" | "program">[] = [];
  for (const [at, object] of objects.entries()) {
    const events = isNamed ? undefined : await eventsOf(cluster, object);
    reports.push({ object, events, comparison: comparisons?.[at] });
  }
  const now = host.clock.now();
  await printAs(call, {
    data: () => {
      const all = reports.map(dataOf);
      return all.length === 1 ? all[0] : all;
    },
    names: () => objects.map((object) => fullName(keyOf(object))),
    lines: () =>
      reports.flatMap((report, at) => [...(at === 0 ? [] : [""]), ...summaryOf({ ...report, now, program })]),
  });
  return comparisons?.some(({ isFailed }) => isFailed) === true ? EXIT.failed : EXIT.ok;
}

function dataOf({ object, events, comparison }: Omit<SummaryOf, "now" | "program">): object {
  const { namespace, name } = object.metadata;
  const { mark, state, externalId } = summarize(object);
  return {
    kind: object.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    status: mark,
    state,
    externalId,
    conditions: conditionViews(object),
    plan: reportedPlan(object) ?? null,
    ...(comparison === undefined ? {} : { remote: comparison.fields, remoteOmitted: comparison.omitted ?? null }),
    events: events ?? null,
  };
}

interface SummaryOf {
  readonly object: KubeObject;
  /** undefined when they could not be read. */
  readonly events: readonly EventView[] | undefined;
  /** With --remote. */
  readonly comparison?: RemoteComparison | undefined;
  readonly now: Date;
  /** The name by which the user called the program. */
  readonly program: string;
}

/** The number of events that are shown. */
const EVENTS = 10;

/** @returns the lines of the screen; a sentence that occurs several times is shown at its first place only */
export function summaryOf({ object, events, comparison, now, program }: SummaryOf): readonly string[] {
  const { kind, metadata } = object;
  const { mark, reason, message } = summarize(object);
  const place = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  const heading = [`${MARKS[mark].sign} ${wordOf(kind)} ${place}`, reason].filter((word) => word !== "").join("  ");
  const shown = new Set<string>();
  const once: Once = (sentence) => {
    if (shown.has(sentence)) return "";
    shown.add(sentence);
    return sentence;
  };
  return [
    heading,
    wrap(`  ${once(message)}`, 2),
    ...section("", factLines(object, now)),
    ...section("Deployment", deploymentLines(object, now)),
    ...section("Failure", failureLines(object, once)),
    ...section("Drift", reportedDrift(object).map(fieldLine)),
    ...(comparison === undefined ? [] : section("Platform", comparisonLines(comparison))),
    ...section("Plan", planLines(object, program)),
    ...section("Conditions", conditionLines(object, now, once)),
    ...section("Events", events === undefined ? ["You may not list events."] : eventLines(events, now, once)),
  ].map((line) => line.trimEnd());
}

/** Returns a sentence the first time, then "". */
type Once = (sentence: string) => string;

function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  return ["", ...(title === "" ? [] : [title]), ...lines.map((line) => `  ${line}`)];
}

function factLines(object: KubeObject, now: Date): readonly string[] {
  const { metadata, status: from } = object;
  const generation = metadata.generation ?? 0;
  const observed = member(from, "observedGeneration");
  const behind = `${generation}, the operator has seen ${typeof observed === "number" ? observed : "none"}`;
  return table([
    ["Age", ageOf(metadata.creationTimestamp, now)],
    ["Remote id", stringMember(from, "externalId")],
    ["State", stringMember(from, "state")],
    ["Settings", stringMember(from, "serviceDeploymentStatus")],
    ["Layers", stringMember(from, "layersEnabled")],
    ["Under way", stringMember(member(member(from, WRITE_LEDGER), "intent"), "op")],
    ["Paused", isPaused(object) ? "yes" : undefined],
    ["Generation", observed === generation ? undefined : behind],
  ]);
}

function deploymentLines(object: KubeObject, now: Date): readonly string[] {
  const last = member(object.status, "lastDeployment");
  const ago = (time: string): string | undefined => {
    const age = ageOf(stringMember(last, time), now);
    return age === "" ? undefined : `${age} ago`;
  };
  return table([
    ["Commit", stringMember(last, "gitCommitId")],
    ["State", stringMember(last, "state")],
    ["Request", stringMember(last, "requestId")],
    ["Started", ago("startedAt")],
    ["Finished", ago("finishedAt")],
    ["Steps", stepsText(member(last, "steps"))],
  ]);
}

/** Returns the durations of a deployment's steps, e.g. "134 s: build 80 s, deploy 54 s"; undefined without any. */
function stepsText(steps: unknown): string | undefined {
  const seconds = (of: unknown, name: string) => {
    const value = member(of, name);
    return typeof value === "number" ? `${String(value)} s` : undefined;
  };
  const details = member(steps, "details");
  const each = (Array.isArray(details) ? details : []).map((step: unknown, index) =>
    [stringMember(step, "name") ?? `step ${String(index + 1)}`, seconds(step, "seconds")].join(" ").trim(),
  );
  const shown = [seconds(steps, "totalSeconds"), each.join(", ")].filter((part) => part !== undefined && part !== "");
  return shown.length === 0 ? undefined : shown.join(": ");
}

function failureLines(object: KubeObject, once: Once): readonly string[] {
  const failure = member(object.status, "lastFailure");
  return table([
    ["State", stringMember(failure, "state")],
    ["Commit", stringMember(failure, "gitCommitId")],
    ["Message", once(stringMember(failure, "message") ?? "")],
  ]);
}

function planLines(object: KubeObject, program: string): readonly string[] {
  const plan = reportedPlan(object);
  if (plan === undefined) return [];
  const approve = `Approve it with: ${program} approve ${shortTarget(keyOf(object))} --hash ${plan.hash}`;
  return [...actionLines(plan.actions, lastDeployedCommit(object)), plan.approved ? "It is approved." : approve];
}

function conditionLines(object: KubeObject, now: Date, once: Once): readonly string[] {
  return columns(
    conditionViews(object).map(({ type, status: is, reason, message, lastTransitionTime }) => [
      type,
      is,
      reason,
      ageOf(lastTransitionTime, now),
      once(message),
    ]),
  );
}

function eventLines(events: readonly EventView[], now: Date, once: Once): readonly string[] {
  return columns(
    events
      .slice(0, EVENTS)
      .map(({ at, type, reason, message, count }) => [
        ageOf(at, now),
        type,
        reason,
        `${once(message)}${count > 1 ? ` (${count} times)` : ""}`.trimStart(),
      ]),
  );
}

function table(rows: readonly (readonly [string, string | undefined])[]): readonly string[] {
  return columns(rows.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value]])));
}

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  return alignBroken(
    rows.map((row) => row.map(printable)),
    "  ",
    2,
  );
}
