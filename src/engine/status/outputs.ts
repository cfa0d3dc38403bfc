/** Writes the objects that a kind has beside its own: a ConfigMap, a Secret. */
import { isKube } from "../../kube/api/errors.ts";
import type { JsonObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import type { Kind, Why, KindTypes, RatedApi } from "../contract/kind.ts";
import { backoff } from "../contract/requeue.ts";
import { memoryOf, type Done } from "./done.ts";

/**
 * Writes the outputs of a report. An object of somebody else is not overwritten, and that is reported; so is a Secret
 * that the operator may not write. @throws KubeError
 */
export async function writeOutputs<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  done: Done,
): Promise<Done> {
  const { output, secret } = done.report ?? {};
  if (output !== undefined) {
    try {
      await ports.outputs.configMap(done.object, output.name, output.data);
    } catch (error) {
      if (!isKube(error, "Conflict")) throw error;
      // The report is true only of content that exists.
      return unwritten(ports, { ...done, report: undefined }, notOurs("ConfigMap", output.name));
    }
  }
  if (secret === undefined) return done;
  try {
    await ports.outputs.secret(done.object, secret.name, secret.data);
  } catch (error) {
    const why = secretRefusal(error, secret.name);
    if (why === undefined) throw error;
    return unwritten(ports, done, why);
  }
  return written(kind, done, secret.status);
}

/** Adds what is known once the Secret exists. A status that is held back must not have it read and written again. */
function written<K extends KindTypes>(kind: Kind<K>, done: Done, status: JsonObject): Done {
  const { local, report, object } = done;
  const { intentClosed = false } = local.unsaved ?? {};
  const memory = { ...memoryOf(kind, done), ...status };
  local.unsaved = { id: done.id, memory, intentClosed, over: object.status };
  return report === undefined ? done : { ...done, report: { ...report, status: { ...report.status, ...status } } };
}

function secretRefusal(error: unknown, name: string): Why | undefined {
  if (isKube(error, "Conflict")) return notOurs("Secret", name);
  if (!isKube(error, "Forbidden")) return undefined;
  const message = `The operator may not write Secret "${name}": nothing is granted in this namespace. A cluster admin can bind the ClusterRole platform-operator-secret-outputs to the operator's ServiceAccount here.`;
  return { reason: "PermissionDenied", message };
}

function notOurs(kind: "ConfigMap" | "Secret", name: string): Why {
  const message = `${kind} "${name}" exists and belongs to something else, so nothing is written to it. Rename or delete it.`;
  return { reason: "NameConflict", message };
}

function unwritten<Api extends RatedApi>(ports: Ports<Api>, done: Done, why: Why): Done {
  done.local.failures += 1;
  return {
    ...done,
    result: { is: "stalled", why, exchange: "ok" },
    again: backoff(done.local.failures, ports.windows, ports.random()),
  };
}
