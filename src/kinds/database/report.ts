/** Builds a database's part of the report of a service. Pure. */
import type { ConditionFact, DriftField, Why } from "../../engine/contract/kind.ts";
import type { Database } from "../../platform/areas/databases.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { serviceRecord, type ServiceReport } from "../service/model.ts";
import { carries, shownProgress } from "../service/progress.ts";
import { stoppingOf, upToDateCondition, writtenSettings } from "../service/report.ts";
import { hasFailed } from "../service/trace.ts";
import { redeployRefusal } from "../shared/redeploy.ts";
import { fitOptional } from "../shared/text.ts";
import { connectionSecretReport } from "./connection-secret.ts";
import type { DatabaseMemory } from "./crd.ts";
import { DATABASE_SETTINGS, type DatabaseContext, NAMES, type Observed, typeCheckOf, typeCondition } from "./model.ts";
import { followedDatabase, isPending } from "./plan.ts";

/** Returns the advice on the type. */
export function reportAlways(context: DatabaseContext, observed: Observed): ServiceReport {
  return { conditions: typeCondition(context, observed), status: { typeCheck: typeCheckOf(context, observed) } };
}

export function report(context: DatabaseContext, observed: Observed): ServiceReport {
  const { memory } = context;
  // The documented surface shows the deployment status only in answers, and not what it is later.
  const secret = connectionSecretReport(context, observed);
  return {
    ...secret,
    redeployRefusal: redeployRefusal(NAMES.noun, context),
    notObservableAfterwards: !context.isFull && memory.lastDeployment !== undefined,
    conditions: [...upToDate(context, observed), ...secret.conditions],
    status: {
      ...secret.status,
      ...shownRecord({ ...serviceRecord(context, observed) }),
      ...(context.isFull ? {} : { serviceDeploymentStatus: undefined }),
      written: observed.status === undefined ? memory.written : writtenSettings(DATABASE_SETTINGS, context),
      stopRequestId: stoppingOf(context, observed) === undefined ? undefined : memory.stopRequestId,
    },
  };
}

const SHOWN = ["name", "type", "version", "mode", "createdAt", "updatedAt"] as const;

/** Returns the members of the platform's record for the status, which keeps what the platform shows only once. */
export function shownRecord(record: Partial<Database>): Partial<DatabaseMemory> {
  const shown = SHOWN.map((name) => [name, fitOptional(record[name])] as const);
  return Object.fromEntries(shown.filter(([, value]) => value !== undefined));
}

export function ready(context: DatabaseContext, { status, unseen }: Observed): Why {
  if (unseen !== undefined) return unseen;
  const phase = servicePhase(status?.state ?? "");
  const what = `Database "${context.spec.name}"`;
  if (phase === "running")
    return {
      reason: "Available",
      message: context.isFull
        ? `${what} runs.`
        : `${what} was deployed; the platform's surface does not show what became of it since.`,
    };
  return context.spec.runState === "Stopped"
    ? { reason: "Stopped", message: "The database is stopped, as spec.runState says." }
    : { reason: "NotDeployed", message: `${what} exists on the platform, and is not deployed.` };
}

/**
 * Reports whether the last change is deployed. For a database that was stopped before it ever ran there is no such
 * condition.
 */
function upToDate(context: DatabaseContext, observed: Observed): readonly ConditionFact[] {
  const phase = shownProgress(context, observed)?.phase;
  if (phase === undefined || (phase === "idle" && context.spec.runState === "Stopped")) return [];
  const last = followedDatabase(context, observed);
  const isUpToDate = carries(phase, last) && last !== undefined && !isPending(context, last) && !hasFailed(last);
  return [upToDateCondition(isUpToDate, "The settings that were written last are not deployed yet.")];
}

/** Returns drift of the deployment once the operator's own is over: changes of others that are not deployed. */
export function drift(context: DatabaseContext, observed: Observed): readonly DriftField[] {
  const last = followedDatabase(context, observed);
  const { state = "", serviceDeploymentStatus } = observed.status ?? {};
  const isOver = last?.finishedAt !== undefined && servicePhase(state) === "running" && !isPending(context, last);
  return isOver && serviceDeploymentStatus === "OUT_OF_DATE"
    ? [{ path: "serviceDeploymentStatus", desired: "UP_TO_DATE", observed: "OUT_OF_DATE" }]
    : [];
}
