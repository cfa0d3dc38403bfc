import { expect, it } from "vitest";

import { manualClock } from "../../../../test/support/kube/clock.ts";
import { stored } from "../../../../test/support/kube/stored.ts";
import { API_VERSION } from "../../../api/names.ts";
import { KubeError } from "../../../kube/api/errors.ts";
import type { KubeRequest } from "../../../kube/api/transport.ts";
import type { Json } from "../../../kube/api/types.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import type { Manifest } from "./manifests.ts";
import { planManifests } from "./overlay.ts";

const KIND = "ClusterPlatformConnection";
const connection = stored(KIND, "shared", { metadata: { namespace: "" } });
const body = { apiVersion: API_VERSION, kind: KIND, metadata: { name: "shared" }, spec: { baseUrl: 1 } };
const named = { apiVersion: API_VERSION, kind: KIND, name: "shared", namespace: undefined };
const manifest: Manifest = { ...named, body };

it.each([
  ["list", true],
  ["get but not list", false],
])("a plan of cluster-scoped manifests finds existing objects that the user may %s", async (_what, mayList) => {
  const writes: KubeRequest[] = [];
  const request = async (one: KubeRequest): Promise<Json> => {
    if (one.method === "GET") throw new KubeError("NotFound", 404, "it does not exist");
    writes.push(one);
    throw new KubeError("Invalid", 422, "spec.baseUrl");
  };
  const list: ClusterClient["list"] = async (kind) => {
    if (!mayList) throw new KubeError("Forbidden", 403, "GET /x: 403");
    return kind === KIND ? [connection] : [];
  };
  const find: ClusterClient["find"] = async () => (mayList ? undefined : connection);
  const rows = await planManifests([manifest], {
    cluster: { client: { request }, namespace: "shop", list, find } as unknown as ClusterClient,
    clock: manualClock(),
    rules: { allowedPlatformHosts: [], allowInsecurePlatform: false },
    operatorNamespace: "platform-operator",
    report: () => {},
  });
  expect(rows).toMatchObject([{ name: "shared", action: "error", note: expect.stringContaining("spec.baseUrl") }]);
  expect(writes).toMatchObject([{ method: "PATCH", path: `/apis/${API_VERSION}/clusterplatformconnections/shared` }]);
});
