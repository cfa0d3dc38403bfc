import { describe, expect, it } from "vitest";

import {
  APPLICATION,
  type Change,
  observedFull,
  observedIn,
  passWith,
  planned,
  record,
  statusOf,
} from "../../../test/support/services/applications.ts";
import { application } from "./index.ts";
import type { Observed } from "./model.ts";

const OTHER = "00000000-0000-4000-8000-0000000000a2";
const PROJECT = "00000000-0000-4000-8000-0000000000b1";
const full = { surface: "Full" } as const;
const held = { holderOf: () => "a/b" };
const recreated = { ...full, onMissing: "Recreate" } as const;
const deployed = observedIn("DEPLOYED");
const nowhere = observedIn(undefined);
const renamed = observedFull("DEPLOYED", { name: "web" });
const siblings = (...all: readonly ReturnType<typeof record>[]) => observedIn(undefined, { siblings: all });

const UNPROVEN = "stalled NotObservable";
const MANAGED = "stalled AlreadyManaged";
const CONFLICT = "stalled NameConflict";
const GONE = "stalled ExternalResourceDeleted";

describe("which application is meant", () => {
  const fresh = { id: undefined, identitySource: undefined, memory: { lastDeployment: undefined } } as const;
  const freshFull = { ...fresh, ...full };
  const limited = { allowedProjects: [OTHER] };
  const given = { identitySource: "given" } as const;
  const accepted = { ...given, allowUnverifiedIds: true };
  const claimed = { identitySource: "claimed" } as const;
  const left = { identitySource: "orphaned" } as const;
  const proven = { isGone: true };

  it.each<[string, Change, Observed, string]>([
    ["none yet", fresh, nowhere, "createApplication"],
    ["none yet, among others", freshFull, siblings(record({ id: OTHER, name: "web" })), "createApplication"],
    ["one of its name", freshFull, siblings(record({ name: "API" })), "adopt"],
    ["one of its name that may not be taken", { ...freshFull, adoption: "Never" }, siblings(record()), CONFLICT],
    ["two of its name", freshFull, siblings(record(), record({ id: OTHER })), "stalled DuplicateRemote"],
    ["one of its name that is held", { ...freshFull, ...held }, siblings(record()), MANAGED],
    ["none where one has to be", { ...freshFull, adoption: "Required" }, siblings(), "waiting DependencyNotReady"],
    ["in another organization", fresh, observedIn(undefined, { environmentIsOurs: false }), "stalled InvalidSpec"],
    ["outside", { ...fresh, ...limited }, observedIn(undefined, { projectId: PROJECT }), "stalled PermissionDenied"],
    ["ours, outside by now", limited, observedIn("DEPLOYED", { projectId: PROJECT }), "stalled PermissionDenied"],
    ["ours, gone", {}, nowhere, GONE],
    ["ours, and another's", held, deployed, MANAGED],
    ["a given one that is not there", { ...full, ...given }, nowhere, "stalled InvalidSpec"],
    ["a given one that is listed", { ...full, ...given }, renamed, "adopt"],
    ["a given one that nothing is known of", given, deployed, UNPROVEN],
    ["a given one that nothing shows, if the connection accepts it", accepted, deployed, "adopt"],
    ["a given one that is held", { ...accepted, ...held }, deployed, MANAGED],
    ["a claimed one of its name", { ...full, ...claimed }, observedFull("DEPLOYED"), "adopt"],
    ["a claimed one of another name", { ...full, ...claimed }, renamed, CONFLICT],
    ["a claimed one that nothing is known of", claimed, deployed, UNPROVEN],
    ["one that was left, where nothing is shown", left, deployed, "adopt"],
    ["one that was left and is held", { ...left, ...held }, deployed, MANAGED],
    ["one that was left, with another name by now", { ...full, ...left }, renamed, CONFLICT],
    ["one that was left, gone", { ...left, onMissing: "Recreate" }, observedIn(undefined, proven), GONE],
  ])("%s", (_name, change, observed, expected) => {
    expect(planned(change, observed)).toBe(expected);
  });

  it("is created behind the ledger, marked with the platform's clock", () => {
    const serverNow = new Date("2026-11-21T10:00:00Z");
    expect(application.plan(passWith(fresh), observedIn(undefined, { serverNow }))).toEqual({
      is: "step",
      step: {
        repeat: "once",
        op: "createApplication",
        action: { what: "create" },
        creates: true,
        name: "api",
        mark: { absentAt: "2026-11-21T10:00:00.000Z" },
        why: { reason: "Creating", message: 'Creating application "api".' },
      },
    });
  });

  it("is adopted by its id", () => {
    expect(application.plan(passWith(freshFull), siblings(record()))).toEqual({ is: "adopt", id: APPLICATION });
  });
});

