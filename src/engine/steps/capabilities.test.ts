import { describe, expect, it } from "vitest";

import { engineEnv } from "../../../test/support/engine/env.ts";
import { widget } from "../../../test/support/engine/kinds.ts";
import { supportsOn } from "../../../test/support/kinds/supports.ts";
import type { Supports } from "../contract/kind.ts";
import { conditionOf } from "../contract/status.ts";
import type { KindOperations } from "../contract/types.ts";
import { capabilitiesOf } from "./capabilities.ts";

const MANAGED = { management: "Manage", deletion: "Retain" } as const;
const DELETED = { ...MANAGED, deletion: "Delete" } as const;
const STOP = { stop: ["stopApplication"] };
const MISSING = "False/NotSupportedByApi";
const UNTRIED = "Unknown/NotTried";
const SUPPORTED = "True/Supported";
const APPLICATION: KindOperations = {
  update: [["listApplications", "getApplication"], "updateApplication"],
  stop: ["stopApplication"],
  delete: ["deleteApplication"],
};
const documented = supportsOn("Documented");
const full = supportsOn("Full");
const nothingTried: Supports = () => "Unknown";
const noSecrets: Supports = (name) => (name === "deleteSecret" ? "Unsupported" : "Supported");
const onlyUpdates: Supports = (name) => (/^(?:update|get)/.test(name) ? "Supported" : "Unknown");

describe("capabilitiesOf", () => {
  it.each<[string, KindOperations | undefined, Parameters<typeof capabilitiesOf>[1], Supports, string | undefined]>([
    ["a kind that does none of it", undefined, MANAGED, documented, undefined],
    ["what is only observed", APPLICATION, { management: "ObserveOnly", deletion: "Retain" }, documented, undefined],
    ["what is only created", APPLICATION, { management: "CreateOnly", deletion: "Retain" }, documented, undefined],
    ["a change that is missing", APPLICATION, MANAGED, documented, MISSING],
    ["a change that was never tried", APPLICATION, MANAGED, nothingTried, UNTRIED],
    ["a change that worked", APPLICATION, MANAGED, onlyUpdates, SUPPORTED],
    ["a deletion that was never tried", APPLICATION, DELETED, onlyUpdates, UNTRIED],
    ["all of it", APPLICATION, DELETED, full, SUPPORTED],
    ["a stop by policy", STOP, { ...MANAGED, deletion: "Stop" }, nothingTried, UNTRIED],
    ["no stop by policy", STOP, MANAGED, nothingTried, undefined],
    ["a stop by the spec", { ...STOP, isStopWanted: true }, MANAGED, documented, MISSING],
    ["a stop that is documented", { stop: ["stopDatabase"], isStopWanted: true }, MANAGED, documented, SUPPORTED],
    ["what no platform has", { delete: [] }, DELETED, full, MISSING],
    ["one of two that is missing", { delete: ["deleteSecret", "deleteVariable"] }, DELETED, noSecrets, MISSING],
  ])("%s", (_title, operations, policies, supports, told) => {
    const fact = capabilitiesOf(operations, policies, { supports, isDocumented: false });
    expect(fact && `${fact.status}/${fact.reason}`).toBe(told);
  });

  it("names each operation and what follows", () => {
    const supports: Supports = (name) => (name.startsWith("delete") ? "Unknown" : "Unsupported");
    expect(capabilitiesOf(APPLICATION, DELETED, { supports, isDocumented: false })).toEqual({
      type: "Capabilities",
      status: "False",
      reason: "NotSupportedByApi",
      message:
        "Update: the platform has no listApplications and no getApplication and no updateApplication; changed settings are not sent after the creation. " +
        "Delete: whether the platform has deleteApplication is known after the first deletion.",
    });
  });

  it("does not wait for the first try where the platform has shown only its specification", () => {
    expect(capabilitiesOf(APPLICATION, MANAGED, { supports: nothingTried, isDocumented: true })).toMatchObject({
      status: "False",
      reason: "NotSupportedByApi",
      message:
        "Update: the specification has none of listApplications, getApplication, updateApplication, and the platform has shown nothing beyond it; " +
        "changed settings are not sent after the creation.",
    });
    const stop = { stop: ["stopDatabase"], isStopWanted: true };
    expect(capabilitiesOf(stop, MANAGED, { supports: documented, isDocumented: true })?.status).toBe("True");
  });
});

it("the condition Capabilities is in every status of a deployment, the one before the request included", async () => {
  const env = engineEnv({ kind: { ...widget, operations: () => APPLICATION } });
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
