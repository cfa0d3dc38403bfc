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

  observe: async (pass, api) => {
    const isRoutine = pass.proof === "recorded" && pass.goal === "present" && pass.requested === undefined;
    const listed = await api.projects.list({ maxAgeMs: isRoutine ? LIST_MAX_AGE_MS : 0 });
    const { projects, presence } = await withMine(pass, listed, api);
    const exists = pass.id !== undefined && presence === "Present";
    const environments =
      exists && pass.goal === "present"
        ? await sideRead(
            api.projects.environmentStats(pass.id, { maxAgeMs: isRoutine ? LIST_MAX_AGE_MS : 0 }),
            "the environments",
          )
        : NOT_READ;
    return { projects, presence, environments, serverNow: api.serverNow(), updated: false, deleting: false };
  },

  shows: (_step, pass, seen) => mineOf(pass, seen) !== undefined,
  plan,

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
    return { is: "landed", known: found.map(({ id }) => ({ seen, memory: pass.memory, id })) };
  },

  report: (pass, seen) => {
    // Of what is not ours, or not yet, nothing is told.
    const mine = pass.proof === "recorded" ? mineOf(pass, seen) : undefined;
    const environments = (seen.environments.value ?? []).toSorted((left, right) => (left.id < right.id ? -1 : 1));
    return {
      ready: { reason: "Available", message: `Project "${pass.spec.name}" exists on the platform.` },
      conditions: mine === undefined ? [] : faultCondition("EnvironmentsListed", seen.environments.fault),
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

/** A list that lags must not make a recorded project look deleted: it is asked for once more, by its id where that can be. */
async function withMine(
  pass: ProjectPass,
  listed: readonly Project[],
  api: Platform,
): Promise<Pick<Seen, "projects" | "presence">> {
  const { id } = pass;
  const presenceAmong = (list: readonly Project[]) => presenceIn(pass, list, ({ id: one }) => one === id);
  const presence = presenceAmong(listed);
  if (id === undefined || pass.proof !== "recorded" || isKnown(presence, pass.goal))
    return { projects: listed, presence };
  const mine = await unlessMissing(offered(api, "getProject", () => api.projects.get(id)));
  if (mine !== undefined) return { projects: [...listed, mine], presence: "Present" };
  if (pass.supports("getProject") === "Supported") return { projects: listed, presence: "Gone" };
  const projects = await api.projects.list();
  return { projects, presence: presenceAmong(projects) };
}

/** None of a new project: they are counted at the next look, which must not have said before that there are none. */
function environmentsOf(environments: readonly EnvironmentCount[]): JsonObject {
  if (environments.length === 0) return {};
  const listed = environments.slice(0, LISTED_ENVIRONMENTS);
  return {
    environmentCount: environments.length,
    environments: listed.map(({ id, serviceTotalNumber }) => ({ id, serviceCount: countOf(serviceTotalNumber) })),
  };
}

async function create(pass: ProjectPass, seen: Seen, api: Platform): Promise<Known<Seen, ProjectMemory>> {
  // Where the answer shows less than a list does, what was sent is taken to be there.
  const made = { ...inputOf(pass.spec), ...(await api.projects.create(inputOf(pass.spec))) };
  return { seen: { ...seen, projects: [...seen.projects, made] }, memory: pass.memory, id: made.id };
}

function inputOf({ name, description }: ProjectSpec): { readonly name: string; readonly description?: string } {
  return description === undefined ? { name } : { name, description };
}
