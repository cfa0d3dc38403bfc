/** Reads the two lists of each application, and the parents of an application that was given by its id. */
import type { Uuid } from "../../engine/contract/kind.ts";
import type { Variable } from "../../platform/areas/variables.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { offered } from "../shared/answers.ts";
import { projectOfEnvironment } from "../shared/limits.ts";
import { fit, fitOptional, ID } from "../shared/text.ts";
import type { Listed, Lists, Seen, SetContext, Sight } from "./model.ts";
import { isInPlace, isVerified, leftovers } from "./target.ts";

/** @throws ApiError */
export async function observe(context: SetContext, api: Platform): Promise<Seen> {
  const known = context.memory.targets ?? [];
  const wanted = context.inputs.targets.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const ids = [...new Set([...(context.goal === "present" ? wanted : []), ...known.map((one) => one.applicationId)])];
  const failures: ApiError[] = [];
  const sights = await Promise.all(
    ids.map(async (id): Promise<[Uuid, Sight]> => [id, await sightOf(context, id, api, failures)]),
  );
  // A failure for all applications is the token's, and not theirs.
  const [failure] = failures;
  if (failure !== undefined && failures.length === ids.length) await askElsewhere(context, api, failure);
  return { targets: new Map(sights), sent: new Set(), serverNow: api.serverNow() };
}

/**
 * Deployed services forbid what is under a deleted parent (docs/architecture.md §9): what goes need not wait for that.
 * @throws ApiError where the token is not good for anything
 */
async function askElsewhere({ goal }: SetContext, api: Platform, failure: ApiError): Promise<void> {
  if (goal === "present") throw failure;
  await api.projects.list();
}

/** A deleted or forbidden application does not hold up its neighbours. */
async function sightOf(context: SetContext, id: Uuid, api: Platform, failures: ApiError[]): Promise<Sight> {
  try {
    const { refused, isUnproven = false } = await placeOf(context, id, api);
    if (refused !== undefined) return refused;
    const lists = listsOf(context, id);
    const [variables, secrets] = await Promise.all([
      lists.variables ? api.variables.list(id) : [],
      lists.secrets ? api.variables.listSecrets(id) : [],
    ]);
    const entries = [...variables.map((one) => listed(one, false)), ...secrets.map((one) => listed(one, true))];
    return { is: "shown", entries, lists, ...(isUnproven && { isUnproven }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.failure.is === "NotFound") return { is: "missing" };
    if (error.failure.is !== "Forbidden") throw error;
    failures.push(error);
    return { is: "forbidden" };
  }
}

/**
 * The way up is looked at before anything is written or removed, but where the application's own resource vouches for
 * it. A status is a hint: what it records saves that look alone, and on the full surface alone, which knows no
 * application outside of the token's organization.
 */
async function placeOf(context: SetContext, id: Uuid, api: Platform): Promise<Place> {
  const {
    inputs,
    policies: { allowedProjects },
  } = context;
  const target = inputs.targets.find((one) => one.id === id);
  const isOwn = target?.name !== undefined;
  const isWritten = context.goal === "present" && target !== undefined;
  const unproven: Sight | undefined = isOwn || context.policies.allowUnverifiedIds ? undefined : { is: "unproven" };
  const isProven = isOwn || (isWritten && isRoutine(context, id));
  if (isProven && allowedProjects === undefined) return { refused: undefined };
  const application = await offered(api, "getApplication", () => api.applications.get(id));
  // Nothing is removed from it.
  if (application === undefined) return { refused: isWritten ? unproven : undefined, isUnproven: !isOwn };
  const { environment } = application;
  if (environment === undefined) return { refused: unproven, isUnproven: !isOwn };
  return { refused: await placeIn(environment.id, allowedProjects, api) };
}

interface Place {
  /** What prevents reading and writing. */
  readonly refused: Sight | undefined;
  /** The id is accepted although the platform does not show where the application belongs. */
  readonly isUnproven?: boolean;
}

/** Whether an earlier write made sure of the application, and nothing that the set created is to be removed there. */
function isRoutine(context: SetContext, id: Uuid): boolean {
  // Where nothing shows the application, a status gives no right.
  if (context.supports("getApplication") !== "Supported") return false;
  const known = context.memory.targets?.find(({ applicationId }) => applicationId === id);
  return (
    isVerified(context, id) && (known === undefined || leftovers({ wanted: true, known }, context.inputs).length === 0)
  );
}

async function placeIn(
  environmentId: Uuid,
  allowedProjects: readonly Uuid[] | undefined,
  api: Platform,
): Promise<Sight | undefined> {
  const projectId = await projectOfEnvironment(api, environmentId);
  if (projectId === undefined) return { is: "elsewhere" };
  return allowedProjects?.includes(projectId) === false ? { is: "outside", projectId } : undefined;
}

/** Both where something is to be done or read back; else those that hold what the set has. */
function listsOf(context: SetContext, id: Uuid): Lists {
  const { variables } = context.inputs;
  const known = context.memory.targets?.find(({ applicationId }) => applicationId === id);
  const names = new Set(variables.map(({ name }) => name));
  const isSettled =
    context.goal === "present" &&
    known !== undefined &&
    known.before === undefined &&
    variables.every((variable) => isInPlace(known, variable, context.inputs)) &&
    known.variables?.every(({ key }) => names.has(key)) === true;
  if (!isSettled) return { variables: true, secrets: true };
  return {
    variables: variables.some(({ isSecret }) => !isSecret),
    secrets: variables.some(({ isSecret }) => isSecret),
  };
}

/** As it may be stored: the platform's texts are cut. */
function listed({ id, key, scope, createdAt, updatedAt }: Variable, isSecret: boolean): Listed {
  return {
    id: fit(id, ID),
    key,
    isSecret,
    scope,
    createdAt: fitOptional(createdAt, ID),
    updatedAt: fitOptional(updatedAt, ID),
  };
}
