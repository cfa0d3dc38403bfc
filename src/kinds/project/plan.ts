/** What a project needs next. Pure. */
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
} from "../shared/names.ts";
import { planUnshown, planUnshownRemoval } from "../shared/presence.ts";
import { isMisnamed } from "../shared/unseen.ts";
import { driftOf, mineOf, type Do, type ProjectPass, type Seen } from "./model.ts";

/** The first difference wins. */
export function plan(pass: ProjectPass, seen: Seen): Plan<Do> {
  const mine = mineOf(pass, seen);
  if (pass.goal !== "present") return planAbsent(pass, seen, mine);
  if (pass.id === undefined) return planNew(pass, seen);
  if (mine === undefined) return planUnshown(pass, seen.presence, missed(pass, pass.id));
  const refused = refusal(pass, mine, pass.id);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (pass.proof !== "recorded") return { is: "adopt", id: pass.id };
  return firstOf(pass, [
    () => checkLatecomers(pass, mine, seen.projects, `project "${pass.spec.name}"`),
    () => checkSettings(pass, seen, mine),
  ]);
}

/** Why an id must not be worked on. */
function refusal(pass: ProjectPass, mine: Project, id: Uuid): Why | undefined {
  if (pass.allowedProjects?.includes(id) === false) return projectNotAllowed(id);
  const holder = pass.holderOf(id);
  if (holder !== undefined) return alreadyManaged(id, holder);
  return isMisnamed(pass, mine) ? otherName("project", id) : undefined;
}

const missed = ({ spec }: ProjectPass, id: Uuid) =>
  ({ noun: "project", name: spec.name, id, where: "the organization" }) as const;

function checkSettings(pass: ProjectPass, seen: Seen, mine: Project | undefined): Plan<Do> | undefined {
  // Sent once in a pass: what the platform stores otherwise is told as drift.
  if (mine === undefined || seen.updated) return undefined;
  const changes = driftOf(pass, mine);
  if (changes.length === 0) return undefined;
  if (pass.supports("updateProject") !== "Unsupported") return { is: "step", step: { ...UPDATE, changes } };
  if (pass.corrects === "Nothing") return undefined;
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

function planNew(pass: ProjectPass, seen: Seen): Plan<Do> {
  const what = `project "${pass.spec.name}"`;
  const matches = seen.projects.filter(({ name }) => sameName(name, pass.spec.name));
  const found = adoptOrRefuse(pass, matches, what);
  if (found?.is === "adopt" && pass.allowedProjects?.includes(found.id) === false) {
    return { is: "stalled", why: projectNotAllowed(found.id) };
  }
  if (found !== undefined) return found;
  if (pass.allowedProjects !== undefined) return { is: "stalled", why: projectNotAllowed("new projects") };
  return {
    is: "step",
    step: {
      repeat: "once",
      op: "createProject",
      do: "create",
      creates: true,
      name: pass.spec.name,
      mark: nameMark(seen.serverNow, seen.projects),
      why: { reason: "Creating", message: `Creating ${what}.` },
    },
  };
}

function planAbsent(pass: ProjectPass, seen: Seen, mine: Project | undefined): Plan<Do> {
  if (pass.id === undefined || pass.goal === "stopped") return { is: "settled" };
  if (mine === undefined) return planUnshownRemoval(seen.presence, missed(pass, pass.id));
  if (seen.deleting)
    return { is: "waiting", why: { reason: "Deleting", message: "The platform deletes the project." } };
  const refused = outside(pass, mine.id);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (!sameName(mine.name, pass.spec.name)) return { is: "stalled", why: otherName("project", mine.id) };
  if (pass.supports("deleteProject") !== "Unsupported")
    return { is: "step", step: { repeat: "safe", op: "deleteProject", do: "delete" } };
  const message = "The platform's surface has no deletion of projects.";
  return { is: "stalled", why: { reason: "DeleteNotSupported", message } };
}
