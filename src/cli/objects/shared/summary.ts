/** Renders one object on one screen. Pure. */
import { PAUSED } from "../../../api/names.ts";
import { ageOf } from "../../../console/tree/duration.ts";
import { conditionsOf, factOf } from "../../../console/tree/facts.ts";
import { wordOf } from "../../../console/tree/words.ts";
import { isObject, member, stringMember } from "../../../kube/api/json.ts";
import type { KubeObject } from "../../../kube/api/types.ts";
import { printable } from "../../../text/text.ts";
import { LOOKS } from "./drawing.ts";
import type { EventView } from "./events.ts";
import { actionLines, fieldLine, fieldsOf, planOf } from "./plan-view.ts";
import { shortTarget } from "./target.ts";

export interface SummaryOf {
  readonly object: KubeObject;
  /** undefined when they could not be read. */
  readonly events: readonly EventView[] | undefined;
  readonly now: Date;
  /** The name that the user calls the program by. */
  readonly program: string;
}

/** The number of events that are shown. */
const EVENTS = 10;

/** @returns the lines of the screen */
export function summaryOf(of: SummaryOf): readonly string[] {
  const { object } = of;
  const { kind, metadata } = object;
  const { mark, reason, message } = factOf(object);
  const place = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  const heading = [`${LOOKS[mark].sign} ${wordOf(kind)} ${place}`, reason].filter((word) => word !== "").join("  ");
  return [
    heading,
    `  ${message}`,
    ...section("", factLines(of)),
    ...section("Deployment", deploymentLines(of)),
    ...section("Failure", failureLines(object)),
    ...section("Drift", fieldsOf(member(member(object.status, "drift"), "fields")).map(fieldLine)),
    ...section("Plan", planLines(of)),
    ...section("Conditions", conditionLines(of)),
    ...section("Events", eventLines(of)),
  ].map((line) => line.trimEnd());
}

function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  return ["", ...(title === "" ? [] : [title]), ...lines.map((line) => `  ${line}`)];
}

function factLines({ object, now }: SummaryOf): readonly string[] {
  const { metadata, status } = object;
  const text = (name: string): string | undefined => stringMember(status, name);
  const intent = member(status, "intent");
  const generation = metadata.generation ?? 0;
  const observed = member(status, "observedGeneration");
  return table([
    ["Age", ageOf(metadata.creationTimestamp, now)],
    ["Remote id", text("externalId")],
    ["State", text("state")],
    ["Settings", text("serviceDeploymentStatus")],
    ["Layers", text("layersEnabled")],
    ["Under way", stringMember(intent, "op")],
    ["Paused", metadata.annotations?.[PAUSED] === "true" ? "yes" : undefined],
    [
      "Generation",
      observed === generation
        ? undefined
        : `${generation}, the operator has seen ${typeof observed === "number" ? observed : "none"}`,
    ],
  ]);
}

function deploymentLines({ object, now }: SummaryOf): readonly string[] {
  const last = member(object.status, "lastDeployment");
  if (!isObject(last)) return [];
  const text = (name: string): string | undefined => stringMember(last, name);
  const ago = (name: string): string | undefined => {
    const age = ageOf(text(name), now);
    return age === "" ? undefined : `${age} ago`;
  };
  return table([
    ["Commit", text("gitCommitId")],
    ["State", text("state")],
    ["Request", text("requestId")],
    ["Started", ago("startedAt")],
    ["Finished", ago("finishedAt")],
  ]);
}

function failureLines({ status }: KubeObject): readonly string[] {
  const failure = member(status, "lastFailure");
  if (!isObject(failure)) return [];
  const text = (name: string): string | undefined => stringMember(failure, name);
  return table([
    ["State", text("state")],
    ["Commit", text("gitCommitId")],
    ["Message", text("message")],
  ]);
}

function planLines({ object, program }: SummaryOf): readonly string[] {
  const plan = planOf(object);
  if (plan === undefined) return [];
  const target = shortTarget({ kind: object.kind, name: object.metadata.name });
  const next = plan.approved ? "It is approved." : `Approve it with: ${program} approve ${target} --hash ${plan.hash}`;
  return [...actionLines(plan.actions), next];
}

function conditionLines({ object, now }: SummaryOf): readonly string[] {
  return columns(
    conditionsOf(object).map(({ type, status, reason, message, lastTransitionTime }) => [
      type,
      status,
      reason,
      ageOf(lastTransitionTime, now),
      message,
    ]),
  );
}

function eventLines({ events, now }: SummaryOf): readonly string[] {
  if (events === undefined) return ["You may not see them."];
  const shown = events.slice(0, EVENTS);
  return columns(
    shown.map(({ at, type, reason, message, count }) => [
      ageOf(at, now),
      type,
      reason,
      count > 1 ? `${message} (${count} times)` : message,
    ]),
  );
}

function table(rows: readonly (readonly [string, string | undefined])[]): readonly string[] {
  return columns(rows.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value]])));
}

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return cells.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  "));
}
