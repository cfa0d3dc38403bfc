/**
 * The condition `Capabilities`: what a spec asks for and the platform cannot do, before it is needed
 * (docs/project/architecture.md §9). It is absent where the platform can do everything. Settings that changed and cannot be sent
 * have a condition of their own, `SettingsSynced`.
 */
import { isSupported } from "../../platform/codec/operations.ts";
import type { ConditionFact, KindOperations, Report } from "../contract/kind.ts";
import type { Policies } from "../policies/policy.ts";
import type { Resolved } from "../status/reconciliation.ts";

const AREAS = ["stop", "delete"] as const;
type Area = (typeof AREAS)[number];

const CONSEQUENCES: Readonly<Record<Area, string>> = {
  stop: "it keeps running",
  delete: "the object stays on the platform when this resource is deleted",
};

/** Adds the condition to a report. */
export function withCapabilities({ kind, context, policies, local }: Resolved, report: Report): Report {
  const fact = capabilitiesOf(kind.operations?.(context.spec), policies, {
    isFull: context.isFull,
    unread: local.reads.failed,
  });
  return fact === undefined ? report : { ...report, conditions: [...report.conditions, fact] };
}

/** What is known of the platform. */
interface SurfaceFacts {
  readonly isFull: boolean;
  /** The reads beyond the specification that failed, with their HTTP status. */
  readonly unread: ReadonlyMap<string, number>;
}

/**
 * Returns the condition: False where the surface lacks what the spec asks for, else Unknown where reads failed. Pure.
 * @returns undefined where nothing is missing
 */
export function capabilitiesOf(
  operations: KindOperations | undefined,
  policies: Pick<Policies, "management" | "deletion">,
  { isFull, unread }: SurfaceFacts,
): ConditionFact | undefined {
  const missing = AREAS.filter((area) => isAsked(area, operations, policies)).flatMap((area) => {
    const names = operations?.[area];
    if (names === undefined || (names.length > 0 && names.every((name) => isSupported(name, isFull)))) return [];
    return [missingText(area, names, isFull)];
  });
  const unknown = unread.size === 0 ? [] : [unreadText(unread)];
  if (missing.length + unknown.length === 0) return undefined;
  const fact = { type: "Capabilities", message: [...missing, ...unknown].join(" ") };
  return missing.length > 0
    ? { ...fact, status: "False", reason: "NotSupportedByPlatform" }
    : { ...fact, status: "Unknown", reason: "NotObservable" };
}

function isAsked(
  area: Area,
  operations: KindOperations | undefined,
  { management, deletion }: Pick<Policies, "management" | "deletion">,
): boolean {
  switch (area) {
    case "stop":
      return deletion === "Stop" || (management === "Manage" && operations?.isStopWanted === true);
    case "delete":
      return deletion === "Delete";
    default:
      return area satisfies never;
  }
}

function missingText(area: Area, names: readonly string[], isFull: boolean): string {
  const what = `${area.charAt(0).toUpperCase()}${area.slice(1)}`;
  if (names.length === 0) return `${what}: there is no operation for it; ${CONSEQUENCES[area]}.`;
  const lacking = names.filter((name) => !isSupported(name, isFull)).join(" and no ");
  return `${what}: the surface Documented has no ${lacking}; ${CONSEQUENCES[area]}.`;
}

function unreadText(unread: ReadonlyMap<string, number>): string {
  const answers = [...unread].map(([name, status]) => `${String(status)} to ${name}`).toSorted();
  return `The platform answered ${answers.join(", ")}: what these operations show stays unknown.`;
}
