/** Builds the report of a database. Pure. */
import type { ConditionFact, DriftField, Report, StatusReason } from "../../engine/contract/kind.ts";
import type { Database } from "../../platform/areas/databases.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { deploymentFailure, failureFacts, lastFailure } from "../service/failure.ts";
import { serviceRecord } from "../service/model.ts";
import { carries, hasFailed } from "../service/progress.ts";
import { serviceReport, stoppingOf, upToDateCondition } from "../service/report.ts";
import { writtenSettings } from "../service/settings.ts";
import { redeployRefusal } from "../shared/redeploy.ts";
import { scheduledReport } from "../shared/run-schedule.ts";
import { fitOptional } from "../shared/text.ts";
import { connectionSecretReport } from "./connection-secret.ts";
import type { DatabaseMemory } from "./crd.ts";
import { type DatabaseFacts, databaseFacts } from "./facts.ts";
import { DATABASE_SETTINGS, type DatabaseContext, NAMES, type Observed, typeCheckOf, typeCondition } from "./model.ts";

/** Builds the report. */
export function report(context: DatabaseContext, observed: Observed): Report {
  const facts = databaseFacts(context, observed);
  return scheduledReport(NAMES, context, facts.run, unscheduledReport(context, observed, facts));
}

function unscheduledReport(context: DatabaseContext, observed: Observed, facts: DatabaseFacts): Report {
  const why = ready(context, observed, facts);
  const types = typeCondition(context, observed);
  const typeCheck = typeCheckOf(context, observed);
  // A database that does not belong to this resource, or not yet, is neither reported nor remembered.
  if (context.identitySource !== "recorded") return { ready: why, conditions: types, status: { typeCheck } };
  const { memory } = context;
  const { last, progress, run } = facts;
  const failure = failureFacts(context, progress, last, (state) => deploymentFailure(NAMES, last, state));
  const secret = connectionSecretReport(context, observed, last);
  return {
    ...serviceReport({ ...NAMES, settings: DATABASE_SETTINGS }, context, observed, facts, {
      ...secret,
      ready: why,
      redeployRefusal: redeployRefusal(NAMES.noun, context, run.wanted),
      conditions: [...types, ...upToDate(facts), ...secret.conditions],
      status: {
        typeCheck,
        ...secret.status,
        ...shownRecord({ ...serviceRecord(context, observed) }),
        // The documented surface shows the deployment status only in answers, and not what it is later.
        ...(context.isFull ? {} : { serviceDeploymentStatus: undefined }),
        written: observed.status === undefined ? memory.written : writtenSettings(DATABASE_SETTINGS, context),
        stopRequestId: stoppingOf(context, observed) === undefined ? undefined : memory.stopRequestId,
      },
      lastFailure: lastFailure(context, observed, progress, failure),
      drift: observed.status === undefined ? undefined : drift(observed, facts),
    }),
    notObservableAfterwards: !context.isFull && memory.lastDeployment !== undefined,
  };
}

const SHOWN = ["name", "type", "version", "mode", "createdAt", "updatedAt"] as const;

/** Returns the members of the platform's record for the status, which keeps what the platform shows only once. */
export function shownRecord(record: Partial<Database>): Partial<DatabaseMemory> {
  const shown = SHOWN.map((name) => [name, fitOptional(record[name])] as const);
  return Object.fromEntries(shown.filter(([, value]) => value !== undefined));
}

function ready(context: DatabaseContext, { status, unknownState }: Observed, { run }: DatabaseFacts): StatusReason {
  if (unknownState !== undefined) return unknownState;
  const phase = servicePhase(status?.state ?? "");
  const what = `Database "${context.spec.name}"`;
  if (phase === "running")
    return {
      reason: "Available",
      message: context.isFull
        ? `${what} runs.`
        : `${what} was deployed; the platform's surface does not show what became of it since.`,
    };
  return run.wanted === "Stopped"
    ? { reason: "Stopped", message: "The database is stopped, as spec.runState says." }
    : { reason: "NotDeployed", message: `${what} exists on the platform, and is not deployed.` };
}

/**
 * Reports whether the last change is deployed. For a database that was stopped before it ever ran there is no such
 * condition.
 */
function upToDate({ isPending, last, progress, run }: DatabaseFacts): readonly ConditionFact[] {
  const phase = progress?.phase;
  if (phase === undefined || (phase === "idle" && run.wanted === "Stopped")) return [];
  const isUpToDate = carries(phase, last) && last !== undefined && !isPending && !hasFailed(last);
  return [upToDateCondition(isUpToDate, "The settings that were written last are not deployed yet.")];
}

/** Returns drift of the deployment once the operator's own is over: changes of others that are not deployed. */
function drift({ status }: Observed, { isPending, last }: DatabaseFacts): readonly DriftField[] {
  const { state = "", serviceDeploymentStatus } = status ?? {};
  const isOver = last?.finishedAt !== undefined && servicePhase(state) === "running" && !isPending;
  return isOver && serviceDeploymentStatus === "OUT_OF_DATE"
    ? [{ path: "serviceDeploymentStatus", desired: "UP_TO_DATE", observed: "OUT_OF_DATE" }]
    : [];
}
