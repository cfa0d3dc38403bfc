import { describe, expect, it } from "vitest";

import {
  APPLICATION,
  observedFull,
  observedIn,
  passWith,
  plannedBy,
  record,
} from "../../../test/support/services/applications.ts";
import { application } from "./index.ts";
import type { Observed } from "./model.ts";

type Change = Parameters<typeof passWith>[0];
const OTHER = "00000000-0000-4000-8000-0000000000a2";
const PROJECT = "00000000-0000-4000-8000-0000000000b1";
const full = { surface: "Full" } as const;
const fresh = { id: undefined, identitySource: undefined, memory: { lastDeployment: undefined } } as const;
const siblings = (...all: readonly ReturnType<typeof record>[]) => observedIn(undefined, { siblings: all });

describe("which application is meant", () => {
  it.each<[string, Change, Observed, string]>([
    ["none yet", fresh, observedIn(undefined), "createApplication"],
    [
      "none yet, among others",
      { ...fresh, ...full },
      siblings(record({ id: OTHER, name: "web" })),
      "createApplication",
    ],
    ["one of its name", { ...fresh, ...full }, siblings(record({ name: "API" })), "adopt"],
    [
      "one of its name that may not be taken",
      { ...fresh, ...full, adoption: "Never" },
      siblings(record()),
      "stalled NameConflict",
    ],
    ["two of its name", { ...fresh, ...full }, siblings(record(), record({ id: OTHER })), "stalled DuplicateRemote"],
    [
      "one of its name that is held",
      { ...fresh, ...full, holderOf: () => "a/b" },
      siblings(record()),
      "stalled AlreadyManaged",
    ],
    ["none where one has to be", { ...fresh, ...full, adoption: "Required" }, siblings(), "waiting DependencyNotReady"],
    [
      "in an environment of another organization",
      fresh,
      observedIn(undefined, { environmentIsOurs: false }),
      "stalled InvalidSpec",
    ],
    [
      "in a project that is not the connection's",
      { ...fresh, allowedProjects: [OTHER] },
      observedIn(undefined, { projectId: PROJECT }),
      "stalled PermissionDenied",
    ],
    [
      "ours, in a project that is no longer the connection's",
      { allowedProjects: [OTHER] },
      observedIn("DEPLOYED", { projectId: PROJECT }),
      "stalled PermissionDenied",
    ],
    ["ours, gone", {}, observedIn(undefined), "stalled ExternalResourceDeleted"],
    ["ours, and another's", { holderOf: () => "a/b" }, observedIn("DEPLOYED"), "stalled AlreadyManaged"],
    [
      "a given one that is not there",
      { ...full, identitySource: "given" },
      observedIn(undefined),
      "stalled InvalidSpec",
    ],
    [
      "a given one that is listed",
      { ...full, identitySource: "given" },
      observedFull("DEPLOYED", { name: "web" }),
      "adopt",
    ],
    [
      "a given one that nothing is known of",
      { identitySource: "given" },
      observedIn("DEPLOYED"),
      "stalled NotObservable",
    ],
    [
      "a given one that nothing shows, if the connection accepts it",
      { identitySource: "given", allowUnverifiedIds: true },
      observedIn("DEPLOYED"),
      "adopt",
    ],
    [
      "a given one that is held",
      { identitySource: "given", allowUnverifiedIds: true, holderOf: () => "a/b" },
      observedIn("DEPLOYED"),
      "stalled AlreadyManaged",
    ],
    ["a claimed one of its name", { ...full, identitySource: "claimed" }, observedFull("DEPLOYED"), "adopt"],
    [
      "a claimed one of another name",
      { ...full, identitySource: "claimed" },
      observedFull("DEPLOYED", { name: "web" }),
      "stalled NameConflict",
    ],
    ["one that was left, where nothing is shown", { identitySource: "orphaned" }, observedIn("DEPLOYED"), "adopt"],
    [
      "one that was left and is held",
      { identitySource: "orphaned", holderOf: () => "a/b" },
      observedIn("DEPLOYED"),
      "stalled AlreadyManaged",
    ],
    [
      "one that was left, with another name by now",
      { ...full, identitySource: "orphaned" },
      observedFull("DEPLOYED", { name: "web" }),
      "stalled NameConflict",
    ],
    [
      "one that was left and is not there, though it is wanted back",
      { identitySource: "orphaned", onMissing: "Recreate" },
      observedIn(undefined, { isGone: true }),
      "stalled ExternalResourceDeleted",
    ],
    [
      "a claimed one that nothing is known of",
      { identitySource: "claimed" },
      observedIn("DEPLOYED"),
      "stalled NotObservable",
    ],
  ])("%s", (_name, change, observed, expected) => {
    expect(plannedBy(passWith(change), observed)).toBe(expected);
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
    expect(application.plan(passWith({ ...fresh, ...full }), siblings(record()))).toEqual({
      is: "adopt",
      id: APPLICATION,
    });
  });
});
