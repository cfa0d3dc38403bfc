import { describe, expect, it } from "vitest";

import { manualClock } from "../../../../test/support/kube/clock.ts";
import { API_VERSION } from "../../../api/names.ts";
import { KubeError } from "../../../kube/api/errors.ts";
import type { KubeRequest } from "../../../kube/api/transport.ts";
import type { Json, KubeObject } from "../../../kube/api/types.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import type { Manifest } from "./manifests.ts";
import { planManifests } from "./overlay.ts";

const KIND = "ClusterPlatformConnection";
const connection: KubeObject = {
  apiVersion: API_VERSION,
  kind: KIND,
  metadata: { name: "shared", uid: "1", resourceVersion: "7", generation: 3 },
  spec: {},
};
const manifest: Manifest = {
  apiVersion: API_VERSION,
  kind: KIND,
  name: "shared",
  namespace: undefined,
  body: { apiVersion: API_VERSION, kind: KIND, metadata: { name: "shared" }, spec: { baseUrl: 1 } },
  file: "shared.yaml",
};

/** A cluster that rejects every write, and records writes. */
function having(list: ClusterClient["list"], find: ClusterClient["find"]) {
  const writes: KubeRequest[] = [];
  const request = async (one: KubeRequest): Promise<Json> => {
    if (one.method === "GET") throw new KubeError("NotFound", 404, "it does not exist");
    writes.push(one);
    throw new KubeError("Invalid", 422, "spec.baseUrl");
  };
  const cluster = { client: { request }, namespace: "shop", list, find } as unknown as ClusterClient;
  return { cluster, writes };
}

describe("a plan of cluster-scoped manifests", () => {
  it.each<[string, ClusterClient["list"], ClusterClient["find"]]>([
    ["that the user may list", async (kind) => (kind === KIND ? [connection] : []), async () => undefined],
    [
      "that the user may only get",
      async () => {
        throw new KubeError("Forbidden", 403, "GET /x: 403");
      },
      async () => connection,
    ],
  ])("finds objects %s", async (_what, list, find) => {
    const { cluster, writes } = having(list, find);
    const rows = await planManifests([manifest], {
      cluster,
      clock: manualClock(),
      rules: { allowedPlatformHosts: [], allowInsecurePlatform: false },
      operatorNamespace: "platform-operator",
      report: () => {},
    });
    expect(rows).toMatchObject([{ name: "shared", action: "error", note: expect.stringContaining("spec.baseUrl") }]);
    expect(writes).toMatchObject([{ method: "PATCH", path: `/apis/${API_VERSION}/clusterplatformconnections/shared` }]);
  });
});
