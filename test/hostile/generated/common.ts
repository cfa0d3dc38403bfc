/** Leaves that many kinds have in common. */
import type { Json, JsonObject } from "../../../src/kube/api/types.ts";
import { always, local, reported, type Entry, type Misuse, type Outcome } from "./outcomes.ts";

/** A lifecycle with every member. It allows every operation, except in one minute of a year. */
export const LIFECYCLE: JsonObject = {
  managementPolicy: "Manage",
  adoptionPolicy: "IfUniqueName",
  onMissing: "Fail",
  driftPolicy: "Correct",
  applyPolicy: "Automatic",
  syncWindows: { kind: "Deny", windows: [{ schedule: "0 3 29 2 *", duration: "1m", timeZone: "UTC" }] },
  retry: { limit: 1, backoff: "5m" },
  progressDeadline: "1h",
  deletionPolicy: "Retain",
};

/** A schedule that stops nothing, except in one minute of a year. */
const RUN_SCHEDULE: Json = [{ kind: "Stop", schedule: "0 3 29 2 *", duration: "1m", timeZone: "UTC" }];

/**
 * The entries of `runSchedule`.
 * @param documented the outcome on the documented surface; the same by default
 * @param createdDocumented the same for an object that is created with it
 */
export function scheduleLeaves(
  documented?: Outcome,
  createdDocumented: Outcome | undefined = documented,
): Readonly<Record<string, Entry>> {
  const entry = (to: Json): Entry => ({
    ...always(to, local("a schedule for stops; no window is open")),
    in: { runSchedule: RUN_SCHEDULE },
    ...(documented !== undefined && { documented, oneWay: true }),
    ...(createdDocumented !== undefined && { createdDocumented }),
  });
  return {
    runSchedule: entry([{ kind: "Stop", schedule: "0 4 29 2 *", duration: "2m" }]),
    "runSchedule[].kind": { ...entry("Stop"), bounds: "none" },
    "runSchedule[].schedule": entry("30 3 29 2 *"),
    "runSchedule[].duration": entry("2m"),
    "runSchedule[].timeZone": entry("Europe/Berlin"),
  };
}

const POLICY = "a policy of the operator: which operations it may do, and when";
const quiet = (to: Json): Entry => always(to, local(POLICY));
const whenCreated = (to: Json, created: Entry["created"]): Entry => ({ ...quiet(to), created });

const ENTRIES: Readonly<Record<string, Entry>> = {
  managementPolicy: whenCreated("ObserveOnly", reported("NotCreated", "nothing is written under it")),
  adoptionPolicy: whenCreated("Required", reported("DependencyNotReady", "nothing is created under it")),
  onMissing: quiet("Recreate"),
  driftPolicy: quiet("Report"),
  applyPolicy: whenCreated("Manual", reported("ApprovalPending", "nothing is written before it is approved")),
  "syncWindows.kind": whenCreated("Allow", reported("OutsideChangeWindow", "nothing is written outside of the window")),
  "syncWindows.windows": quiet([{ schedule: "0 4 29 2 *", duration: "2m" }]),
  "syncWindows.windows[].schedule": quiet("30 3 29 2 *"),
  "syncWindows.windows[].duration": quiet("2m"),
  "syncWindows.windows[].timeZone": quiet("Europe/Berlin"),
  "retry.limit": quiet(3),
  "retry.backoff": quiet("1h30m"),
  progressDeadline: quiet("2h"),
  deletionPolicy: quiet("Stop"),
};

/**
 * The entries of `lifecycle`, without the members that a kind does not have.
 * @param at where the lifecycle is, e.g. `lifecycle.`
 */
export function lifecycleLeaves(without: readonly string[], at = "lifecycle."): Readonly<Record<string, Entry>> {
  const kept = Object.entries(ENTRIES).filter(([path]) => !without.some((member) => path.startsWith(member)));
  return Object.fromEntries(kept.map(([path, entry]) => [`${at}${path}`, entry]));
}

/** LIFECYCLE without the members that a kind does not have. */
export function lifecycle(without: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(LIFECYCLE).filter(([member]) => !without.includes(member)));
}

/** Windows that the schema lets pass and that never open. */
export const IMPOSSIBLE_WINDOWS: readonly Misuse[] = [
  { path: "lifecycle.syncWindows.windows[].schedule", to: "99 99 * * *", reason: "InvalidSpec" },
  { path: "lifecycle.syncWindows.windows[].timeZone", to: "Mars/Olympus", reason: "InvalidSpec" },
];
