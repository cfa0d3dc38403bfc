import { describe, expect, it } from "vitest";

import {
  CLUSTER,
  type Change,
  ELSEWHERE,
  MINE,
  OTHER,
  fresh,
  full,
  none,
  contextOf,
  record,
  seenFull,
  seenOf,
} from "../../../test/support/services/environments.ts";
import { environment } from "./index.ts";
import type { EnvironmentObserved } from "./observe.ts";

function planned(change: Change, seen: EnvironmentObserved): string {
  const next = environment.plan(contextOf(change), seen);
  if (next.is === "step") return next.step.op;
  return next.is === "adopt" ? `adopt ${next.id}` : next.is === "settled" ? "settled" : `${next.is} ${next.why.reason}`;
}

describe("the policies of an environment", () => {
  const renamed = seenFull(record({ name: "Production" }));

  it.each<[string, Change, EnvironmentObserved, string]>([
    ["its settings differ", full, renamed, "updateEnvironment"],
    [
      "its settings differ and may not be written",
      { ...full, blockedOperations: new Set(["updateEnvironment"]) },
      renamed,
      "settled",
    ],
    ["it is gone", full, seenFull(), "stalled ExternalResourceDeleted"],
    ["it is gone and wanted back", { ...full, onMissing: "Recreate" }, seenFull(), "forget ExternalResourceDeleted"],
    [
      "what was left is not shown",
      { ...full, onMissing: "Recreate", identitySource: "orphaned" },
      seenFull(),
      "stalled ExternalResourceDeleted",
    ],
    ["what was left has another name", { ...full, identitySource: "orphaned" }, renamed, "stalled NameConflict"],
    ["what was left is there", { ...full, identitySource: "orphaned" }, seenFull(record()), `adopt ${MINE}`],
    [
      "a given id leads nowhere",
      { ...full, onMissing: "Recreate", identitySource: "given" },
      seenFull(),
      "stalled InvalidSpec",
    ],
  ])("%s", (_, change, seen, expected) => {
    expect(planned(change, seen)).toBe(expected);
  });
});

describe("the plan of an environment", () => {
  it.each<[string, Change, EnvironmentObserved, string]>([
    ["it does not exist", fresh, none, "createEnvironment"],
    ["its project is another organization's", fresh, seenOf({ projectIsOurs: false }), "stalled InvalidSpec"],
    ["its project is not the connection's", { ...fresh, allowedProjects: [OTHER] }, none, "stalled PermissionDenied"],
    ["one of its name exists", { ...fresh, ...full }, seenFull(record({ name: "Staging" })), `adopt ${MINE}`],
    [
      "one of its name exists and may not be taken",
      { ...fresh, ...full, adoption: "Never" },
      seenFull(record()),
      "stalled NameConflict",
    ],
    [
      "one of its name is on another cluster",
      { ...fresh, ...full },
      seenFull(record({ clusterId: ELSEWHERE })),
      "stalled InvalidSpec",
    ],
    [
      "two of its name exist",
      { ...fresh, ...full },
      seenFull(record(), record({ id: OTHER })),
      "stalled DuplicateRemote",
    ],
    ["its given id is in the project", { identitySource: "given" }, seenOf(), `adopt ${MINE}`],
    ["its given id is not in the project", { identitySource: "given" }, none, "stalled InvalidSpec"],
    [
      "its given id is on another cluster",
      { ...full, identitySource: "given" },
      seenFull(record({ clusterId: ELSEWHERE })),
      "stalled InvalidSpec",
    ],
    [
      "its claimed id is another's",
      { ...full, identitySource: "claimed" },
      seenFull(record({ name: "x" })),
      "stalled NameConflict",
    ],
    ["its claimed id shows no name", { identitySource: "claimed" }, seenOf(), `adopt ${MINE}`],
    ["its id is held", { holderOf: () => "a/b" }, seenOf(), "stalled AlreadyManaged"],
    ["it is gone", {}, none, "stalled ExternalResourceDeleted"],
    ["it is there, and nothing more is known", {}, seenOf(), "settled"],
    ["it is as it was made", { memory: { name: "staging", mode: "STAGING", clusterId: CLUSTER } }, seenOf(), "settled"],
    ["it was made otherwise", { memory: { mode: "DEVELOPMENT" } }, seenOf(), "stalled UpdateNotSupported"],
    ["it was made on another cluster", { memory: { clusterId: ELSEWHERE } }, seenOf(), "stalled InvalidSpec"],
    ["it is as described", full, seenFull(record()), "settled"],
    ["it shows no mode", full, seenFull(record({ mode: undefined as never })), "settled"],
    ["the spec has no mode", { ...full, spec: { mode: undefined } }, seenFull(record({ mode: "PREVIEW" })), "settled"],
    ["its mode differs", full, seenFull(record({ mode: "PREVIEW" })), "updateEnvironment"],
    ["its name differs", full, seenFull(record({ name: "Staging" })), "updateEnvironment"],
    ["what differs was sent", full, { ...seenFull(record({ mode: "PREVIEW" })), updated: true }, "settled"],
  ])("when %s", (_name, change, seen, expected) => {
    expect(planned(change, seen)).toBe(expected);
  });

  it.each<[string, Change, EnvironmentObserved, string]>([
    ["deletes it", full, seenFull(record()), "deleteEnvironment"],
    ["waits for the deletion", full, { ...seenFull(record()), deleting: true }, "waiting Deleting"],
    ["is over when it is gone", full, none, "settled"],
    ["is over when it never was", { ...full, ...fresh }, seenFull(record()), "settled"],
    ["has nothing to stop", { ...full, goal: "stopped" }, seenFull(record()), "settled"],
    ["cannot delete on the documented surface", {}, seenOf(), "stalled DeleteNotSupported"],
    ["spares one of another name", full, seenFull(record({ name: "x" })), "stalled NameConflict"],
    [
      "spares what is only claimed and not the connection's",
      { ...full, identitySource: "claimed", allowedProjects: [OTHER] },
      seenFull(record()),
      "stalled NotObservable",
    ],
  ])("at the end %s", (_name, change, seen, expected) => {
    expect(planned({ goal: "absent", ...change }, seen)).toBe(expected);
  });

  it("marks a create with the platform's clock and what was there", () => {
    expect(environment.plan(contextOf(fresh), seenOf({ counts: [{ id: OTHER }] }))).toMatchObject({
      step: {
        repeat: "once",
        creates: true,
        name: "staging",
        mark: { absentAt: "2026-11-21T10:00:00.000Z", ids: [OTHER] },
      },
    });
  });
});
