import { describe, expect, it } from "vitest";

import { engineEnv } from "../../../test/support/engine/env.ts";
import { widget } from "../../../test/support/engine/kinds.ts";
import type { KindOperations } from "../contract/kind.ts";
import { conditionOf } from "../contract/status.ts";
import { capabilitiesOf } from "./capabilities.ts";

const MANAGED = { management: "Manage", deletion: "Retain" } as const;
const OBSERVED = { management: "ObserveOnly", deletion: "Retain" } as const;
const DELETED = { ...MANAGED, deletion: "Delete" } as const;
const STOPPED = { ...MANAGED, deletion: "Stop" } as const;
const MISSING = "False/NotSupportedByPlatform";
const APPLICATION: KindOperations = {
  stop: ["stopApplication"],
  delete: ["deleteApplication"],
};
const NONE = new Map<string, number>();

describe("the condition Capabilities", () => {
  it.each<[string, KindOperations | undefined, Parameters<typeof capabilitiesOf>[1], "Documented" | "Full", unknown]>([
    ["is absent where the spec asks for nothing", undefined, MANAGED, "Documented", undefined],
    ["is absent where nothing is to be stopped or deleted", APPLICATION, MANAGED, "Documented", undefined],
    ["is absent where the platform has its whole API", APPLICATION, DELETED, "Full", undefined],
    ["is absent where nothing may be written", APPLICATION, OBSERVED, "Documented", undefined],
    ["is False where a deletion cannot stop it", { stop: ["stopApplication"] }, STOPPED, "Documented", MISSING],
    ["is absent while no stop is wanted", { stop: ["stopApplication"] }, MANAGED, "Documented", undefined],
    ["is False where a wanted stop is missing", { stop: [], isStopWanted: true }, MANAGED, "Full", MISSING],
    [
      "is absent for a documented stop",
      { stop: ["stopDatabase"], isStopWanted: true },
      MANAGED,
      "Documented",
      undefined,
    ],
    ["is False where no surface has a deletion", { delete: [] }, DELETED, "Full", MISSING],
  ])("%s", (_title, operations, policies, surface, told) => {
    const fact = capabilitiesOf(operations, policies, { isFull: surface === "Full", unread: NONE });
    expect(fact && `${fact.status}/${fact.reason}`).toBe(told);
  });

  it("names the missing operations and what follows", () => {
    expect(capabilitiesOf(APPLICATION, DELETED, { isFull: false, unread: NONE })).toEqual({
      type: "Capabilities",
      status: "False",
      reason: "NotSupportedByPlatform",
      message:
        "Delete: the surface Documented has no deleteApplication; the object stays on the platform when this resource is deleted.",
    });
  });

  it("is Unknown and names the reads that the platform does not answer", () => {
    const unread = new Map([
      ["listServiceStatuses", 403],
      ["listApplications", 404],
    ]);
    expect(capabilitiesOf(APPLICATION, MANAGED, { isFull: true, unread })).toEqual({
      type: "Capabilities",
      status: "Unknown",
      reason: "NotObservable",
      message:
        "The platform answered 403 to listServiceStatuses, 404 to listApplications: what these operations show stays unknown.",
    });
  });

  it("is in every status of a deployment, that before the request included", async () => {
    const env = engineEnv({
      surface: "Documented",
      kind: { ...widget, operations: () => ({ ...APPLICATION, isStopWanted: true }) },
    });
    const reported: boolean[] = [];
    env.cluster.hooks.after = ({ key, what }) => {
      if (key.startsWith("Widget/") && what === "status")
        reported.push(conditionOf(env.cluster.get("Widget", "a"), "Capabilities") !== undefined);
      return Promise.resolve();
    };
    env.widget("a", { commit: "c1" });
    await env.run(30_000);
    expect(reported.length).toBeGreaterThan(1);
    expect(reported).not.toContain(false);
  });
});
