import { describe, expect, it } from "vitest";

import {
  observedFull,
  observedIn,
  passWith,
  plannedBy,
  statusOf,
} from "../../../test/support/services/applications.ts";
import type { Observed } from "./model.ts";

type Change = Parameters<typeof passWith>[0];
const OTHER = "00000000-0000-4000-8000-0000000000a2";
const PROJECT = "00000000-0000-4000-8000-0000000000b1";
const full = { surface: "Full" } as const;

describe("the deletion of an application", () => {
  it.each<[string, Change, Observed, string]>([
    ["nothing to delete", { goal: "absent", ...full }, observedIn(undefined), "settled"],
    ["delete", { goal: "absent", ...full }, observedFull("DEPLOYED"), "deleteApplication"],
    ["delete what failed", { goal: "absent", ...full }, observedFull("BUILD_ERROR"), "deleteApplication"],
    [
      "[E11] not delete what is recorded, but lies elsewhere",
      { goal: "absent", ...full },
      observedIn("READY", { siblings: [] }),
      "stalled NotObservable",
    ],
    ["wait for what is under way", { goal: "absent", ...full }, observedFull("BUILDING"), "waiting Building"],
    [
      "wait for the deletion",
      { goal: "absent", ...full },
      observedFull("DEPLOYED", {}, { deleting: true }),
      "waiting Deleting",
    ],
    [
      "tell that it failed",
      { goal: "absent", ...full },
      observedFull("DELETE_ERROR", {}, { deleting: true }),
      "waiting DeleteFailed",
    ],
    ["try again", { goal: "absent", ...full }, observedFull("DELETE_ERROR"), "deleteApplication"],
    [
      "spare one of another name",
      { goal: "absent", ...full },
      observedFull("DEPLOYED", { name: "web" }),
      "stalled NameConflict",
    ],
    ["spare what the surface cannot delete", { goal: "absent" }, observedIn("DEPLOYED"), "stalled DeleteNotSupported"],
    [
      "spare what is only claimed and not the connection's",
      { goal: "absent", ...full, identitySource: "claimed", allowedProjects: [OTHER] },
      observedFull("DEPLOYED", {}, { projectId: PROJECT }),
      "stalled NotObservable",
    ],
    ["stop", { goal: "stopped", ...full }, observedFull("DEPLOYED"), "stopApplication"],
    ["stop what failed", { goal: "stopped", ...full }, observedFull("BUILD_ERROR"), "stopApplication"],
    [
      "tell that stopping failed",
      { goal: "stopped", ...full, memory: { runState: "Stopped" } },
      observedFull("STOP_ERROR"),
      "stalled StopFailed",
    ],
    [
      "try again to stop, on request",
      { goal: "stopped", ...full, memory: { runState: "Stopped" }, requested: "now" },
      observedFull("STOP_ERROR"),
      "stopApplication",
    ],
    ["nothing to stop, stopped", { goal: "stopped", ...full }, observedFull("STOPPED"), "settled"],
    ["nothing to stop, never deployed", { goal: "stopped", ...full }, observedFull("READY"), "settled"],
    ["nothing to stop, uninstalled", { goal: "stopped", ...full }, observedFull("DELETED"), "settled"],
    ["wait before it is stopped", { goal: "stopped", ...full }, observedFull("DEPLOYING"), "waiting Deploying"],
    [
      "wait for a state that says something",
      { goal: "stopped", ...full },
      observedFull("UNAVAILABLE"),
      "waiting UnknownState",
    ],
    [
      "wait for a stop to be shown",
      { goal: "stopped", ...full, memory: { stopping: '["2026-11-21T09:01:00.000Z","run-1",0]' } },
      observedFull("DEPLOYED"),
      "waiting Stopping",
    ],
    [
      "stop what was started since",
      { goal: "stopped", ...full, memory: { stopping: '["2026-11-21T09:01:00.000Z","run-1",0]' } },
      observedFull("DEPLOYED", {}, { status: statusOf("DEPLOYED", { executionId: "run-2" }) }),
      "stopApplication",
    ],
    ["spare what the surface cannot stop", { goal: "stopped" }, observedIn("DEPLOYED"), "stalled NotSupportedByApi"],
  ])("%s", (_name, change, observed, expected) => {
    expect(plannedBy(passWith(change), observed)).toBe(expected);
  });
});
