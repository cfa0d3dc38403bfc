/** PlatformProject: exists, name, description. */
import type { JsonObject, ReconcileContext } from "../../engine/contract/kind.ts";
import type { EnvironmentCount, Project } from "../../platform/areas/projects.ts";
import { faultCondition, NOT_READ, sideRead, type SideRead } from "../shared/answers.ts";
import { listAge, namedKind, ofOrganization } from "../shared/named-kind.ts";
import { mineOf, type NamedAction, type NamedObserved } from "../shared/named-plan.ts";
import { projectNotAllowed } from "../shared/names.ts";
import { countOf, fitOptional } from "../shared/text.ts";
import type { TypesOf } from "../shared/types.ts";
import { LISTED_ENVIRONMENTS, platformProject, type ProjectSpec } from "./crd.ts";

export interface ProjectObserved extends NamedObserved<Project> {
  readonly environments: SideRead<readonly EnvironmentCount[]>;
}

/** The types of the kind. */
export type ProjectTypes = TypesOf<typeof platformProject, { observed: ProjectObserved; action: NamedAction }>;

export type ProjectContext = ReconcileContext<ProjectTypes>;

const reads = ofOrganization<Project>({ list: "listProjects", get: "getProject" }, ({ projects }) => projects);

export const project = namedKind<ProjectTypes, Project>({
  resource: platformProject,
  noun: "project",
  parent: "the organization",
  operations: { create: "createProject", update: "updateProject", delete: "deleteProject" },
  settings: [
    { path: "spec.name", desired: ({ name }) => name, observed: ({ name }) => name },
    {
      path: "spec.description",
      desired: ({ description }) => description,
      observed: ({ description }) => description ?? "",
    },
  ],
  updateAdvice: "Make spec equal the platform, or change the project there.",
  needs: () => ({ references: [], values: [], inputs: () => ({}) }),

  remote: {
    ...reads.remote,
    documented: async (api, id) => (await api.projects.list()).find((one) => one.id === id),
  },
  observe: async (context, api) => {
    const observed = await reads.observe(context, api);
    const exists = context.id !== undefined && observed.presence === "Present";
    const environments =
      exists && context.goal === "present"
        ? await sideRead(api.projects.environmentStats(context.id, listAge(context)), "the environments")
        : NOT_READ;
    return { ...observed, environments };
  },
  observeParent: async (context, api) => ({ ...(await reads.observeParent(context, api)), environments: NOT_READ }),

  recordOf: mineOf,
  memoryOf: ({ memory }) => memory,
  projectOf: (_context, id) => id,
  checkReach: (context, id) => projectNotAllowed(context, id ?? "new projects"),

  // Where the answer shows less than a list does, what was sent counts.
  create: async ({ spec }, api) => ({ ...inputOf(spec), ...(await api.projects.create(inputOf(spec))) }),
  update: async ({ spec }, api, mine) =>
    (await api.projects.update(mine, inputOf(spec))) ?? { ...mine, ...inputOf(spec) },
  delete: (api, id) => api.projects.delete(id),

  report: (context, observed) => {
    const mine = mineOf(context, observed);
    return {
      conditions: faultCondition("EnvironmentsListed", observed.environments.fault),
      status: {
        createdAt: fitOptional(mine?.createdAt),
        updatedAt: fitOptional(mine?.updatedAt),
        ...environmentsOf(observed.environments.value ?? []),
      },
    };
  },
});

/** None in a new project: they are counted at the next reconcile, which must not have reported zero before. */
function environmentsOf(environments: readonly EnvironmentCount[]): JsonObject {
  if (environments.length === 0) return {};
  const listed = environments.toSorted((left, right) => (left.id < right.id ? -1 : 1)).slice(0, LISTED_ENVIRONMENTS);
  return {
    environmentCount: environments.length,
    environments: listed.map(({ id, serviceTotalNumber }) => ({ id, serviceCount: countOf(serviceTotalNumber) })),
  };
}

function inputOf({ name, description }: ProjectSpec): { readonly name: string; readonly description?: string } {
  return description === undefined ? { name } : { name, description };
}
