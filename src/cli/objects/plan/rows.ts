/** Summarizes a plan, one row per object. Pure. */
import { isPaused } from "../../../api/paused.ts";
import { conditionView } from "../../../console/tree/summary.ts";
import { stringMember } from "../../../kube/api/json.ts";
import type { KubeObject } from "../../../kube/api/types.ts";
import type { Problem } from "../../../operator/planning.ts";
import { lastDeployedCommit, reportedDrift, reportedPlan, type PlannedAction } from "../shared/plan-view.ts";

/** The planned change of one object of the platform. */
export interface PlanRow {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** E.g. "create", "update, deploy", "none", "error". */
  readonly action: string;
  /** The reason or a detail; "" if there is none. */
  readonly note: string;
  readonly actions: readonly PlannedAction[];
  /** The commit that is deployed. */
  readonly deployed?: string | undefined;
  readonly is: "change" | "none" | "error";
  /** The error that prevents the plan: the same for all objects of one connection. */
  readonly cause?: string;
}

export interface PlannedObject {
  /** The object after the engine has planned it. */
  readonly object: KubeObject;
  /** The object in the cluster; undefined for a new one. */
  readonly old: KubeObject | undefined;
  readonly problem: Problem | undefined;
}

/** @returns the row of an object */
export function rowOf(planned: PlannedObject): PlanRow {
  const { kind, metadata } = planned.object;
  const outcome = unplanned(planned) ?? withUnsent(planned, planOf(planned));
  return { kind, namespace: metadata.namespace ?? "", name: metadata.name, actions: [], ...outcome };
}

type Outcome = Pick<PlanRow, "action" | "note" | "is"> & Partial<Pick<PlanRow, "actions" | "deployed" | "cause">>;

const none = (note: string): Outcome => ({ action: "none", note, is: "none" });
const error = (note: string, cause: string): Outcome => ({ action: "error", note, is: "error", cause });

/** The row of an object that has no plan. */
function unplanned({ object, problem }: PlannedObject): Outcome | undefined {
  if (problem !== undefined) return error(problem.message, problem.cause);
  if (object.metadata.deletionTimestamp !== undefined) return none("it is being deleted");
  return isPaused(object) ? none("it is paused") : undefined;
}

/** The row of an object that was planned. */
function planOf(planned: PlannedObject): Outcome {
  return changes(planned) ?? failure(planned) ?? adopted(planned) ?? settled(planned);
}

/** Adds which settings cannot be sent, and why. */
function withUnsent({ object }: PlannedObject, outcome: Outcome): Outcome {
  const synced = conditionView(object, "SettingsSynced");
  if (synced?.status !== "False") return outcome;
  const unsent = `${synced.reason}: ${synced.message}`;
  return { ...outcome, note: outcome.note === "" ? unsent : `${outcome.note} ${unsent}` };
}

/** Lists the plan in status.plan; for an object whose parent does not exist yet, its creation. */
function changes({ object }: PlannedObject): Outcome | undefined {
  const { actions = [] } = reportedPlan(object) ?? {};
  if (actions.length > 0) {
    const verbs = [...new Set(actions.map(({ operation }) => verbOf(operation)))].join(", ");
    return { action: verbs, note: "", actions, deployed: lastDeployedCommit(object), is: "change" };
  }
  const ready = conditionView(object, "Ready");
  if (ready?.reason !== "ParentNotReady") return undefined;
  // The end of the message is dropped: the parent's reason is the reason of its plan, which differs after an apply.
  const [, parent] = /^Waiting for (\w+ "[^"]+")/.exec(ready.message) ?? [];
  const note = parent === undefined ? ready.message : `Will be created after ${parent}.`;
  return { action: "create", note, is: "change" };
}

/** The row of an object that needs a person, or whose plan failed. */
function failure({ object }: PlannedObject): Outcome | undefined {
  const ready = conditionView(object, "Ready");
  const synced = conditionView(object, "Synced");
  const unsynced = ready?.status !== "True" && synced?.status !== "True" ? ready : undefined;
  const found = conditionView(object, "Stalled") ?? unsynced ?? (synced?.status === "False" ? synced : undefined);
  return found === undefined ? undefined : error(`${found.reason}: ${found.message}`, found.message);
}

function adopted({ object, old }: PlannedObject): Outcome | undefined {
  const id = stringMember(object.status, "externalId");
  if (id === undefined || stringMember(old?.status, "externalId") !== undefined) return undefined;
  return { action: "adopt", note: id, is: "none" };
}

/** The row of an object without changes; an operation may be in progress, or the policies accept a difference. */
function settled({ object }: PlannedObject): Outcome {
  const ready = conditionView(object, "Ready");
  if (ready !== undefined && ready.status !== "True") return none(`${ready.reason}: ${ready.message}`);
  return none(reportedDrift(object).length > 0 ? "differences on the platform are not corrected" : "");
}

const VERBS: readonly (readonly [start: RegExp, verb: string])[] = [
  [/^(create|register)/, "create"],
  [/^(update|put|import)/, "update"],
  [/^deploy/, "deploy"],
  [/^stop/, "stop"],
  [/^restart/, "restart"],
  [/^upgrade/, "upgrade"],
  [/^delete/, "delete"],
];

/** "createVariable" changes its application, not the object of the row. */
function verbOf(operation: string): string {
  if (/(Variable|Secret)s?$/.test(operation)) return "update";
  return VERBS.find(([start]) => start.test(operation))?.[1] ?? operation;
}
