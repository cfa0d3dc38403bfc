/** What an environment needs next. Pure. */
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
} from "../shared/names.ts";
import { planUnshown, planUnshownRemoval } from "../shared/presence.ts";
import { fit, ID } from "../shared/text.ts";
import { isMisnamed } from "../shared/unseen.ts";
import { driftOf, mineOf, recordOf, type Do, type EnvironmentPass, type Seen } from "./model.ts";

/** The first difference wins. */
export function plan(pass: EnvironmentPass, seen: Seen): Plan<Do> {
  if (pass.goal !== "present") return planAbsent(pass, seen);
  const { projectId } = pass.inputs;
  if (!seen.projectIsOurs) return { is: "stalled", why: notThere("project", projectId, "the organization") };
  if (pass.allowedProjects?.includes(projectId) === false) return { is: "stalled", why: projectNotAllowed(projectId) };
  if (pass.id === undefined) return planNew(pass, seen);
  if (!isShown(pass, seen)) return planUnshown(pass, seen.presence, missed(pass, pass.id));
  const refused = refusal(pass, seen, pass.id);
  if (refused !== undefined) return { is: "stalled", why: refused };
  // Before it is recorded: from then on spec.clusterRef cannot be changed.
  const moved = otherClusterOf(pass, recordOf(pass, seen).clusterId);
  if (moved !== undefined) return moved;
  if (pass.proof !== "recorded") return { is: "adopt", id: pass.id };
  return firstOf(pass, [
    () => checkLatecomers(pass, mineOf(pass, seen), seen.records ?? [], `environment "${pass.spec.name}"`),
    () => checkSettings(pass, seen),
  ]);
}

function checkSettings(pass: EnvironmentPass, seen: Seen): Plan<Do> | undefined {
  // Sent once in a pass: what the platform stores otherwise is told as drift.
  if (seen.updated) return undefined;
  const changes = driftOf(pass, seen);
  if (changes.length === 0) return undefined;
  if (mineOf(pass, seen) !== undefined && pass.supports("updateEnvironment") !== "Unsupported")
    return { is: "step", step: { ...UPDATE, changes } };
  if (pass.corrects === "Nothing") return undefined;
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

/** Why an id that is shown must not be worked on. */
function refusal(pass: EnvironmentPass, seen: Seen, id: Uuid): Why | undefined {
  const holder = pass.holderOf(id);
  if (holder !== undefined) return alreadyManaged(id, holder);
  return isMisnamed(pass, mineOf(pass, seen)) ? otherName("environment", id) : undefined;
}

function planNew(pass: EnvironmentPass, seen: Seen): Plan<Do> {
  const what = `environment "${pass.spec.name}"`;
  const matches = (seen.records ?? []).filter(({ name }) => sameName(name, pass.spec.name));
  const found = adoptOrRefuse(pass, matches, what);
  if (found?.is === "adopt") return otherClusterOf(pass, matches[0]?.clusterId) ?? found;
  if (found !== undefined) return found;
  const mark = { ...nameMark(seen.serverNow), ids: seen.counts.map(({ id }) => id) };
  const why: Why = { reason: "Creating", message: `Creating ${what}.` };
  return {
    is: "step",
    step: { repeat: "once", op: "createEnvironment", do: "create", creates: true, name: pass.spec.name, mark, why },
  };
}

function planAbsent(pass: EnvironmentPass, seen: Seen): Plan<Do> {
  if (pass.id === undefined || pass.goal === "stopped") return { is: "settled" };
  if (!isShown(pass, seen)) return planUnshownRemoval(seen.presence, missed(pass, pass.id));
  if (seen.deleting)
    return { is: "waiting", why: { reason: "Deleting", message: "The platform deletes the environment." } };
  const refused = outside(pass, pass.inputs.projectId);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (pass.supports("deleteEnvironment") === "Unsupported") {
    return {
      is: "stalled",
      why: { reason: "DeleteNotSupported", message: "The platform's surface has no deletion of environments." },
    };
  }
  const mine = mineOf(pass, seen);
  if (mine !== undefined && !sameName(mine.name, pass.spec.name))
    return { is: "stalled", why: otherName("environment", pass.id) };
  return { is: "step", step: { repeat: "safe", op: "deleteEnvironment", do: "delete" } };
}

/** The platform cannot move an environment to another cluster. */
function otherClusterOf({ inputs, proof }: EnvironmentPass, clusterId: string | undefined): Plan<Do> | undefined {
  if (clusterId === undefined || clusterId === inputs.clusterId) return undefined;
  const advice = proof === "recorded" ? "Fix spec.clusterRef in a new resource." : "Fix spec.clusterRef.";
  const message = `The platform runs the environment on the cluster ${fit(clusterId, ID)}, not on the one in spec.clusterRef, and cannot move it. ${advice}`;
  return { is: "stalled", why: { reason: "InvalidSpec", message } };
}
