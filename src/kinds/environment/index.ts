/** PlatformEnvironment: name and mode. The documented surface shows that it exists, and its record only once. */
import type { StatusReason } from "../../engine/contract/kind.ts";
import type { Environment } from "../../platform/areas/environments.ts";
import { namedKind } from "../named/kind.ts";
import { faultCondition } from "../shared/answers.ts";
import { clusterNeed, isProjectOfOrganization, projectNeed } from "../shared/limits.ts";
import { reasonNotFound, projectNotAllowed } from "../shared/names.ts";
import { countOf, fitText, ID } from "../shared/text.ts";
import { platformEnvironment, type EnvironmentSpec } from "./crd.ts";
import {
  type EnvironmentContext,
  environmentMemory,
  environmentRecord,
  type EnvironmentTypes,
  listsOf,
  NO_PROJECT,
  withMine,
} from "./observe.ts";

export const environment = namedKind<EnvironmentTypes, Environment>({
  resource: platformEnvironment,
  noun: "environment",
  parent: "the project",
  operations: { create: "createEnvironment", update: "updateEnvironment", delete: "deleteEnvironment" },
  list: "listEnvironments",
  settings: [
    { path: "spec.name", desired: ({ name }) => name, observed: ({ name }) => name },
    { path: "spec.mode", desired: ({ mode }) => mode, observed: ({ mode }) => mode },
  ],
  needs: ({ projectRef, clusterRef }) => ({
    references: [projectNeed(projectRef), clusterNeed(clusterRef)],
    values: [],
    inputs: (resolved) => ({ projectId: resolved.id("spec.projectRef"), clusterId: resolved.id("spec.clusterRef") }),
  }),

  observe: async (context, api) => {
    const { projectId } = context.inputs;
    const given = context.spec.projectRef.externalId !== undefined && context.identitySource !== "recorded";
    const projectIsOurs = !given || (await isProjectOfOrganization(api, projectId));
    const lists = projectIsOurs ? await listsOf(context, projectId, api) : NO_PROJECT;
    return {
      ...(await withMine(context, projectId, lists, api)),
      projectIsOurs,
      serverNow: api.serverNow(),
    };
  },

  observeParent: async (context, api, parentId) => ({
    ...(await listsOf(context, parentId ?? context.inputs.projectId, api)),
    presence: "Present",
    projectIsOurs: true,
    serverNow: api.serverNow(),
  }),

  remote: { operation: "getEnvironment", read: (api, id) => api.environments.get(id) },
  recordOf: environmentRecord,
  memoryOf: (_context, record) => environmentMemory(record),
  projectOf: ({ inputs }) => inputs.projectId,
  checkParent: (context, { projectIsOurs }) => {
    const { projectId } = context.inputs;
    return projectIsOurs
      ? projectNotAllowed(context, projectId)
      : reasonNotFound("project", projectId, "the organization");
  },
  checkRecord: (context, record) => otherCluster(context, record?.clusterId),

  create: async (context, api) => {
    const { projectId, clusterId } = context.inputs;
    const wanted = { ...inputOf(context.spec), clusterId };
    return await api.environments.create(projectId, wanted, { extended: context.isFull });
  },
  update: ({ spec }, api, own) => api.environments.update(own, changeOf(spec, own)),
  sent: inputOf,
  delete: (api, id) => api.environments.delete(id),

  report: (context, observed) => {
    const count = observed.counts.find(({ id }) => id === context.id);
    return {
      conditions: faultCondition("ServicesCounted", observed.countFault),
      status: {
        ...environmentRecord(context, observed),
        projectId: context.inputs.projectId,
        // A new environment has no services; they are counted at the next reconcile.
        serviceCount: countOf(count?.serviceTotalNumber) || undefined,
      },
    };
  },
});

function inputOf({ name, mode }: EnvironmentSpec): { readonly name: string; readonly mode?: string } {
  return { name, ...(mode === undefined ? {} : { mode }) };
}

/** Returns the members that differ. The platform shows modes that it does not take, e.g. PREVIEW. */
function changeOf(spec: EnvironmentSpec, own: { readonly mode?: string | undefined }) {
  const { name, mode } = inputOf(spec);
  return { name, ...(mode !== own.mode && { mode }) };
}

/** Returns why the cluster does not suit the spec. The platform cannot move an environment to another cluster. */
function otherCluster(
  { inputs, identitySource }: EnvironmentContext,
  clusterId: string | undefined,
): StatusReason | undefined {
  if (clusterId === undefined || clusterId === inputs.clusterId) return undefined;
  const advice = identitySource === "recorded" ? "Fix spec.clusterRef in a new resource." : "Fix spec.clusterRef.";
  const message = `The platform runs the environment on the cluster ${fitText(clusterId, ID)}, not on the one in spec.clusterRef, and cannot move it. ${advice}`;
  return { reason: "InvalidSpec", message };
}
