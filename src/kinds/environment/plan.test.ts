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
  observedFull,
  observedOf,
} from "../../../test/support/services/environments.ts";
import { environment } from "./index.ts";
import type { EnvironmentObserved } from "./observe.ts";

function planned(change: Change, observed: EnvironmentObserved): string {
  const next = environment.plan(contextOf(change), observed);
  if (next.is === "step") return next.step.op;
  return next.is === "adopt" ? `adopt ${next.id}` : next.is === "settled" ? "settled" : `${next.is} ${next.why.reason}`;
}

describe("the policies of an environment", () => {
  const renamed = observedFull(record({ name: "Production" }));

  it.each<[string, Change, EnvironmentObserved, string]>([
    ["its settings differ", full, renamed, "updateEnvironment"],
    [
      "its settings differ and may not be written",
      { ...full, blockedOperations: new Set(["updateEnvironment"]) },
      renamed,
      "settled",
    ],
    ["it is gone", full, observedFull(), "stalled ExternalResourceDeleted"],
    [
      "it is gone and wanted back",
      { ...full, onMissing: "Recreate" },
      observedFull(),
      "forget ExternalResourceDeleted",
    ],
    [
      "what was left is not shown",
      { ...full, onMissing: "Recreate", identitySource: "orphaned" },
      observedFull(),
      "stalled ExternalResourceDeleted",
    ],
    ["what was left has another name", { ...full, identitySource: "orphaned" }, renamed, "stalled NameConflict"],
    ["what was left is there", { ...full, identitySource: "orphaned" }, observedFull(record()), `adopt ${MINE}`],
    [
      "a given id leads nowhere",
      { ...full, onMissing: "Recreate", identitySource: "given" },
      observedFull(),
      "stalled InvalidSpec",
    ],
  ])("%s", (_, change, observed, expected) => {
    expect(planned(change, observed)).toBe(expected);
  });
});

describe("the plan of an environment", () => {
  it.each<[string, Change, EnvironmentObserved, string]>([
    ["it does not exist", fresh, none, "createEnvironment"],
    ["its project is another organization's", fresh, observedOf({ projectIsOurs: false }), "stalled InvalidSpec"],
    ["its project is not the connection's", { ...fresh, allowedProjects: [OTHER] }, none, "stalled PermissionDenied"],
    ["one of its name exists", { ...fresh, ...full }, observedFull(record({ name: "Staging" })), `adopt ${MINE}`],
    [
      "one of its name exists and may not be taken",
      { ...fresh, ...full, adoption: "Never" },
      observedFull(record()),
      "stalled NameConflict",
    ],
    [
      "one of its name is on another cluster",
      { ...fresh, ...full },
      observedFull(record({ clusterId: ELSEWHERE })),
      "stalled InvalidSpec",
    ],
    [
      "two of its name exist",
      { ...fresh, ...full },
      observedFull(record(), record({ id: OTHER })),
      "stalled DuplicateRemote",
    ],
    ["its given id is in the project", { identitySource: "given" }, observedOf(), `adopt ${MINE}`],
    ["its given id is not in the project", { identitySource: "given" }, none, "stalled InvalidSpec"],
    [
      "its given id is on another cluster",
      { ...full, identitySource: "given" },
      observedFull(record({ clusterId: ELSEWHERE })),
      "stalled InvalidSpec",
    ],
    [
      "its claimed id is another's",
      { ...full, identitySource: "claimed" },
      observedFull(record({ name: "x" })),
      "stalled NameConflict",
    ],
    ["its claimed id shows no name", { identitySource: "claimed" }, observedOf(), `adopt ${MINE}`],
    ["its id is held", { holderOf: () => "a/b" }, observedOf(), "stalled AlreadyManaged"],
    ["it is gone", {}, none, "stalled ExternalResourceDeleted"],
    ["it is there, and nothing more is known", {}, observedOf(), "settled"],
    [
      "it is as it was made",
      { memory: { name: "staging", mode: "STAGING", clusterId: CLUSTER } },
      observedOf(),
      "settled",
    ],
    ["it was made otherwise", { memory: { mode: "DEVELOPMENT" } }, observedOf(), "stalled UpdateNotSupported"],
    ["it was made on another cluster", { memory: { clusterId: ELSEWHERE } }, observedOf(), "stalled InvalidSpec"],
    ["it is as described", full, observedFull(record()), "settled"],
    ["it shows no mode", full, observedFull(record({ mode: undefined as never })), "settled"],
    [
      "the spec has no mode",
      { ...full, spec: { mode: undefined } },
      observedFull(record({ mode: "PREVIEW" })),
      "settled",
    ],
    ["its mode differs", full, observedFull(record({ mode: "PREVIEW" })), "updateEnvironment"],
    ["its name differs", full, observedFull(record({ name: "Staging" })), "updateEnvironment"],
    ["what differs was sent", full, { ...observedFull(record({ mode: "PREVIEW" })), updated: true }, "settled"],
  ])("when %s", (_name, change, observed, expected) => {
    expect(planned(change, observed)).toBe(expected);
  });

  it.each<[string, Change, EnvironmentObserved, string]>([
    ["deletes it", full, observedFull(record()), "deleteEnvironment"],
    ["waits for the deletion", full, { ...observedFull(record()), deleting: true }, "waiting Deleting"],
    ["is over when it is gone", full, none, "settled"],
    ["is over when it never was", { ...full, ...fresh }, observedFull(record()), "settled"],
    ["has nothing to stop", { ...full, goal: "stopped" }, observedFull(record()), "settled"],
    ["cannot delete on the documented surface", {}, observedOf(), "stalled DeleteNotSupported"],
    ["spares one of another name", full, observedFull(record({ name: "x" })), "stalled NameConflict"],
    [
      "spares what is only claimed and not the connection's",
      { ...full, identitySource: "claimed", allowedProjects: [OTHER] },
      observedFull(record()),
      "stalled NotObservable",
    ],
  ])("at the end %s", (_name, change, observed, expected) => {
    expect(planned({ goal: "absent", ...change }, observed)).toBe(expected);
  });

  it("marks a create with the platform's clock and what was there", () => {
    expect(environment.plan(contextOf(fresh), observedOf({ counts: [{ id: OTHER }] }))).toMatchObject({
      step: {
        repeat: "once",
        creates: true,
        name: "staging",
        mark: { absentAt: "2026-11-21T10:00:00.000Z", ids: [OTHER] },
      },
    });
  });
});
