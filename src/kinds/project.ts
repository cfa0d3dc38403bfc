/** PlatformProject: exists, name, description. */
import type { DriftField, JsonObject, Known, Pass, Plan, Uuid, Why } from "../engine/kind.ts";
import type { Platform } from "../platform/index.ts";
import type { EnvironmentCount, Project } from "../platform/projects.ts";
import { LISTED_ENVIRONMENTS, platformProject, type ProjectMemory, type ProjectSpec } from "../resources/project.ts";
import type { PlatformKind } from "./kind.ts";
import {
  adoptOrRefuse,
  alreadyManaged,
  deletedThere,
  landed,
  nameMark,
  notThere,
  otherName,
  outside,
  projectNotAllowed,
  sameName,
} from "./names.ts";
import { countOf, fit, fitOptional } from "./text.ts";

interface Seen {
  /** All of the organization's. */
  readonly projects: readonly Project[];
  readonly environments: readonly EnvironmentCount[];
  readonly serverNow: Date | undefined;
  /** The settings were sent in this pass. */
  readonly updated: boolean;
  /** A delete was sent in this pass. */
  readonly deleting: boolean;
}

type Do = "create" | "update" | "delete";
type ProjectPass = Pass<ProjectSpec, object, ProjectMemory>;

/** The list is shared by all projects of a connection. */
const LIST_MAX_AGE_MS = 5_000;

const mineOf = (pass: ProjectPass, seen: Seen): Project | undefined => seen.projects.find(({ id }) => id === pass.id);

export const project: PlatformKind<ProjectSpec, object, Seen, ProjectMemory, Do> = {
  resource: platformProject,
  lives: true,
  claim: (spec) => spec.externalId,
  listable: () => true,
  needs: () => ({ references: [], values: [], inputs: () => ({}) }),

  observe: async (pass, api) => {
    const isRoutine = pass.proof === "recorded" && pass.requested === undefined;
    const projects = await api.projects.list({ maxAgeMs: isRoutine ? LIST_MAX_AGE_MS : 0 });
    const exists = pass.id !== undefined && projects.some(({ id }) => id === pass.id);
    const environments =
      exists && pass.goal === "present"
        ? await api.projects.environmentStats(pass.id, { maxAgeMs: isRoutine ? LIST_MAX_AGE_MS : 0 })
        : [];
    return { projects, environments, serverNow: api.serverNow(), updated: false, deleting: false };
  },

  plan: (pass, seen) => {
    const mine = mineOf(pass, seen);
    if (pass.goal !== "present") return planAbsent(pass, seen, mine);
    if (pass.id === undefined) return planNew(pass, seen);
    const refused = refusal(pass, mine, pass.id);
    if (refused !== undefined) return { is: "stalled", why: refused };
    if (pass.proof !== "recorded") return { is: "adopt", id: pass.id };
    // Sent once in a pass: what the platform stores otherwise is told as drift.
    if (mine === undefined || seen.updated || driftOf(pass, mine).length === 0) return { is: "settled" };
    if (pass.surface === "Full") return { is: "step", step: { repeat: "safe", op: "updateProject", do: "update" } };
    const message =
      "The platform's surface has no update of projects. Make spec equal the platform, or change the project there.";
    return { is: "stalled", why: { reason: "UpdateNotSupported", message } };
  },

  act: async ({ do: what }, pass, seen, api) => {
    if (what === "create") return await create(pass, seen, api);
    const mine = mineOf(pass, seen);
    if (mine === undefined) return { seen, memory: pass.memory };
    if (what === "delete") {
      await api.projects.delete(mine.id);
      return { seen: { ...seen, deleting: true }, memory: pass.memory };
    }
    const updated = await api.projects.update(mine, inputOf(pass.spec));
    const next = updated ?? { ...mine, ...inputOf(pass.spec) };
    return {
      seen: { ...seen, projects: seen.projects.map((one) => (one.id === mine.id ? next : one)), updated: true },
      memory: pass.memory,
    };
  },

  trace: async (intent, pass, api) => {
    const projects = await api.projects.list();
    const found = landed(intent, projects, pass.holderOf);
    if (found.length === 0) return { is: "absent" };
    const seen = { projects, environments: [], serverNow: api.serverNow(), updated: false, deleting: false };
    return { is: "landed", known: found.map(({ id }) => ({ seen, memory: pass.memory, id })) };
  },

  report: (pass, seen) => {
    // Of what is not ours, or not yet, nothing is told.
    const mine = pass.proof === "recorded" ? mineOf(pass, seen) : undefined;
    const environments = seen.environments.toSorted((left, right) => (left.id < right.id ? -1 : 1));
    return {
      ready: { reason: "Available", message: `Project "${pass.spec.name}" exists on the platform.` },
      conditions: [],
      status:
        mine === undefined
          ? {}
          : {
              createdAt: fitOptional(mine.createdAt),
              updatedAt: fitOptional(mine.updatedAt),
              ...environmentsOf(environments),
            },
      drift: mine === undefined ? [] : driftOf(pass, mine),
    };
  },
};

