/** Reads the two lists of each application, and the parents of an application that was given by its id. */
import type { Uuid } from "../../engine/contract/kind.ts";
import type { Variable } from "../../platform/areas/variables.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { projectOfEnvironment } from "../shared/limits.ts";
import { readOnFull } from "../shared/surface.ts";
import { fitOptional, fitText, ID } from "../shared/text.ts";
import type { ListedVariable, Observed, SetContext, TargetState } from "./model.ts";
import { applicationsOf, isInPlace, leftovers } from "./target.ts";

/** Reads the applications of a set. @throws ApiError if all are forbidden, and for failures but 403 and 404 */
export async function observe(context: SetContext, api: Platform): Promise<Observed> {
  const ids = applicationsOf(context).map(({ id }) => id);
  const failures: ApiError[] = [];
  const states = await Promise.all(
    ids.map(async (id): Promise<[Uuid, TargetState]> => [id, await stateOf(context, id, api, failures)]),
  );
  const [failure] = failures;
  // If the platform forbids all applications, the token is the cause, not the applications.
  if (failure !== undefined && failures.length === ids.length) {
    if (context.goal === "present") throw failure;
    // Deployed services forbid what is under a deleted parent (docs/architecture.md §9). A removal does not wait for
    // that, unless the token can read nothing at all.
    await api.projects.list();
  }
  return { targets: new Map(states), sent: new Set(), serverNow: api.serverNow() };
}

/** Reads an application. A deleted or forbidden one does not block the others. */
async function stateOf(context: SetContext, id: Uuid, api: Platform, failures: ApiError[]): Promise<TargetState> {
  try {
    const { refused, isUnproven = false } = await placeOf(context, id, api);
    if (refused !== undefined) return refused;
    return { is: "shown", entries: await entriesOf(context, id, api), ...(isUnproven && { isUnproven }) };
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
  if (application?.environment !== undefined) return await placeIn(application.environment.id, allowedProjects, api);
  // From an application that nothing shows and that is not written to, nothing is removed.
  const isAccepted = isOwn || allowUnverifiedIds || (application === undefined && !isWritten);
  return { refused: isAccepted ? undefined : { is: "unproven" }, isUnproven: !isOwn };
}

/** Reports whether its own resource, or an earlier reconcile, verified where an application belongs. */
export function isVerified({ inputs, memory }: Pick<SetContext, "inputs" | "memory">, id: Uuid): boolean {
  const isKnown = memory.targets?.some(({ applicationId, written }) => applicationId === id && written !== undefined);
  return isKnown === true || inputs.targets.find((one) => one.id === id)?.name !== undefined;
}

async function placeIn(
  environmentId: Uuid,
  allowedProjects: readonly Uuid[] | undefined,
  api: Platform,
): Promise<Place> {
  const projectId = await projectOfEnvironment(api, environmentId);
  if (projectId === undefined) return { refused: { is: "elsewhere" } };
  return allowedProjects?.includes(projectId) === false ? { refused: { is: "outside", projectId } } : {};
}

/** Reports whether an earlier write verified the application, and the set has nothing to remove there. */
function isRoutine(context: SetContext, id: Uuid): boolean {
  // Where nothing shows the application, a status is not enough.
  if (!context.isFull) return false;
  const known = context.memory.targets?.find(({ applicationId }) => applicationId === id);
  return (
    isVerified(context, id) && (known === undefined || leftovers({ wanted: true, known }, context.inputs).length === 0)
  );
}

/** Reads both lists where something is to be done or read back; else only those with variables of the set. */
async function entriesOf(context: SetContext, id: Uuid, api: Platform): Promise<readonly ListedVariable[]> {
  const { variables } = context.inputs;
  const known = context.memory.targets?.find(({ applicationId }) => applicationId === id);
  const names = new Set(variables.map(({ name }) => name));
  const isSettled =
    context.goal === "present" &&
    known !== undefined &&
    known.before === undefined &&
    variables.every((variable) => isInPlace(known, variable, context.inputs)) &&
    known.variables?.every(({ key }) => names.has(key)) === true;
  const needs = (secret: boolean) => !isSettled || variables.some(({ isSecret }) => isSecret === secret);
  const [plain, secrets] = await Promise.all([
    needs(false) ? api.variables.list(id) : [],
    needs(true) ? api.secrets.list(id) : [],
  ]);
  return [...plain.map((one) => listed(one, false)), ...secrets.map((one) => listed(one, true))];
}

/** Returns an entry as it may be stored: the platform's texts are cut. */
function listed({ id, key, scope, createdAt, updatedAt }: Variable, isSecret: boolean): ListedVariable {
  return {
    id: fitText(id, ID),
    key,
    isSecret,
    scope,
    createdAt: fitOptional(createdAt, ID),
    updatedAt: fitOptional(updatedAt, ID),
  };
}
