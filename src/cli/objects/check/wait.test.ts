import { describe, expect, it } from "vitest";

import { startScriptedCluster } from "../../../../test/support/programs/scripted-cluster.ts";

describe("check --wait", () => {
  it("ends with 130 after Ctrl-C, and shows what it found last", async () => {
    const cluster = await startScriptedCluster(() => 500);
    try {
      const ended = await cluster.run(["check", "--wait=1m"], { signal: AbortSignal.abort() });
      expect(ended).toMatchObject({ code: 130, stdout: expect.stringMatching(/^✗ cluster /) });
      expect(cluster.arrived).toEqual(["GET /version"]);
    } finally {
      await cluster.stop();
    }
  });
});
