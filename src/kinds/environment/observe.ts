/** Reads an environment: two lists of its project, shared with the other environments there. */
import type { Presence, ReconcileContext, StatusReason, Uuid } from "../../engine/contract/kind.ts";
import type { Environment } from "../../platform/areas/environments.ts";
import type { EnvironmentCount } from "../../platform/areas/projects.ts";
import type { Platform } from "../../platform/index.ts";
import { listAge } from "../named/kind.ts";
import { ownRecord, type NamedAction, type NamedObserved } from "../named/model.ts";
import { orGone, sideRead, unlessMissing } from "../shared/answers.ts";
import { isProjectOfOrganization } from "../shared/limits.ts";
import { isKnown, presenceIn } from "../shared/presence.ts";
import { listOnFull, readOnFull } from "../shared/surface.ts";
import { fitOptional, ID } from "../shared/text.ts";
import type { TypesOf } from "../shared/types.ts";
import type { EnvironmentMemory, platformEnvironment } from "./crd.ts";

export interface EnvironmentInputs {
  readonly projectId: Uuid;
  readonly clusterId: Uuid;
}

export interface EnvironmentObserved extends NamedObserved<Environment> {
  /** The project's environments by id. Every surface shows them. */
  readonly counts: readonly EnvironmentCount[];
  /** Why the services could not be counted, where the platform shows the records. */
  readonly countFault?: StatusReason | undefined;
  /** Whether the project is the organization's; true where that is not checked, as for a managed one. */
  readonly projectIsOurs: boolean;
}

/** The types of the kind. */
export type EnvironmentTypes = TypesOf<
  typeof platformEnvironment,
  { inputs: EnvironmentInputs; observed: EnvironmentObserved; action: NamedAction }
>;

export type EnvironmentContext = ReconcileContext<EnvironmentTypes>;

/** Returns what is known of the record: observed, else remembered from the answer to the create. */
export function environmentRecord(context: EnvironmentContext, observed: EnvironmentObserved): EnvironmentMemory {
  const own = ownRecord(context, observed);
  return own === undefined ? context.memory : environmentMemory(own);
}

/** Returns the memory of a record. */
export function environmentMemory({ name, mode, clusterId, createdAt }: Partial<Environment>): EnvironmentMemory {
  return {
    name: fitOptional(name),
    mode: fitOptional(mode),
    clusterId: fitOptional(clusterId, ID),
    createdAt: fitOptional(createdAt),
  };
}

/**
 * Reads the lists of a project. While the resource is being deleted, returns NO_PROJECT if the project is gone.
 * @throws ApiError
 */
export async function listsOf(context: EnvironmentContext, projectId: Uuid, api: Platform): Promise<Lists> {
  const options = listAge(context);
  const read = async () => {
    const list = () => api.environments.list(projectId, options);
    const stats = () => api.projects.environmentStats(projectId, options);
    const records = await listOnFull(context, api, list);
    if (records === undefined) return { counts: await stats(), records };
    // Beside the list of records, the statistics only show the number of services.
    const { value, fault } = await sideRead(stats(), "the number of services");
    return { counts: value ?? records.map(({ id }) => ({ id })), countFault: fault, records };
  };
  if (context.goal === "present") return await read();
  // In a project that is gone, nothing is left to delete.
  const isGone = async () => !(await isProjectOfOrganization(api, projectId));
  return (await orGone(read(), isGone)) ?? NO_PROJECT;
}

export type Lists = Pick<EnvironmentObserved, "counts" | "countFault" | "records">;

/** The lists of a project that does not exist, or is not the organization's. */
export const NO_PROJECT: Lists = { counts: [], records: undefined };

/**
 * Looks for a recorded environment that the lists lack, as they may lag: reads its own record, or the statistics again
 * where the platform lists no records. A record that names another project does not count, as the status may have been
 * forged.
 * @throws ApiError
 */
export async function withMine(
  context: EnvironmentContext,
  projectId: Uuid,
  lists: Lists,
  api: Platform,
): Promise<Lists & Pick<EnvironmentObserved, "presence">> {
  if (lists === NO_PROJECT) return { ...lists, presence: "Gone" };
  const { id, goal, identitySource } = context;
  const { counts, records } = lists;
  const presenceAmong = (list: readonly { readonly id: Uuid }[]) =>
    records === undefined ? presenceCounted(context, list) : presenceIn(context, list, (one) => one.id === context.id);
  const presence = presenceAmong(records ?? counts);
  if (id === undefined || identitySource !== "recorded" || isKnown(presence, goal))
    return { ...withCount(lists, id), presence };
  if (records === undefined) {
    const fresh = await api.projects.environmentStats(projectId);
    return { records, counts: fresh, presence: presenceAmong(fresh) };
  }
  const own = await unlessMissing(readOnFull(context, api, () => api.environments.get(id), ["NotFound"]));
  if (own === undefined) return { ...lists, presence };
  if (own.project !== undefined && own.project.id !== projectId) return { ...lists, presence: "Gone" };
  return { ...withCount({ ...lists, records: [...records, own] }, id), presence: "Present" };
}

/** Returns what the statistics show of the environment: they prove that one exists, and never that one does not. */
function presenceCounted(context: EnvironmentContext, counts: readonly { readonly id: Uuid }[]): Presence {
  const isShown = counts.some(({ id }) => id === context.id);
  if (context.identitySource === "recorded") return context.records.presence(isShown ? "Shown" : "Unclear");
  return isShown ? "Present" : "Unproven";
}

/** Adds the count of a listed environment that the statistics lack, as they may lag. */
function withCount(lists: Lists, id: Uuid | undefined): Lists {
  const isCounted = id === undefined || lists.counts.some((one) => one.id === id);
  if (isCounted || lists.records?.some((one) => one.id === id) !== true) return lists;
  return { ...lists, counts: [...lists.counts, { id, serviceTotalNumber: 0 }] };
}
