/** Checks that an operator is running. */
import { ageOf } from "../../../console/tree/duration.ts";
import { KubeError } from "../../../kube/api/errors.ts";
import { member, stringMember } from "../../../kube/api/json.ts";
import { LEASE as LEASES, objectPath } from "../../../kube/api/paths.ts";
import type { Clock, Json } from "../../../kube/api/types.ts";
import { LEASE } from "../../../operator/config/rbac.ts";
import type { Cluster } from "../../base/cluster.ts";
import { failed, ok, unknown, type Finding } from "./finding.ts";

const WHAT = "operator";
/** The largest difference between the clocks of this machine and of the operator's, in milliseconds. */
const SKEW_MS = 60_000;

/** Checks the lease of the leader. @throws KubeError */
export async function checkOperator(cluster: Cluster, namespace: string, clock: Clock): Promise<readonly Finding[]> {
  try {
    const path = objectPath(LEASES, { namespace, name: LEASE });
    const lease = await cluster.client.request({ method: "GET", path });
    return [judge(lease, namespace, clock.now())];
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (error.failure === "Forbidden") return [unknown(WHAT, `you may not see its lease in namespace "${namespace}"`)];
    if (error.failure !== "NotFound") throw error;
    const advice =
      "Install it, or name its namespace with --operator-namespace. With --leader-elect=false there is no lease.";
    return [failed(WHAT, `there is no lease ${LEASE} in namespace "${namespace}". ${advice}`)];
  }
}

function judge(lease: Json, namespace: string, now: Date): Finding {
  const spec = member(lease, "spec");
  const holder = stringMember(spec, "holderIdentity") ?? "";
  const renewed = stringMember(spec, "renewTime");
  const seconds = member(spec, "leaseDurationSeconds");
  const lasts = (typeof seconds === "number" ? seconds : 15) * 1_000 + SKEW_MS;
  const age = now.getTime() - Date.parse(renewed ?? "");
  const look = `Look at its Pods: kubectl get pods -n ${namespace}`;
  if (holder === "") return failed(WHAT, `nobody holds the lease: no operator runs. ${look}`);
  if (!(age <= lasts)) return failed(WHAT, `${holder} has not renewed the lease for ${ageOf(renewed, now)}. ${look}`);
  return ok(WHAT, `${holder} leads`);
}
