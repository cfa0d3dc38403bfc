import { describe, expect, it } from "vitest";

import { stored } from "../../../test/support/kube/stored.ts";
import { applicationOf } from "../../../test/support/platform/status-page-objects.ts";
import { objectSummary } from "../../../test/support/platform/summaries.ts";
import type { Cache, JsonObject, KubeObject } from "../../kube/api/types.ts";
import { below, createSummaryCache, dataOf, dotOf, summariesOf, hierarchyOf } from "./hierarchy.ts";

const project = objectSummary("PlatformProject", "web");
const staging = objectSummary("PlatformEnvironment", "staging", { parent: project.id });
const deployed = { state: "DEPLOYED", commit: "1a2b3c4", externalId: "x" };
const api = objectSummary("PlatformApplication", "api", { parent: staging.id, ...deployed });

it("a hierarchy of objects is plain data for other programs", () => {
  const common = { namespace: "shop", status: "ready", reason: "Available", message: "It is there." };
  const application = { ...common, kind: "PlatformApplication", name: "api", ...deployed, children: [] };
  expect(dataOf(hierarchyOf([staging, api]))).toEqual([
    { ...common, kind: "PlatformEnvironment", name: "staging", state: "", children: [application] },
  ]);
});

it("a hierarchy of objects is a graph for Graphviz", () => {
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
  ["by name, also where that does not exist", environment("staging", { name: "gone" }), "PlatformProject/shop/gone"],
  ["by its id on the platform", environment("staging", { externalId: ID }), "PlatformProject/shop/web"],
  ["not by an unknown id", environment("staging", { externalId: CLUSTER }), undefined],
  ["not in an invalid spec", environment("staging", { name: 3 }), undefined],
  ["not for a project", web, undefined],
  ["by name for an application", application, "PlatformEnvironment/shop/staging"],
])("the parent of an object is found %s", (_how, child, parent) => {
  expect(summariesOf([web, child]).at(-1)?.parent).toBe(parent);
});

describe("what is below an object in the hierarchy", () => {
  it("is the object, its children and their children", () => {
    const environments = [environment("staging", { name: "web" }), environment("x", { name: "y" })];
    const summaries = summariesOf([web, ...environments, application]);
    expect(below(summaries, "PlatformProject/shop/web").map(({ name }) => name)).toEqual(["web", "staging", "api"]);
    expect(below(summaries, "PlatformProject/shop/none")).toEqual([]);
  });

  it.each<[string, KubeObject, boolean]>([
    ["contains the object itself", web, true],
    ["contains a child of a child, by their names", application, true],
    [
      "contains a child that names its parent's id on the platform",
      environment("production", { externalId: ID }),
      true,
    ],
    ["omits a child of a parent that does not exist", environment("x", { name: "y" }), false],
    ["omits a child of an unknown id", environment("z", { externalId: CLUSTER }), false],
  ])("%s, and reads only the parents for it", (_what, child, expected) => {
    const objects = [web, environment("staging", { name: "web" })];
    const asked: string[] = [];
    const cache: Cache = {
      get: ({ kind, name }) => {
        asked.push(name);
        return objects.find((one) => one.kind === kind && one.metadata.name === name);
      },
      list: (kind) => objects.filter((one) => one.kind === kind),
    };
    expect(createSummaryCache().isBelow(child, (one) => one === web, cache)).toBe(expected);
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  it("is computed also where parents form a circle", () => {
    const cache: Cache = { get: () => application, list: () => [] };
    expect(createSummaryCache().isBelow(application, () => false, cache)).toBe(false);
  });
});
