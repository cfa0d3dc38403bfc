import { describe, expect, it } from "vitest";

import { specOf } from "../../../test/support/services/blueprints.ts";
import type { JsonObject } from "../../engine/contract/kind.ts";
import { configCondition, overridesRefused } from "./model.ts";

const VERSIONS = { allowedEngineVersions: ["1.9.8", "1.10.5"] };
const many = Array.from({ length: 12 }, (_, index) => `1.${index}`);

const terraform = (specOverrides: JsonObject, change: JsonObject = VERSIONS) => {
  return { engine: "Terraform", specOverrides, ...change };
};

const long = terraform({ engine_version: "9".repeat(1000) }, { allowedEngineVersions: many });

it.each<[string, JsonObject, RegExp | undefined]>([
  ["of an engine that is not declared", { specOverrides: { engine_version: 7 } }, undefined],
  ["of Helm, whatever they are", { engine: "Helm", specOverrides: { engine_version: 7 } }, undefined],
  ["that lack the version", { engine: "Terraform" }, /engine_version is required for Terraform blueprints\. Set it/],
  ["that are null", { engine: "OpenTofu", specOverrides: null }, /is required for OpenTofu/],
  ["whose version is null", { engine: "OpenTofu", specOverrides: { engine_version: null } }, /is required/],
  ["that lack the one version", { engine: "OpenTofu", allowedEngineVersions: ["1.8.3"] }, /\. Set it to 1\.8\.3\.$/],
  ["of any version", terraform({ engine_version: "0.1" }, {}), undefined],
  ["of an allowed version", terraform({ engine_version: "1.10.5" }), undefined],
  ["of another version", terraform({ engine_version: "1.10" }), /is "1\.10", which .* of 1\.9\.8, 1\.10\.5\.$/],
  ["of a number", terraform({ engine_version: 1.1 }), /must be a string; put the version into quotes\.$/],
  ["of a version of any length", long, /one of 1\.0, .*1\.9, … \(spec\.allowedEngineVersions\)\.$/],
])("overrides %s", (_name, change, complaint) => {
  const refused = overridesRefused(specOf(change));
  expect(refused?.reason).toBe(complaint === undefined ? undefined : "InvalidSpec");
  expect(refused?.message ?? "").toMatch(complaint ?? /^$/);
  expect(refused?.message.length ?? 0).toBeLessThanOrEqual(300);
});

describe("the condition ConfigValid", () => {
  const IGNORED = "True FieldsIgnored";
  const VALID = /the platform validates the rest/;
  const FIELDS = /ignore spec\.specOverrides\.credentials, spec\.specOverrides\.backend: only/;
  const helm = (specOverrides: JsonObject) => ({ engine: "Helm", specOverrides });

  it.each<[string, JsonObject, string, RegExp]>([
    ["a Helm blueprint", helm({ timeout: 1, cpu: "1" }), "True Valid", VALID],
    ["a Helm blueprint with what it ignores", helm({ backend: null, timeout: 1, credentials: "env" }), IGNORED, FIELDS],
    ["a Terraform blueprint", terraform({ engine_version: "1", backend: 1 }, {}), "True Valid", VALID],
    ["one without its version", { engine: "Terraform" }, "False InvalidSpec", /is required/],
  ])("of %s", (_name, change, expected, message) => {
    const [condition, ...others] = configCondition(specOf(change));
    expect(others).toEqual([]);
    expect(condition?.type).toBe("ConfigValid");
    expect(`${condition?.status} ${condition?.reason}`).toBe(expected);
    expect(condition?.message).toMatch(message);
  });

  it.each([undefined, "TERRAFORM"])("is absent while neither the spec nor the type %s says the engine", (type) => {
    expect(configCondition(specOf({ specOverrides: { backend: 1 } }), type)).toEqual([]);
  });

  it("is that of a chart where the platform shows one and the spec has no engine", () => {
    const [condition] = configCondition(specOf({ specOverrides: { backend: 1 } }), "HELM");
    expect(condition).toMatchObject({ reason: "FieldsIgnored", message: expect.stringContaining("backend") as string });
  });
});
