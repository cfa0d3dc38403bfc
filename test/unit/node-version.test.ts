import { describe, expect, it } from "vitest";

import manifest from "../../package.json" with { type: "json" };
import { nodeRefusal } from "../../src/node-version.ts";

describe("the version of Node", () => {
  it.each(["24.0.0", "24.21.0", "25.1.0", "100.0.0"])("%s is accepted", (version) => {
    expect(nodeRefusal(version, "/usr/bin/node")).toBeUndefined();
  });

  it.each(["8.17.0", "18.20.8", "20.20.2", "23.11.1"])("%s is refused, with the version that is needed", (version) => {
    expect(nodeRefusal(version, "/usr/bin/node")).toBe(
      `The operator and its kubectl plugin need Node 24 or later; this is Node ${version} (/usr/bin/node).\nInstall Node 24, or put it first on the PATH.\n`,
    );
  });

  it("in package.json is the one that the check requires", () => {
    expect(manifest.engines.node).toBe(">=24");
  });
});