/** None of a new project: they are counted at the next look, which must not have said before that there are none. */
function environmentsOf(environments: readonly EnvironmentCount[]): JsonObject {
  if (environments.length === 0) return {};
  const listed = environments.slice(0, LISTED_ENVIRONMENTS);
  return {
    environmentCount: environments.length,
    environments: listed.map(({ id, serviceTotalNumber }) => ({ id, serviceCount: countOf(serviceTotalNumber) })),
  };
}

/** Why an id must not be worked on. */
function refusal(pass: ProjectPass, mine: Project | undefined, id: Uuid): Why | undefined {
  if (mine === undefined) {
    const recorded = pass.proof === "recorded";
    return recorded ? deletedThere(`project "${pass.spec.name}"`, id) : notThere("project", id, "the organization");
  }
  if (pass.allowedProjects?.includes(id) === false) return projectNotAllowed(id);
  const holder = pass.holderOf(id);
  if (holder !== undefined) return alreadyManaged(id, holder);
  const misnamed = pass.proof === "claimed" && !sameName(mine.name, pass.spec.name);
  return misnamed ? otherName("project", id) : undefined;
}

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
      mark: nameMark(seen.serverNow),
      why: { reason: "Creating", message: `Creating ${what}.` },
    },
  };
}

function planAbsent(pass: ProjectPass, seen: Seen, mine: Project | undefined): Plan<Do> {
  if (mine === undefined || pass.goal === "stopped") return { is: "settled" };
  if (seen.deleting)
    return { is: "waiting", why: { reason: "Deleting", message: "The platform deletes the project." } };
  const refused = outside(pass, mine.id);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (!sameName(mine.name, pass.spec.name)) return { is: "stalled", why: otherName("project", mine.id) };
  if (pass.surface === "Full") return { is: "step", step: { repeat: "safe", op: "deleteProject", do: "delete" } };
  const message = "The platform's surface has no deletion of projects.";
  return { is: "stalled", why: { reason: "DeleteNotSupported", message } };
}

async function create(pass: ProjectPass, seen: Seen, api: Platform): Promise<Known<Seen, ProjectMemory>> {
  // Where the answer shows less than a list does, what was sent is taken to be there.
  const made = { ...inputOf(pass.spec), ...(await api.projects.create(inputOf(pass.spec))) };
  return { seen: { ...seen, projects: [...seen.projects, made] }, memory: pass.memory, id: made.id };
}

function inputOf({ name, description }: ProjectSpec): { readonly name: string; readonly description?: string } {
  return description === undefined ? { name } : { name, description };
}

function driftOf({ spec }: ProjectPass, mine: Project): readonly DriftField[] {
  const drift: DriftField[] = [];
  if (mine.name !== spec.name) drift.push({ path: "spec.name", desired: spec.name, observed: fit(mine.name) });
  const { description } = spec;
  if (description !== undefined && (mine.description ?? "") !== description) {
    drift.push({ path: "spec.description", desired: description, observed: fit(mine.description ?? "") });
  }
  return drift;
}
