/** Writes the outputs of a kind: a ConfigMap and a Secret beside the object. */
import { isKube } from "../../kube/api/errors.ts";
import type { JsonObject } from "../../kube/api/types.ts";
import type { Why } from "../contract/kind.ts";
import { backoff } from "../contract/requeue.ts";
import type { ReconcileResult } from "./build.ts";
import { type Ended, idToStore, memoryToStore, type Reconciliation } from "./reconciliation.ts";

/**
 * Writes the outputs of a report. A ConfigMap or Secret of somebody else is not overwritten; the object reports that,
 * and a Secret that the operator may not write.
 * @returns the result, which differs if an output cannot be written
 * @throws KubeError
 */
export async function writeOutputs(r: Ended, result: ReconcileResult): Promise<ReconcileResult> {
  const { ports, object } = r;
  const { output, secret, learned } = r.report ?? {};
  if (learned !== undefined) keepUnsaved(r, learned);
  if (output !== undefined) {
    try {
      await ports.outputs.configMap(object, output.name, output.data);
    } catch (error) {
      if (!isKube(error, "Conflict")) throw error;
      // The report describes the content of the ConfigMap, which does not exist.
      r.report = undefined;
      return unwritten(r, notOurs("ConfigMap", output.name));
    }
  }
  if (secret === undefined) return result;
  try {
    await ports.outputs.secret(object, secret.name, secret.data);
  } catch (error) {
    const why = secretRefusal(error, secret.name);
    if (why === undefined) throw error;
    // Another problem of the object is reported first. The next reconcile tries to write the Secret again.
    return result.is === "settled" || result.is === "unknown" ? unwritten(r, why) : result;
  }
  keepUnsaved(r, secret.status);
  return result;
}

/**
 * Adds members of status to the unsaved facts, so that the next reconcile knows them even if the write of the status is
 * delayed.
 */
function keepUnsaved(r: Ended, status: JsonObject): void {
  const { local, report, object } = r;
  const { intentClosed = false } = local.unsaved ?? {};
  local.unsaved = { id: idToStore(r), memory: { ...memoryToStore(r), ...status }, intentClosed, over: object.status };
  if (report !== undefined) r.report = { ...report, status: { ...report.status, ...status } };
}

function secretRefusal(error: unknown, name: string): Why | undefined {
  if (isKube(error, "Conflict")) return notOurs("Secret", name);
  if (isKube(error, "Invalid")) {
    const message = `The API server does not accept Secret "${name}", perhaps because of an admission policy of the cluster. The operator tries again.`;
    return { reason: "PermissionDenied", message };
  }
  if (!isKube(error, "Forbidden")) return undefined;
  const message = `The operator may not write Secret "${name}" in this namespace. A cluster admin can bind the ClusterRole platform-operator-secret-outputs to the operator's ServiceAccount here; with the chart, add the namespace to rbac.secretOutputs.`;
  return { reason: "PermissionDenied", message };
}

function notOurs(kind: "ConfigMap" | "Secret", name: string): Why {
  const message = `${kind} "${name}" exists and belongs to something else, so nothing is written to it. Rename or delete it.`;
  return { reason: "NameConflict", message };
}

function unwritten({ ports, local }: Reconciliation, why: Why): ReconcileResult {
  local.failures += 1;
  const again = backoff(local.failures, ports.windows, ports.random());
  return { is: "stalled", why, exchange: "ok", again };
}
