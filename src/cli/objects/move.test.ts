import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startScriptedCluster } from "../../../test/support/programs/scripted-cluster.ts";
import { API_VERSION } from "../../api/names.ts";

const application = {
  apiVersion: API_VERSION,
  kind: "PlatformApplication",
  metadata: { name: "web", namespace: "shop", uid: "1", resourceVersion: "1", generation: 1 },
  spec: {},
  status: { externalId: "0a1b2c3d-0000-4000-8000-000000000001" },
};

describe("a move whose old resource stays", () => {
  let cluster: Awaited<ReturnType<typeof startScriptedCluster>>;
  beforeAll(async () => {
    cluster = await startScriptedCluster((method, { pathname }) =>
      method === "GET" && pathname.includes("/team/") ? 404 : application,
    );
  });
  afterAll(() => cluster.stop());

  it.each([
    ["3 after the timeout", ["--timeout=0s"], new AbortController().signal, 3],
    ["130 after Ctrl-C", [], AbortSignal.abort(), 130],
  ])("ends with %s", async (_what, flags, signal, code) => {
    const ended = await cluster.run(["move", "papp/web", "--to=team", ...flags], { signal });
    expect(ended).toMatchObject({ code, stderr: expect.stringMatching(/^papp\/web is still being deleted\./) });
    expect(cluster.arrived.at(-1)).toMatch(/^GET /);
  });
});
