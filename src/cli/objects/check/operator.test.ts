import { describe, expect, it } from "vitest";

import { manualClock } from "../../../../test/support/kube/clock.ts";
import { KubeError } from "../../../kube/api/errors.ts";
import type { Json, KubeFailure } from "../../../kube/api/types.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import { checkOperator } from "./installation.ts";

const clock = manualClock();
const operatorNamespace = "platform-operator";

/** @param answers to the requests of leases, by their name; every other lease has the answer of the leader's */
function having(answer: Json | Error, answers: Readonly<Record<string, Json | Error>> = {}): ClusterClient {
  const request = ({ path }: { readonly path: string }): Promise<Json> => {
    const given = answers[path.split("/").at(-1) ?? ""] ?? answer;
    return given instanceof Error ? Promise.reject(given) : Promise.resolve(given);
  };
  return { client: { request } } as unknown as ClusterClient;
}
const leaseOf = (holderIdentity: string, ageMs: number): Json => ({
  spec: {
    holderIdentity,
    leaseDurationSeconds: 15,
    renewTime: new Date(clock.now().getTime() - ageMs).toISOString(),
  },
});
const lease = (holderIdentity: string, ageMs: number): ClusterClient => having(leaseOf(holderIdentity, ageMs));
const failing = (failure: KubeFailure): ClusterClient => having(new KubeError(failure, 0, failure));

describe("the check of the operator", () => {
  it.each<[string, ClusterClient, string, RegExp]>([
    ["that leads", lease("pod-1", 2_000), "ok", /^pod-1 leads$/],
    ["whose clock is not this one", lease("pod-1", 60_000), "ok", /^pod-1 leads$/],
    ["that went silent", lease("pod-1", 300_000), "failed", /^pod-1 has not renewed the lease for 5m\. Check its Pods/],
    ["that let go", lease("", 1_000), "failed", /^nobody holds the lease/],
    ["with an odd lease", having({ spec: { holderIdentity: "x", renewTime: "soon" } }), "failed", /^x has not renewed/],
    ["that is not there", failing("NotFound"), "failed", /^there is no lease .* Install it/],
    ["that may not be seen", failing("Forbidden"), "unknown", /^you may not see its lease/],
  ])("%s", async (_what, cluster, is, detail) => {
    expect(await checkOperator({ cluster, operatorNamespace, clock })).toEqual([
      { what: "operator", is, detail: expect.stringMatching(detail) },
    ]);
  });

  it("reports each shard", async () => {
    const cluster = having(leaseOf("shards-of-3", 2_000), {
      "platform-operator-shard-0": leaseOf("pod-0", 2_000),
      "platform-operator-shard-1": leaseOf("pod-1", 300_000),
      "platform-operator-shard-2": new KubeError("NotFound", 404, "NotFound"),
    });
    const pods = "Check its Pods: kubectl get pods -n platform-operator";
    expect(await checkOperator({ cluster, operatorNamespace, clock })).toEqual([
      { what: "operator", is: "ok", detail: "shards-of-3 leads" },
      { what: "shard 0", is: "ok", detail: "pod-0 leads" },
      { what: "shard 1", is: "failed", detail: `pod-1 has not renewed the lease for 5m. ${pods}` },
      { what: "shard 2", is: "failed", detail: `it has never held its lease. ${pods}` },
    ]);
  });

  it("ends where the API server cannot be asked", async () => {
    await expect(checkOperator({ cluster: failing("Unreachable"), operatorNamespace, clock })).rejects.toThrow(
      KubeError,
    );
  });
});
