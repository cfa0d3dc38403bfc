/** Plans an environment. Pure. */
import type { Plan, Uuid, Why } from "../../engine/contract/kind.ts";
import { firstOf } from "../shared/checks.ts";
import { nameMark } from "../shared/create-trace.ts";
import {
  adoptOrRefuse,
  alreadyManaged,
  checkLatecomers,
  notThere,
  otherName,
  outside,
  projectNotAllowed,
  sameName,
  isMisnamed,
} from "../shared/names.ts";
import { planUnshown, planUnshownRemoval } from "../shared/presence.ts";
import { fit, ID } from "../shared/text.ts";
import { driftOf, mineOf, recordOf, type Do, type EnvironmentPass, type Seen } from "./model.ts";

/** Returns the first difference. */
export function plan(context: EnvironmentPass, seen: Seen): Plan<Do> {
  if (context.goal !== "present") return planAbsent(context, seen);
  const { projectId } = context.inputs;
  if (!seen.projectIsOurs) return { is: "stalled", why: notThere("project", projectId, "the organization") };
  if (context.allowedProjects?.includes(projectId) === false)
    return { is: "stalled", why: projectNotAllowed(projectId) };
  if (context.id === undefined) return planNew(context, seen);
  if (!isShown(context, seen)) return planUnshown(context, seen.presence, missed(context, context.id));
  const refused = refusal(context, seen, context.id);
  if (refused !== undefined) return { is: "stalled", why: refused };
  // Before it is recorded: from then on spec.clusterRef cannot be changed.
  const moved = otherClusterOf(context, recordOf(context, seen).clusterId);
  if (moved !== undefined) return moved;
  if (context.proof !== "recorded") return { is: "adopt", id: context.id };
  return firstOf(context, [
    () => checkLatecomers(context, mineOf(context, seen), seen.records ?? [], `environment "${context.spec.name}"`),
    () => checkSettings(context, seen),
  ]);
}

function checkSettings(context: EnvironmentPass, seen: Seen): Plan<Do> | undefined {
  // Sent once in a reconcile: what the platform stores differently is reported as drift.
  if (seen.updated) return undefined;
  const changes = driftOf(context, seen);
  if (changes.length === 0) return undefined;
  if (mineOf(context, seen) !== undefined && context.supports("updateEnvironment") !== "Unsupported")
    return { is: "step", step: { ...UPDATE, changes } };
  if (context.corrects === "Nothing") return undefined;
  const message =
    "The platform's surface has no update of environments. Make spec.name and spec.mode what they were, or change the environment on the platform and adopt it anew.";
  return { is: "stalled", why: { reason: "UpdateNotSupported", message } };
}

const UPDATE = {
  repeat: "safe",
  op: "updateEnvironment",
  do: "update",
  message: "Update the environment's settings.",
  corrects: true,
} as const;

/** Being among the project's environments is proof on every surface. */
const isShown = ({ id }: EnvironmentPass, { counts }: Seen): boolean => counts.some((one) => one.id === id);

const missed = ({ spec }: EnvironmentPass, id: Uuid) =>
  ({ noun: "environment", name: spec.name, id, where: "the project" }) as const;

/** Returns why an id that is shown must not be worked on. */
function refusal(context: EnvironmentPass, seen: Seen, id: Uuid): Why | undefined {
  const holder = context.holderOf(id);
  if (holder !== undefined) return alreadyManaged(id, holder);
  return isMisnamed(context, mineOf(context, seen)) ? otherName("environment", id) : undefined;
}

function planNew(context: EnvironmentPass, seen: Seen): Plan<Do> {
  const what = `environment "${context.spec.name}"`;
  const matches = (seen.records ?? []).filter(({ name }) => sameName(name, context.spec.name));
  const found = adoptOrRefuse(context, matches, what);
  if (found?.is === "adopt") return otherClusterOf(context, matches[0]?.clusterId) ?? found;
  if (found !== undefined) return found;
  const mark = { ...nameMark(seen.serverNow), ids: seen.counts.map(({ id }) => id) };
  const why: Why = { reason: "Creating", message: `Creating ${what}.` };
  return {
    is: "step",
    step: { repeat: "once", op: "createEnvironment", do: "create", creates: true, name: context.spec.name, mark, why },
  };
}

function planAbsent(context: EnvironmentPass, seen: Seen): Plan<Do> {
  if (context.id === undefined || context.goal === "stopped") return { is: "settled" };
  if (!isShown(context, seen)) return planUnshownRemoval(seen.presence, missed(context, context.id));
  if (seen.deleting)
    return { is: "waiting", why: { reason: "Deleting", message: "The platform deletes the environment." } };
  const refused = outside(context, context.inputs.projectId);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (context.supports("deleteEnvironment") === "Unsupported") {
    return {
      is: "stalled",
      why: { reason: "DeleteNotSupported", message: "The platform's surface has no deletion of environments." },
    };
  }
  const mine = mineOf(context, seen);
  if (mine !== undefined && !sameName(mine.name, context.spec.name))
    return { is: "stalled", why: otherName("environment", context.id) };
  return { is: "step", step: { repeat: "safe", op: "deleteEnvironment", do: "delete" } };
}

/** The platform cannot move an environment to another cluster. */
function otherClusterOf({ inputs, proof }: EnvironmentPass, clusterId: string | undefined): Plan<Do> | undefined {
  if (clusterId === undefined || clusterId === inputs.clusterId) return undefined;
  const advice = proof === "recorded" ? "Fix spec.clusterRef in a new resource." : "Fix spec.clusterRef.";
  const message = `The platform runs the environment on the cluster ${fit(clusterId, ID)}, not on the one in spec.clusterRef, and cannot move it. ${advice}`;
  return { is: "stalled", why: { reason: "InvalidSpec", message } };
}
