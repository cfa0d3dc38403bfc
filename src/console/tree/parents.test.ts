import { describe, expect, it } from "vitest";

import type { Cache, JsonObject, KubeObject } from "../../kube/api/types.ts";
import { below, createFactCache, factsOf } from "./hierarchy.ts";

const ID = "0a1b2c3d-0000-4000-8000-000000000001";
const CLUSTER = "0a1b2c3d-0000-4000-8000-0000000000c1";

function object(kind: string, name: string, spec: JsonObject, status: JsonObject = {}): KubeObject {
  return {
    apiVersion: "platform-operator.io/v1alpha1",
    kind,
    metadata: { name, namespace: "shop", uid: name, resourceVersion: "1" },
    spec,
    status,
  };
}

const project = object("PlatformProject", "web", { name: "Web" }, { externalId: ID });
const environment = (name: string, projectRef: JsonObject): KubeObject =>
  object("PlatformEnvironment", name, { name, projectRef, clusterRef: { externalId: CLUSTER } });
const application = object("PlatformApplication", "api", {
  name: "api",
  environmentRef: { name: "staging" },
  gitRepository: { url: "https://git.example.com/a/b.git" },
});

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
  const facts = factsOf([
    project,
    environment("staging", { name: "web" }),
    application,
    environment("x", { name: "y" }),
  ]);

  it("is the object itself and all that hangs from it", () => {
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
