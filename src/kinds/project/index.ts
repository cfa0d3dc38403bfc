/** PlatformProject: exists, name, description. */
import { z } from "zod";

import { connectionRef, displayName, externalId } from "../../api/fields.ts";
import { CREATED, lifecycleOf } from "../../api/lifecycle.ts";
import { managedColumns, defineResource, SETTINGS } from "../../api/resource.ts";
import { count, id, managedStatus, text, atomicList } from "../../api/status.ts";
import type { JsonObject, ReconcileContext } from "../../engine/contract/kind.ts";
import type { EnvironmentCount, Project } from "../../platform/areas/projects.ts";
import { listAge, namedKind, ofOrganization } from "../named/kind.ts";
import { ownRecord, type NamedAction, type NamedObserved } from "../named/model.ts";
import { altered } from "../shared/altered.ts";
import { faultCondition, NOT_READ, sideRead, type SideRead } from "../shared/answers.ts";
import { projectNotAllowed } from "../shared/names.ts";
import { countOf, fitOptional } from "../shared/text.ts";
import type { TypesOf } from "../shared/types.ts";

/** The largest number of environments that the status lists; `environmentCount` counts all. */
const LISTED_ENVIRONMENTS = 200;

const spec = z.object({
  connectionRef: connectionRef.optional(),
  name: displayName.describe("Name of the project; unique in the organization, case-insensitive."),
  description: z.string().max(1024).optional().describe("Description of the project. Not changed when absent."),
  externalId: externalId.optional(),
  lifecycle: lifecycleOf(CREATED, ["Retain", "Delete"]),
});

type ProjectSpec = z.output<typeof spec>;

export const platformProject = defineResource({
  kind: "PlatformProject",
  shortNames: ["pproj"],
  description: "A project of the platform, which contains environments.",
  spec,
  memory: {},
  recorded: { altered },
  status: managedStatus(
    {
      createdAt: text.optional().describe("When the platform created it."),
      updatedAt: text.optional().describe("When the platform last changed it."),
      environmentCount: count.optional().describe("Number of environments in the project."),
      environments: atomicList(
        z
          .object({
            name: text.optional().describe("Name of its PlatformEnvironment in this namespace, where there is one."),
            id: id.describe("Id of the environment."),
            serviceCount: count.describe("Number of services in it."),
          })
          .describe("One environment."),
        LISTED_ENVIRONMENTS,
        "Environments of the project, by id; at most 200 are listed.",
      ),
    },
    { altered },
  ),
  columns: managedColumns([SETTINGS]),
});

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

  recordOf: ownRecord,
  memoryOf: ({ memory }) => memory,
  projectOf: (_context, id) => id,
  checkReach: (context, id) => projectNotAllowed(context, id ?? "new projects"),

  // A member that the answer lacks has the value that was sent.
  create: async ({ spec }, api) => ({ ...inputOf(spec), ...(await api.projects.create(inputOf(spec))) }),
  update: ({ spec }, api, own) => api.projects.update(own, inputOf(spec)),
  sent: inputOf,
  delete: (api, id) => api.projects.delete(id),

  report: (context, observed) => {
    const own = ownRecord(context, observed);
    return {
      conditions: faultCondition("EnvironmentsListed", observed.environments.fault),
      status: {
        createdAt: fitOptional(own?.createdAt),
        updatedAt: fitOptional(own?.updatedAt),
        ...environmentsOf(context, observed.environments.value ?? []),
      },
    };
  },
});

/**
 * Returns the members of status about environments; none for an empty list: the environments of a new project are
 * counted at the next reconcile, and until then the status must not report zero.
 */
function environmentsOf({ records }: ProjectContext, environments: readonly EnvironmentCount[]): JsonObject {
  if (environments.length === 0) return {};
  const listed = environments.toSorted((left, right) => (left.id < right.id ? -1 : 1)).slice(0, LISTED_ENVIRONMENTS);
  return {
    environmentCount: environments.length,
    environments: listed.map(({ id, serviceTotalNumber }) => ({
      name: records.nameOf("PlatformEnvironment", id),
      id,
      serviceCount: countOf(serviceTotalNumber),
    })),
  };
}

function inputOf({ name, description }: ProjectSpec): { readonly name: string; readonly description?: string } {
  return description === undefined ? { name } : { name, description };
}
