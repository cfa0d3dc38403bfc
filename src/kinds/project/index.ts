/** PlatformProject: exists, name, description. */
import type { JsonObject, Known, Kind } from "../../engine/contract/kind.ts";
import type { EnvironmentCount, Project } from "../../platform/areas/projects.ts";
import type { Platform } from "../../platform/index.ts";
import { unlessMissing } from "../shared/ancestry.ts";
import { landed, notCreated } from "../shared/create-trace.ts";
import { offered } from "../shared/offered.ts";
import { isKnown, presenceIn } from "../shared/presence.ts";
import { faultCondition, NOT_READ, sideRead } from "../shared/side-read.ts";
import { countOf, fitOptional } from "../shared/text.ts";
import { LISTED_ENVIRONMENTS, platformProject, type ProjectMemory, type ProjectSpec } from "./crd.ts";
import { driftOf, mineOf, type ProjectPass, type Seen, type ProjectTypes } from "./model.ts";
import { plan } from "./plan.ts";

/** The list is shared by all projects of a connection. */
const LIST_MAX_AGE_MS = 5_000;

export const project: Kind<ProjectTypes> = {
  resource: platformProject,
  lives: true,
  claim: (spec) => spec.externalId,
  operations: () => ({ update: ["updateProject"], delete: ["deleteProject"] }),
  listable: () => true,
  needs: () => ({ references: [], values: [], inputs: () => ({}) }),

  observe: async (context, api) => {
    const isRoutine = context.proof === "recorded" && context.goal === "present" && context.requested === undefined;
    const listed = await api.projects.list({ maxAgeMs: isRoutine ? LIST_MAX_AGE_MS : 0 });
    const { projects, presence } = await withMine(context, listed, api);
    const exists = context.id !== undefined && presence === "Present";
    const environments =
      exists && context.goal === "present"
        ? await sideRead(
            api.projects.environmentStats(context.id, { maxAgeMs: isRoutine ? LIST_MAX_AGE_MS : 0 }),
            "the environments",
          )
        : NOT_READ;
    return { projects, presence, environments, serverNow: api.serverNow(), updated: false, deleting: false };
  },

  shows: (_step, context, seen) => mineOf(context, seen) !== undefined,
  plan,

  act: async ({ do: what }, context, seen, api) => {
    if (what === "create") return await create(context, seen, api);
    const mine = mineOf(context, seen);
    if (mine === undefined) return { seen, memory: context.memory };
    if (what === "delete") {
      await api.projects.delete(mine.id);
      return { seen: { ...seen, deleting: true }, memory: context.memory };
    }
    const updated = await api.projects.update(mine, inputOf(context.spec));
    const next = updated ?? { ...mine, ...inputOf(context.spec) };
    return {
      seen: { ...seen, projects: seen.projects.map((one) => (one.id === mine.id ? next : one)), updated: true },
      memory: context.memory,
    };
  },

  trace: async (intent, context, api) => {
    const projects = await api.projects.list();
    const found = landed(intent, projects, context.holderOf);
    if (found.length === 0)
      return notCreated(
        intent,
        projects,
        projects.map(({ id }) => id),
      );
    const seen: Seen = {
      projects,
      presence: "Present",
      environments: NOT_READ,
      serverNow: api.serverNow(),
      updated: false,
      deleting: false,
    };
    return { is: "landed", known: found.map(({ id }) => ({ seen, memory: context.memory, id })) };
  },

  report: (context, seen) => {
    // What is not this resource's, or not yet, is not reported.
    const mine = context.proof === "recorded" ? mineOf(context, seen) : undefined;
    const environments = (seen.environments.value ?? []).toSorted((left, right) => (left.id < right.id ? -1 : 1));
    return {
      ready: { reason: "Available", message: `Project "${context.spec.name}" exists on the platform.` },
      conditions: mine === undefined ? [] : faultCondition("EnvironmentsListed", seen.environments.fault),
      status:
        mine === undefined
          ? {}
          : {
              createdAt: fitOptional(mine.createdAt),
              updatedAt: fitOptional(mine.updatedAt),
              ...environmentsOf(environments),
            },
      drift: mine === undefined ? [] : driftOf(context, mine),
    };
  },
};

/** Reads the list once more where it lacks a recorded project, as it may lag; by its id where that is offered. */
async function withMine(
  context: ProjectPass,
  listed: readonly Project[],
  api: Platform,
): Promise<Pick<Seen, "projects" | "presence">> {
  const { id } = context;
  const presenceAmong = (list: readonly Project[]) => presenceIn(context, list, ({ id: one }) => one === id);
  const presence = presenceAmong(listed);
  if (id === undefined || context.proof !== "recorded" || isKnown(presence, context.goal))
    return { projects: listed, presence };
  const mine = await unlessMissing(offered(api, "getProject", () => api.projects.get(id)));
  if (mine !== undefined) return { projects: [...listed, mine], presence: "Present" };
  if (context.supports("getProject") === "Supported") return { projects: listed, presence: "Gone" };
  const projects = await api.projects.list();
  return { projects, presence: presenceAmong(projects) };
}

/** None in a new project: they are counted at the next reconcile, which must not have reported zero before. */
function environmentsOf(environments: readonly EnvironmentCount[]): JsonObject {
  if (environments.length === 0) return {};
  const listed = environments.slice(0, LISTED_ENVIRONMENTS);
  return {
    environmentCount: environments.length,
    environments: listed.map(({ id, serviceTotalNumber }) => ({ id, serviceCount: countOf(serviceTotalNumber) })),
  };
}

async function create(context: ProjectPass, seen: Seen, api: Platform): Promise<Known<Seen, ProjectMemory>> {
  // Where the answer shows less than a list does, what was sent counts.
  const made = { ...inputOf(context.spec), ...(await api.projects.create(inputOf(context.spec))) };
  return { seen: { ...seen, projects: [...seen.projects, made] }, memory: context.memory, id: made.id };
}

function inputOf({ name, description }: ProjectSpec): { readonly name: string; readonly description?: string } {
  return description === undefined ? { name } : { name, description };
}
