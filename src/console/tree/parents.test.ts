import { describe, expect, it } from "vitest";

import { stored } from "../../../test/support/kube/stored.ts";
import { applicationOf } from "../../../test/support/platform/status-page-objects.ts";
import type { Cache, JsonObject, KubeObject } from "../../kube/api/types.ts";
import { below, createFactCache, factsOf } from "./hierarchy.ts";

const ID = "0a1b2c3d-0000-4000-8000-000000000001";
const CLUSTER = "0a1b2c3d-0000-4000-8000-0000000000c1";

const project = stored("PlatformProject", "web", { spec: { name: "Web" }, status: { externalId: ID } });
const environment = (name: string, projectRef: JsonObject): KubeObject =>
  stored("PlatformEnvironment", name, { spec: { name, projectRef, clusterRef: { externalId: CLUSTER } } });
const application = applicationOf("api", "staging");

describe("an object's parent", () => {
  it.each<[string, KubeObject, string | undefined]>([
    ["by name", environment("staging", { name: "web" }), "PlatformProject/shop/web"],
    ["by name, though it is not there", environment("staging", { name: "gone" }), "PlatformProject/shop/gone"],
    ["by its id on the platform", environment("staging", { externalId: ID }), "PlatformProject/shop/web"],
    ["by an id that nobody has", environment("staging", { externalId: CLUSTER }), undefined],
    ["nowhere, where the spec cannot be read", environment("staging", { name: 3 }), undefined],
    ["nowhere", project, undefined],
    ["by name, two below", application, "PlatformEnvironment/shop/staging"],
  ])("is found %s", (_how, child, parent) => {
    expect(factsOf([project, child]).at(-1)?.parent).toBe(parent);
  });
});

describe("what is below an object", () => {
  it("is the object itself and all that hangs from it", () => {
    const environments = [environment("staging", { name: "web" }), environment("x", { name: "y" })];
    const facts = factsOf([project, ...environments, application]);
    expect(below(facts, "PlatformProject/shop/web").map(({ name }) => name)).toEqual(["web", "staging", "api"]);
    expect(below(facts, "PlatformProject/shop/none")).toEqual([]);
  });

  it.each<[string, KubeObject, boolean]>([
    ["itself", project, true],
    ["by names", application, true],
    ["by the id of its parent on the platform", environment("production", { externalId: ID }), true],
    ["not, with a parent that is not there", environment("x", { name: "y" }), false],
    ["not, with an id that nobody has", environment("z", { externalId: CLUSTER }), false],
  ])("is recognized %s, by the object's parents alone", (_how, child, expected) => {
    const objects = [project, environment("staging", { name: "web" })];
    const asked: string[] = [];
    const cache: Cache = {
      get: ({ kind, name }) => {
        asked.push(name);
        return objects.find((one) => one.kind === kind && one.metadata.name === name);
      },
      list: (kind) => objects.filter((one) => one.kind === kind),
    };
    expect(createFactCache().isBelow(child, (one) => one === project, cache)).toBe(expected);
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  it("ends in a circle", () => {
    const cache: Cache = { get: () => application, list: () => [] };
    expect(createFactCache().isBelow(application, () => false, cache)).toBe(false);
  });
});
