import { describe, expect, it } from "vitest";

import { fact } from "../../../test/support/platform/facts.ts";
import { dataOf, dotOf, hierarchyOf } from "./hierarchy.ts";

const project = fact("PlatformProject", "web");
const staging = fact("PlatformEnvironment", "staging", { parent: project.id });
const deployed = { state: "DEPLOYED", commit: "1a2b3c4", externalId: "x" };
const api = fact("PlatformApplication", "api", { parent: staging.id, ...deployed });
const lost = fact("PlatformApplication", "lost", { parent: "PlatformEnvironment/shop/gone" });

describe("a hierarchy", () => {
  it("has parents above children and what has lost its parent at the root", () => {
    expect(hierarchyOf([lost, api, staging, project])).toEqual([
      { fact: project, children: [{ fact: staging, children: [{ fact: api, children: [] }] }] },
      { fact: lost, children: [] },
    ]);
  });

  it("is plain data for other tools", () => {
    const common = { namespace: "shop", status: "ready", reason: "Available", message: "It is there." };
    const application = { ...common, kind: "PlatformApplication", name: "api", ...deployed, children: [] };
    expect(dataOf(hierarchyOf([staging, api]))).toEqual([
      { ...common, kind: "PlatformEnvironment", name: "staging", state: "", children: [application] },
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
