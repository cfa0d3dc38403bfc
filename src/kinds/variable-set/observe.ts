/** Reads the two lists of each application, and the parents of an application that was given by its id. */
import type { Uuid } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { placeOfEnvironment } from "../shared/limits.ts";
import { readOnFull } from "../shared/surface.ts";
import { isInPlace, type VariableLists } from "../variables/compare.ts";
import { leftovers } from "../variables/owned.ts";
import { isLookDue, noteLook, readLists } from "../variables/read.ts";
import { type Observed, ownedIn, type SetContext, type TargetState } from "./model.ts";
import { applicationsOf, targetOf } from "./target.ts";

/** An application of the set. */
type Application = ReturnType<typeof applicationsOf>[number];

/** Reads the applications of a set. @throws ApiError if all are forbidden, and for failures but 403 and 404 */
export async function observe(context: SetContext, api: Platform): Promise<Observed> {
  const applications = applicationsOf(context);
  const failures: ApiError[] = [];
  const states = await Promise.all(
    applications.map(async (one): Promise<[Uuid, TargetState]> => [one.id, await stateOf(context, one, api, failures)]),
  );
  const [failure] = failures;
  // If the platform forbids all applications, the token is the cause, not the applications.
  if (failure !== undefined && failures.length === applications.length) {
    if (context.goal === "present") throw failure;
    // Deployed services forbid what is under a deleted parent (docs/project/architecture.md §9). A removal does not wait for
    // that, unless the token can read nothing at all.
    await api.projects.list();
  }
  return { targets: new Map(states), sent: new Map(), serverNow: api.serverNow() };
}

/** Reads an application. A deleted or forbidden one does not block the others. */
async function stateOf(
  context: SetContext,
  application: Application,
  api: Platform,
  failures: ApiError[],
): Promise<TargetState> {
  try {
    const { refused, isUnproven = false } = await placeOf(context, application.id, api);
    if (refused !== undefined) return refused;
    return { is: "shown", lists: await listsOf(context, application, api), ...(isUnproven && { isUnproven }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.failure.is === "NotFound") return { is: "missing" };
    if (error.failure.is !== "Forbidden") throw error;
    failures.push(error);
    return { is: "forbidden" };
  }
}

interface Place {
  /** What prevents reading and writing. */
  readonly refused?: TargetState | undefined;
  /** The id is accepted although the platform does not show where the application belongs. */
  readonly isUnproven?: boolean;
}

/**
 * Reads the parents of an application before anything is written or removed, unless the application's own resource has
 * verified it. A status is no proof: it only saves this read, and only on the full surface, which shows no application
 * outside of the token's organization.
 */
async function placeOf(context: SetContext, id: Uuid, api: Platform): Promise<Place> {
  const { allowedProjects, allowUnverifiedIds } = context.policies;
  const targets = context.inputs.targets.filter((one) => one.id === id);
  const isOwn = targets.some(({ name }) => name !== undefined);
  const isWritten = context.goal === "present" && targets.length > 0;
  if ((isOwn || (isWritten && isRoutine(context, id))) && allowedProjects === undefined) return {};
  const application = await readOnFull(context, api, () => api.applications.get(id), ["NotFound"]);
  if (application?.environment !== undefined) return await placeIn(context, application.environment.id, api);
  // From an application that nothing shows and that is not written to, nothing is removed.
  const isAccepted = isOwn || allowUnverifiedIds || (application === undefined && !isWritten);
  return { refused: isAccepted ? undefined : { is: "unproven" }, isUnproven: !isOwn };
}

/** Reports whether its own resource, or an earlier reconcile, verified where an application belongs. */
export function isVerified({ inputs, memory }: Pick<SetContext, "inputs" | "memory">, id: Uuid): boolean {
  return ownedIn(memory, id)?.written !== undefined || inputs.targets.find((one) => one.id === id)?.name !== undefined;
}

async function placeIn(context: SetContext, environmentId: Uuid, api: Platform): Promise<Place> {
  const { allowedProjects, allowUnverifiedIds } = context.policies;
  const place = await placeOfEnvironment(context, api, environmentId);
  if (place.is === "absent") return { refused: { is: "elsewhere" } };
  if (place.is === "unknown") return { refused: allowUnverifiedIds ? undefined : { is: "unproven" } };
  const { projectId } = place;
  return allowedProjects?.includes(projectId) === false ? { refused: { is: "outside", projectId } } : {};
}

/** Reports whether an earlier write verified the application, and the set has nothing to remove there. */
function isRoutine(context: SetContext, id: Uuid): boolean {
  // Where nothing shows the application, a status is not enough.
  if (!context.isFull) return false;
  const owned = ownedIn(context.memory, id) ?? {};
  return isVerified(context, id) && leftovers(owned, context.inputs.variables).length === 0;
}

/** Reads the lists of an application where something is to be done or compared. */
async function listsOf(context: SetContext, application: Application, api: Platform): Promise<VariableLists> {
  const { id, isWanted } = application;
  const { facts } = targetOf(context, application, { ...NOTHING_READ, targets: new Map() });
  const isDue = isLookDue(context, api, id, false);
  const isOpen = !isInPlace(facts) || (facts.leftovers.length > 0 && (context.isFull || !isWanted));
  if (!isDue && !isOpen) return {};
  const lists = await readLists(context, id, api);
  const shown: Observed = { ...NOTHING_READ, targets: new Map([[id, { is: "shown", lists }]]) };
  if (isInPlace(targetOf(context, application, shown).facts)) noteLook(context, api, id, false);
  return lists;
}

const NOTHING_READ = { sent: new Map(), serverNow: undefined };