describe("an application that is gone", () => {
  const missing = (change: Partial<Observed> = { isGone: true }) =>
    observedFull("DEPLOYED", {}, { siblings: [], status: undefined, ...change });

  it.each<[string, Change, Observed, string]>([
    ["is reported", full, missing(), GONE],
    ["is forgotten where it is to be created again", recreated, missing(), "forget ExternalResourceDeleted"],
    ["is reported where nothing proves it", recreated, missing({}), GONE],
    ["is reported if it was not recorded", { ...recreated, identitySource: "given" }, missing(), "stalled InvalidSpec"],
    ["is no matter when its object is deleted", { ...recreated, goal: "absent" }, missing(), "settled"],
  ])("%s", (_name, change, observed, expected) => {
    expect(planned(change, observed)).toBe(expected);
  });
});

describe("the deletion of an application", () => {
  const absent = { ...full, goal: "absent" } as const;
  const outside = { ...absent, identitySource: "claimed", allowedProjects: [OTHER] } as const;
  const deleting = (state: string) => observedFull(state, {}, { deleting: true });

  it.each<[string, Change, Observed, string]>([
    ["nothing to delete", absent, nowhere, "settled"],
    ["delete", absent, observedFull("DEPLOYED"), "deleteApplication"],
    ["delete what failed", absent, observedFull("BUILD_ERROR"), "deleteApplication"],
    ["[E11] not delete what is recorded, but lies elsewhere", absent, observedIn("READY", { siblings: [] }), UNPROVEN],
    ["wait for what is under way", absent, observedFull("BUILDING"), "waiting Building"],
    ["wait for the deletion", absent, deleting("DEPLOYED"), "waiting Deleting"],
    ["report that it failed", absent, deleting("DELETE_ERROR"), "waiting DeleteFailed"],
    ["try again", absent, observedFull("DELETE_ERROR"), "deleteApplication"],
    ["spare one of another name", absent, renamed, CONFLICT],
    ["spare what the surface cannot delete", { goal: "absent" }, deployed, "stalled DeleteNotSupported"],
    ["spare what is only claimed, outside", outside, observedFull("DEPLOYED", {}, { projectId: PROJECT }), UNPROVEN],
  ])("%s", (_name, change, observed, expected) => {
    expect(planned(change, observed)).toBe(expected);
  });
});

describe("the stop of an application whose object is deleted", () => {
  const goal = { ...full, goal: "stopped" } as const;
  const asked = { ...goal, memory: { runState: "Stopped" } } as const;
  const open = { ...goal, memory: { stopping: '["2026-11-21T09:01:00.000Z","run-1",0]' } };
  const since = observedFull("DEPLOYED", {}, { status: statusOf("DEPLOYED", { executionId: "run-2" }) });

  it.each<[string, Change, Observed, string]>([
    ["stop", goal, observedFull("DEPLOYED"), "stopApplication"],
    ["stop what failed", goal, observedFull("BUILD_ERROR"), "stopApplication"],
    ["report that stopping failed", asked, observedFull("STOP_ERROR"), "stalled StopFailed"],
    ["try again, on request", { ...asked, requested: "now" }, observedFull("STOP_ERROR"), "stopApplication"],
    ["nothing to stop, stopped", goal, observedFull("STOPPED"), "settled"],
    ["nothing to stop, never deployed", goal, observedFull("READY"), "settled"],
    ["nothing to stop, uninstalled", goal, observedFull("DELETED"), "settled"],
    ["wait before it is stopped", goal, observedFull("DEPLOYING"), "waiting Deploying"],
    ["wait for a state that says something", goal, observedFull("UNAVAILABLE"), "waiting UnknownState"],
    ["wait for a stop to be shown", open, observedFull("DEPLOYED"), "waiting Stopping"],
    ["stop what was started since", open, since, "stopApplication"],
    ["spare what the surface cannot stop", { goal: "stopped" }, deployed, "stalled NotSupportedByApi"],
  ])("%s", (_name, change, observed, expected) => {
    expect(planned(change, observed)).toBe(expected);
  });
});
