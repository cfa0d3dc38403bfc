/** Writes the outputs of a kind: a ConfigMap and a Secret beside the object. */
import { isKube, KubeError } from "../../kube/api/errors.ts";
import type { JsonObject } from "../../kube/api/types.ts";
import type { Why } from "../contract/kind.ts";
import { backoff } from "../contract/requeue.ts";
import type { ReconcileResult } from "./outcome.ts";
import { idToStore, memoryToStore, type Reconciliation, type Resolved, type Unresolved } from "./reconciliation.ts";

/**
 * Writes the outputs of a report. A ConfigMap or Secret of somebody else is not overwritten; the object reports that,
 * and one that the operator may not write.
 * @returns the result, which differs if an output cannot be written
 * @throws KubeError
 */
export async function writeOutputs(r: Unresolved | Resolved, result: ReconcileResult): Promise<ReconcileResult> {
  const { ports, object } = r;
  const { output, secret, learned } = r.report ?? {};
  if (learned !== undefined) keepLearned(r, learned);
  if (output !== undefined) {
    try {
      await ports.outputs.configMap(object, output.name, output.data);
    } catch (error) {
      const why = refusalOf(error, "ConfigMap", output.name);
      if (why === undefined) throw error;
      // The report describes the content of the ConfigMap, which was not written.
      r.report = undefined;
      return unwritten(r, why);
    }
  }
  if (secret === undefined) return result;
  try {
    await ports.outputs.secret(object, secret.name, secret.data);
  } catch (error) {
    const why = refusalOf(error, "Secret", secret.name);
    if (why === undefined) throw error;
    // Another problem of the object is reported first. The next reconcile tries to write the Secret again.
    return result.is === "settled" || result.is === "unknown" ? unwritten(r, why) : result;
  }
  keepLearned(r, secret.status);
  return result;
}

/** Keeps members of status that no later reconcile can find out, also while the write of the status is delayed. */
function keepLearned(r: Unresolved | Resolved, status: JsonObject): void {
  const { local, report, object } = r;
  local.persistence.noteLearned(object, { id: idToStore(r), memory: { ...memoryToStore(r), ...status } });
  if (report !== undefined) r.report = { ...report, status: { ...report.status, ...status } };
}

type Output = "ConfigMap" | "Secret";

/** The roles that allow to write outputs, and the values of the chart that bind them in a namespace. */
const ROLES: Readonly<Record<Output, readonly [role: string, value: string]>> = {
  ConfigMap: ["platform-operator-configmap-outputs", "rbac.configMapOutputs"],
  Secret: ["platform-operator-secret-outputs", "rbac.secretOutputs"],
};

/** Returns why an output cannot be written; undefined for other errors. */
function refusalOf(error: unknown, kind: Output, name: string): Why | undefined {
  if (!(error instanceof KubeError) || !isKube(error, "Conflict", "Invalid", "Forbidden")) return undefined;
  if (error.failure === "Conflict") return notOurs(kind, name);
  const [role, value] = ROLES[kind];
  const refuser = error.refusedBy();
  const denied = (message: string): Why => ({ reason: "PermissionDenied", message });
  if (refuser !== undefined) {
    return denied(`${refuser} does not let the operator write ${kind} "${name}" in this namespace. It tries again.`);
  }
  if (error.failure === "Invalid") {
    return denied(
      `The API server does not accept ${kind} "${name}", perhaps because of an admission policy of the cluster. The operator tries again.`,
    );
  }
  return denied(
    `The operator may not write ${kind} "${name}" in this namespace. A cluster admin can bind the ClusterRole ${role} to the operator's ServiceAccount here; with the chart, add the namespace to ${value}.`,
  );
}

function notOurs(kind: Output, name: string): Why {
  const message = `${kind} "${name}" exists and belongs to something else, so nothing is written to it. Rename or delete it.`;
  return { reason: "NameConflict", message };
}

function unwritten({ ports, local }: Reconciliation, why: Why): ReconcileResult {
  local.failures.count += 1;
  const again = backoff(local.failures.count, ports.windows, ports.random());
  return { is: "stalled", why, exchange: "ok", again };
}
