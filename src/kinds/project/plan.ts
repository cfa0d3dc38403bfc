/** Plans a project. Pure. */
import type { Plan, Uuid, Why } from "../../engine/contract/kind.ts";
import type { Project } from "../../platform/areas/projects.ts";
import { firstOf } from "../shared/checks.ts";
import { nameMark } from "../shared/create-trace.ts";
import {
  adoptOrRefuse,
  alreadyManaged,
  checkLatecomers,
  otherName,
  outside,
  projectNotAllowed,
  sameName,
  isMisnamed,
} from "../shared/names.ts";
import { planUnshown, planUnshownRemoval } from "../shared/presence.ts";
import { driftOf, mineOf, type Do, type ProjectPass, type Seen } from "./model.ts";

/** Returns the first difference. */
export function plan(context: ProjectPass, seen: Seen): Plan<Do> {
  const mine = mineOf(context, seen);
  if (context.goal !== "present") return planAbsent(context, seen, mine);
  if (context.id === undefined) return planNew(context, seen);
  if (mine === undefined) return planUnshown(context, seen.presence, missed(context, context.id));
  const refused = refusal(context, mine, context.id);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (context.proof !== "recorded") return { is: "adopt", id: context.id };
  return firstOf(context, [
    () => checkLatecomers(context, mine, seen.projects, `project "${context.spec.name}"`),
    () => checkSettings(context, seen, mine),
  ]);
}

/** Returns why an id must not be worked on. */
function refusal(context: ProjectPass, mine: Project, id: Uuid): Why | undefined {
  if (context.allowedProjects?.includes(id) === false) return projectNotAllowed(id);
  const holder = context.holderOf(id);
  if (holder !== undefined) return alreadyManaged(id, holder);
  return isMisnamed(context, mine) ? otherName("project", id) : undefined;
}

const missed = ({ spec }: ProjectPass, id: Uuid) =>
  ({ noun: "project", name: spec.name, id, where: "the organization" }) as const;

function checkSettings(context: ProjectPass, seen: Seen, mine: Project | undefined): Plan<Do> | undefined {
  // Sent once in a reconcile: what the platform stores differently is reported as drift.
  if (mine === undefined || seen.updated) return undefined;
  const changes = driftOf(context, mine);
  if (changes.length === 0) return undefined;
  if (context.supports("updateProject") !== "Unsupported") return { is: "step", step: { ...UPDATE, changes } };
  if (context.corrects === "Nothing") return undefined;
  const message =
    "The platform's surface has no update of projects. Make spec equal the platform, or change the project there.";
  return { is: "stalled", why: { reason: "UpdateNotSupported", message } };
}

const UPDATE = {
  repeat: "safe",
  op: "updateProject",
  do: "update",
  message: "Update the project's settings.",
  corrects: true,
} as const;

function planNew(context: ProjectPass, seen: Seen): Plan<Do> {
  const what = `project "${context.spec.name}"`;
  const matches = seen.projects.filter(({ name }) => sameName(name, context.spec.name));
  const found = adoptOrRefuse(context, matches, what);
  if (found?.is === "adopt" && context.allowedProjects?.includes(found.id) === false) {
    return { is: "stalled", why: projectNotAllowed(found.id) };
  }
  if (found !== undefined) return found;
  if (context.allowedProjects !== undefined) return { is: "stalled", why: projectNotAllowed("new projects") };
  return {
    is: "step",
    step: {
      repeat: "once",
      op: "createProject",
      do: "create",
      creates: true,
      name: context.spec.name,
      mark: nameMark(seen.serverNow, seen.projects),
      why: { reason: "Creating", message: `Creating ${what}.` },
    },
  };
}

function planAbsent(context: ProjectPass, seen: Seen, mine: Project | undefined): Plan<Do> {
  if (context.id === undefined || context.goal === "stopped") return { is: "settled" };
  if (mine === undefined) return planUnshownRemoval(seen.presence, missed(context, context.id));
  if (seen.deleting)
    return { is: "waiting", why: { reason: "Deleting", message: "The platform deletes the project." } };
  const refused = outside(context, mine.id);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (!sameName(mine.name, context.spec.name)) return { is: "stalled", why: otherName("project", mine.id) };
  if (context.supports("deleteProject") !== "Unsupported")
    return { is: "step", step: { repeat: "safe", op: "deleteProject", do: "delete" } };
  const message = "The platform's surface has no deletion of projects.";
  return { is: "stalled", why: { reason: "DeleteNotSupported", message } };
}
