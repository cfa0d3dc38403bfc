import { expect, it } from "vitest";

import { stored } from "../../../test/support/kube/stored.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import type { Access } from "./access.ts";
import { offers, operationsOf } from "./surface.ts";

const connection = (surface: string, status: JsonObject = {}): KubeObject =>
  stored("PlatformConnection", "default", { spec: { surface }, status });

const operations = { supported: ["getProject", "updateProject"], unsupported: ["deleteProject"] };
const LEARNED = { surface: "Partial", operations };

const ALL: unknown = expect.stringMatching(/^all \d+ reads, all \d+ updates, all \d+ deletions, all \d+ actions$/);

it.each<[string, KubeObject, readonly (readonly [support: string, names: unknown])[]]>([
  ["Documented by the spec", connection("Documented", LEARNED), [["not supported", ALL]]],
  ["Full by the spec", connection("Full", LEARNED), [["supported", ALL]]],
  ["nothing learned", connection("Auto"), [["not tried", ALL]]],
])("operationsOf %s", (_title, object, told) => {
  expect(operationsOf(object).map(({ support, names }) => [support, names])).toEqual(told);
});

it("operationsOf names single operations where an area is mixed", () => {
  const areas = operationsOf(connection("Auto", LEARNED));
  const told = Object.fromEntries(areas.map(({ support, names }) => [support, names]));
  expect(told).toMatchObject({ supported: "getProject, updateProject", "not supported": "deleteProject" });
  expect(told["not tried"]).toContain("updateEnvironment");
  expect(told["not tried"]).not.toMatch(/\b(?:getProject|updateProject|deleteProject)\b/);
});

it.each<[surface: string, JsonObject, OperationName, boolean]>([
  ["Documented", LEARNED, "getProject", false],
  ["Full", LEARNED, "deleteProject", true],
  ["Auto", LEARNED, "updateProject", true],
  ["Auto", LEARNED, "deleteProject", false],
  // The operation was never tried: the platform's answer decides.
  ["Auto", LEARNED, "updateSecret", true],
  ["Auto", { surface: "Documented" }, "updateSecret", false],
  ["Auto", { surface: "Full" }, "updateSecret", true],
  ["Auto", { surface: "Documented" }, "listSecrets", true],
])("offers surface %s, status %o, %s: %s", async (surface, status, name, offered) => {
  // No read is needed for a known operation.
  const access = { platform: {}, connection: connection(surface, status), spec: { surface } };
  expect(await offers(access as unknown as Access, name)).toBe(offered);
});
