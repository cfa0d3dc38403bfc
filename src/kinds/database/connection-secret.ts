/** The Secret that spec.writeConnectionSecretToRef names. Its values go nowhere else. Pure. */
import type { Report } from "../../engine/contract/kind.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { faultCondition, NOT_READ } from "../shared/answers.ts";
import type { ConnectionSecret, DatabaseDeployment } from "./crd.ts";
import type { DatabaseContext, Observed } from "./model.ts";

/**
 * Returns the Secret that is to be written now: once for each generation, deployment and reconcile request, after
 * somebody changed or deleted it, and not while the platform works on the database.
 * @param last the last deployment, with what is known of it now
 * @returns undefined where none is due
 */
export function connectionSecretDue(
  context: DatabaseContext,
  observed: Observed,
  last: DatabaseDeployment | undefined,
): Omit<ConnectionSecret, "resourceVersion"> | undefined {
  const { goal, identitySource, memory, records, requested, resource, spec } = context;
  const { status } = observed;
  const { writeConnectionSecretToRef: ref } = spec;
  const isIdle = status !== undefined && servicePhase(status.state) !== "busy";
  if (ref === undefined || goal !== "present" || identitySource !== "recorded" || !isIdle) return undefined;
  const startedAt = last?.finishedAt === undefined ? undefined : last.startedAt;
  const due = { secretName: ref.name, generation: resource.generation, startedAt };
  const isAsked = requested !== undefined || records.isSecretChanged;
  return !isAsked && isSame(memory.connectionSecret, due) ? undefined : due;
}

function isSame(
  written: ConnectionSecret | undefined,
  { secretName, generation, startedAt }: Omit<ConnectionSecret, "resourceVersion">,
): boolean {
  return written?.secretName === secretName && written.generation === generation && written.startedAt === startedAt;
}

/**
 * Returns the part of a report about the Secret. While its details are awaited or cannot be read, an earlier Secret
 * stays.
 */
export function connectionSecretReport(
  context: DatabaseContext,
  observed: Observed,
  last: DatabaseDeployment | undefined,
): Pick<Report, "conditions" | "status" | "secret"> {
  const { id = "", inputs, spec } = context;
  const { details = NOT_READ } = observed;
  const { fault, value } = details === "awaited" ? NOT_READ : details;
  const due = details === "awaited" ? undefined : connectionSecretDue(context, observed, last);
  const { name, environmentRef } = spec;
  const environment = environmentRef.name === undefined ? {} : { environment: environmentRef.name };
  const data = { id, name, environmentId: inputs.environmentId, ...environment, ...value };
  return {
    conditions: faultCondition("ConnectionDetails", fault),
    status: spec.writeConnectionSecretToRef === undefined ? { connectionSecret: undefined } : {},
    ...(due !== undefined &&
      fault === undefined && {
        secret: {
          name: due.secretName,
          data,
          metadata: spec.writeConnectionSecretToRef?.metadata,
          status: (resourceVersion) => ({ connectionSecret: { ...due, resourceVersion } }),
        },
      }),
  };
}
