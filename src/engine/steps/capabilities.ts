/**
 * The condition `Capabilities`: whether the platform has the operations that a spec asks for, reported before they are
 * needed.
 */
import type { ConditionFact, KindOperations, Need, Report, Support, Supports } from "../contract/kind.ts";
import type { Policies } from "../policies/policy.ts";
import type { Resolved } from "../status/reconciliation.ts";

const AREAS = ["update", "stop", "delete"] as const;
type Area = (typeof AREAS)[number];

const MESSAGES: Readonly<Record<Area, { readonly first: string; readonly missing: string }>> = {
  update: { first: "first change", missing: "changed settings are not sent after the creation" },
  stop: { first: "first stop", missing: "it keeps running" },
  delete: { first: "first deletion", missing: "the object stays on the platform when this resource is deleted" },
};

/** Adds the condition to a report. */
export function withCapabilities({ kind, context, policies, connection }: Resolved, report: Report): Report {
  const { capabilities } = connection.api;
  const fact = capabilitiesOf(kind.operations?.(context.spec), policies, {
    supports: (operation) => capabilities.learned(operation),
    isDocumented: capabilities.summary() === "Documented",
  });
  return fact === undefined ? report : { ...report, conditions: [...report.conditions, fact] };
}

/** What is known of the platform. */
interface Known {
  /** Reports whether the platform has an operation, however long ago that was learned. */
  readonly supports: Supports;
  /** The platform showed nothing beyond the specification. */
  readonly isDocumented: boolean;
}

/** Returns the condition. Pure. @returns undefined where the spec asks for no such operation */
export function capabilitiesOf(
  operations: KindOperations | undefined,
  policies: Pick<Policies, "management" | "deletion">,
  known: Known,
): ConditionFact | undefined {
  const asked = AREAS.flatMap((area) => {
    const names = operations?.[area];
    return names !== undefined && isAsked(area, operations, policies) ? [supportOf(area, names, known)] : [];
  });
  if (asked.length === 0) return undefined;
  const fact = { type: "Capabilities", message: asked.map(({ text }) => text).join(" ") };
  const is = (support: string): boolean => asked.some((one) => one.support === support);
  if (is("Unsupported")) return { ...fact, status: "False", reason: "NotSupportedByApi" };
  if (is("Unknown")) return { ...fact, status: "Unknown", reason: "NotTried" };
  return { ...fact, status: "True", reason: "Supported" };
}

function isAsked(
  area: Area,
  operations: KindOperations | undefined,
  { management, deletion }: Pick<Policies, "management" | "deletion">,
): boolean {
  switch (area) {
    case "update":
      return management === "Manage";
    case "stop":
      return deletion === "Stop" || (management === "Manage" && operations?.isStopWanted === true);
    case "delete":
      return deletion === "Delete";
    default:
      return area satisfies never;
  }
}

function supportOf(area: Area, needs: readonly Need[], { supports, isDocumented }: Known) {
  const { first, missing } = MESSAGES[area];
  const those = (support: Support): readonly Need[] => needs.filter((need) => best(need, supports) === support);
  const absent = those("Unsupported");
  const what = `${area.charAt(0).toUpperCase()}${area.slice(1)}`;
  if (needs.length === 0) return { support: "Unsupported", text: `${what}: there is no operation for it; ${missing}.` };
  if (absent.length > 0) {
    const names = absent.map((need) => `no ${[need].flat().join(" and no ")}`);
    return { support: "Unsupported", text: `${what}: the platform has ${names.join(" and ")}; ${missing}.` };
  }
  const open = those("Unknown");
  if (open.length === 0) return { support: "Supported", text: `${what}: the platform has ${listed(needs)}.` };
  if (isDocumented) {
    const names = open.flat();
    const none = names.length === 1 ? `no ${names.join("")}` : `none of ${names.join(", ")}`;
    const text = `${what}: the specification has ${none}, and the platform has shown nothing beyond it; ${missing}.`;
    return { support: "Unsupported", text };
  }
  return { support: "Unknown", text: `${what}: whether the platform has ${listed(open)} is known after the ${first}.` };
}

function best(need: Need, supports: Supports): Support {
  const all = new Set([need].flat().map(supports));
  return (["Supported", "Unknown"] as const).find((support) => all.has(support)) ?? "Unsupported";
}

const listed = (needs: readonly Need[]): string => needs.map((need) => [need].flat().join(" or ")).join(" and ");
