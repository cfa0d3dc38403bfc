import { describe, expect, it } from "vitest";

import { stored } from "../../../test/support/kube/stored.ts";
import { fact } from "../../../test/support/platform/facts.ts";
import { applicationOf } from "../../../test/support/platform/status-page-objects.ts";
import type { Cache, JsonObject, KubeObject } from "../../kube/api/types.ts";
import { below, createFactCache, dataOf, dotOf, factsOf, hierarchyOf } from "./hierarchy.ts";

const project = fact("PlatformProject", "web");
const staging = fact("PlatformEnvironment", "staging", { parent: project.id });
const deployed = { state: "DEPLOYED", commit: "1a2b3c4", externalId: "x" };
const api = fact("PlatformApplication", "api", { parent: staging.id, ...deployed });

it("a hierarchy is plain data for other tools", () => {
  const common = { namespace: "shop", status: "ready", reason: "Available", message: "It is there." };
  const application = { ...common, kind: "PlatformApplication", name: "api", ...deployed, children: [] };
  expect(dataOf(hierarchyOf([staging, api]))).toEqual([
    { ...common, kind: "PlatformEnvironment", name: "staging", state: "", children: [application] },
  ]);
});

it("a hierarchy is a graph for Graphviz", () => {
  expect(dotOf(hierarchyOf([staging, api]))).toBe(
    [
      "digraph platform {",
      "  rankdir=LR;",
      "  node [shape=box];",
      '  "PlatformEnvironment/shop/staging" [label="PlatformEnvironment staging\\nAvailable"];',
      '  "PlatformEnvironment/shop/staging" -> "PlatformApplication/shop/api";',
      '  "PlatformApplication/shop/api" [label="PlatformApplication api\\nDEPLOYED"];',
      "}",
      "",
    ].join("\n"),
  );
});

const ID = "0a1b2c3d-0000-4000-8000-000000000001";
const CLUSTER = "0a1b2c3d-0000-4000-8000-0000000000c1";

const web = stored("PlatformProject", "web", { spec: { name: "Web" }, status: { externalId: ID } });
const environment = (name: string, projectRef: JsonObject): KubeObject =>
  stored("PlatformEnvironment", name, { spec: { name, projectRef, clusterRef: { externalId: CLUSTER } } });
const application = applicationOf("api", "staging");

it.each<[string, KubeObject, string | undefined]>([
  ["by name", environment("staging", { name: "web" }), "PlatformProject/shop/web"],
  ["by name, though it is not there", environment("staging", { name: "gone" }), "PlatformProject/shop/gone"],
  ["by its id on the platform", environment("staging", { externalId: ID }), "PlatformProject/shop/web"],
  ["by an id that nobody has", environment("staging", { externalId: CLUSTER }), undefined],
  ["nowhere, where the spec cannot be read", environment("staging", { name: 3 }), undefined],
  ["nowhere", web, undefined],
  ["by name, two below", application, "PlatformEnvironment/shop/staging"],
])("an object's parent is found %s", (_how, child, parent) => {
  expect(factsOf([web, child]).at(-1)?.parent).toBe(parent);
});

describe("what is below an object", () => {
  it("is the object itself and all that hangs from it", () => {
    const environments = [environment("staging", { name: "web" }), environment("x", { name: "y" })];
    const facts = factsOf([web, ...environments, application]);
    expect(below(facts, "PlatformProject/shop/web").map(({ name }) => name)).toEqual(["web", "staging", "api"]);
    expect(below(facts, "PlatformProject/shop/none")).toEqual([]);
  });

  it.each<[string, KubeObject, boolean]>([
    ["itself", web, true],
    ["by names", application, true],
    ["by the id of its parent on the platform", environment("production", { externalId: ID }), true],
    ["not, with a parent that is not there", environment("x", { name: "y" }), false],
    ["not, with an id that nobody has", environment("z", { externalId: CLUSTER }), false],
  ])("is recognized %s, by the object's parents alone", (_how, child, expected) => {
    const objects = [web, environment("staging", { name: "web" })];
    const asked: string[] = [];
    const cache: Cache = {
      get: ({ kind, name }) => {
        asked.push(name);
        return objects.find((one) => one.kind === kind && one.metadata.name === name);
      },
      list: (kind) => objects.filter((one) => one.kind === kind),
    };
    expect(createFactCache().isBelow(child, (one) => one === web, cache)).toBe(expected);
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  it("ends in a circle", () => {
    const cache: Cache = { get: () => application, list: () => [] };
    expect(createFactCache().isBelow(application, () => false, cache)).toBe(false);
  });
});
