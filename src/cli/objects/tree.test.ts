import { describe, expect, it } from "vitest";

import { startScriptedCluster } from "../../../test/support/programs/scripted-cluster.ts";

describe("tree --watch", () => {
  it("fails where the user may list no kind", async () => {
    const cluster = await startScriptedCluster(() => 403);
    try {
      const { code, stdout, stderr } = await cluster.run(["tree", "-w"]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/\nYou may not do this in the cluster: GET \S+: 403 Forbidden\.\n$/);
    } finally {
      await cluster.stop();
    }
  });

  it.each(["json", "yaml", "name", "dot"])("takes no -o %s", async (format) => {
    const cluster = await startScriptedCluster(() => 500);
    try {
      const { code, stderr } = await cluster.run(["tree", "-w", "-o", format]);
      expect(code).toBe(64);
      expect(stderr).toMatch(/^--watch takes -o table or wide\.\n\nUsage: /);
    } finally {
      await cluster.stop();
    }
  });
});
