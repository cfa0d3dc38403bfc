import { describe, expect, it } from "vitest";

import type { Fact } from "./facts.ts";
import { dataOf, dotOf, hierarchyOf } from "./hierarchy.ts";

function fact(kind: string, name: string, parent?: Fact): Fact {
  return {
    id: `${kind}/shop/${name}`,
    kind,
    namespace: "shop",
    name,
    parent: parent?.id,
    mark: "ready",
    state: "",
    reason: "Available",
    message: "It is there.",
    since: "",
    commit: "",
    externalId: "",
  };
}

const project = fact("PlatformProject", "web");
const staging = fact("PlatformEnvironment", "staging", project);
const api = { ...fact("PlatformApplication", "api", staging), state: "DEPLOYED", commit: "1a2b3c4", externalId: "x" };
const lost = fact("PlatformApplication", "lost", fact("PlatformEnvironment", "gone"));

describe("a hierarchy", () => {
  it("has parents above children and what has lost its parent at the root", () => {
    expect(hierarchyOf([lost, api, staging, project])).toEqual([
      { fact: project, children: [{ fact: staging, children: [{ fact: api, children: [] }] }] },
      { fact: lost, children: [] },
    ]);
  });

  it("is plain data for other tools", () => {
    const common = { namespace: "shop", status: "ready", message: "It is there." };
    expect(dataOf(hierarchyOf([staging, api]))).toEqual([
      {
        ...common,
        kind: "PlatformEnvironment",
        name: "staging",
        state: "",
        reason: "Available",
        children: [
          {
            ...common,
            kind: "PlatformApplication",
            name: "api",
            state: "DEPLOYED",
            reason: "Available",
            commit: "1a2b3c4",
            externalId: "x",
            children: [],
          },
        ],
      },
    ]);
  });

  it("is a graph for Graphviz", () => {
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
});
