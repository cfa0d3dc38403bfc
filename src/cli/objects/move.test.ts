import { expect, it } from "vitest";

import { stored } from "../../../test/support/kube/stored.ts";
import { startScriptedCluster } from "../../../test/support/programs/scripted-cluster.ts";

it.each([
  ["3 after the timeout", ["--timeout=0s"], new AbortController().signal, 3],
  ["130 after Ctrl-C", [], AbortSignal.abort(), 130],
])("a move whose old resource stays ends with %s", async (_what, flags, signal, code) => {
  const status = { externalId: "0a1b2c3d-0000-4000-8000-000000000001" };
  const cluster = await startScriptedCluster((method, { pathname }) =>
    method === "GET" && pathname.includes("/team/") ? 404 : stored("PlatformApplication", "web", { status }),
  );
  const ended = await cluster.run(["move", "papp/web", "--to=team", ...flags], { signal });
  expect(ended).toMatchObject({ code, stderr: expect.stringMatching(/^papp\/web is still being deleted\./) });
  expect(cluster.arrived.at(-1)).toMatch(/^GET /);
});
