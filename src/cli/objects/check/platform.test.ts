import { describe, expect, it } from "vitest";

import { manualClock } from "../../../../test/support/kube/clock.ts";
import { startScriptedCluster } from "../../../../test/support/programs/scripted-cluster.ts";
import { KubeError } from "../../../kube/api/errors.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import { CliError } from "../../base/exit.ts";
import { checkConnections, checkObjects, checkPlatform } from "./platform.ts";

const forbidden = new KubeError("Forbidden", 403, "GET /x: 403");

/** An empty cluster in which some kinds, or all, may not be listed. */
function hiding(...kinds: readonly string[]): ClusterClient {
  const list: ClusterClient["list"] = async (kind) => {
    if (kinds.length === 0 || kinds.includes(kind)) throw forbidden;
    return [];
  };
  return { namespace: "shop", list } as ClusterClient;
}

describe("a check of kinds that the user may not list", () => {
  it("leaves open whether there is a connection", async () => {
    expect(await checkConnections(hiding("ClusterPlatformConnection"))).toEqual([
      { what: "connections", is: "unknown", detail: "you may not list clusterplatformconnections" },
    ]);
    expect(await checkConnections(hiding("PlatformProject"))).toMatchObject([{ what: "connections", is: "failed" }]);
  });

  it("leaves open whether an object is Stalled", async () => {
    expect(await checkObjects(hiding())).toMatchObject([{ is: "unknown" }]);
    expect(await checkObjects(hiding("PlatformProject"))).toMatchObject([
      { is: "ok", detail: "none of 0 is Stalled" },
      { is: "unknown", detail: "you may not list platformprojects" },
    ]);
  });

  const errors = [forbidden, new CliError("There is no connection.")];
  it.each(errors)("leaves open whether the platform answers when its connection cannot be read: %s", async (error) => {
    const names = { namespace: "", operatorNamespace: "ops", serviceAccount: "platform-operator" };
    const access = () => Promise.reject(error);
    const context = { ...names, cluster: hiding(), access, clock: manualClock() };
    expect(await checkPlatform(context)).toMatchObject([{ what: "platform", is: "unknown" }]);
  });
});

it("check --wait exits with 130 after Ctrl-C and prints its last findings", async () => {
  const cluster = await startScriptedCluster(() => 500);
  const ended = await cluster.run(["check", "--wait=1m"], { signal: AbortSignal.abort() });
  expect(ended).toMatchObject({ code: 130, stdout: expect.stringMatching(/^✘ cluster /) });
  expect(cluster.arrived).toEqual(["GET /version"]);
});
