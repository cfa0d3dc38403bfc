/** Compares names of objects, decides on adoption, and returns the reasons of ids that cannot be used. */
import type { Plan, Uuid, StatusReason } from "../../engine/contract/kind.ts";
import { stalled } from "./checks.ts";
import type { Identified, WithPolicies, WithRecords } from "./types.ts";

/** Reports whether two names are the same: the platform's names are case-insensitive (docs/project/architecture.md §9). */
export function sameName(left: string, right: string): boolean {
  return left.trim().toLowerCase() === right.trim().toLowerCase();
}

/** An object in a list of the platform. */
export interface ListedObject {
  readonly id: Uuid;
  readonly name: string;
  readonly createdAt?: string;
}

/**
 * Decides whether an object of the same name prevents a create, or may be adopted.
 * @param matches the objects of that name
 * @param what e.g. `project "shop"`
 * @returns undefined when nothing of the name exists and one may be created
 */
export function adoptOrRefuse(
  context: WithPolicies<"adoption"> & WithRecords<"holderOf">,
  matches: readonly ListedObject[],
  what: string,
): Plan<never> | undefined {
  const { adoption } = context.policies;
  const [first, ...others] = matches;
  if (first === undefined) {
    if (adoption !== "Required") return undefined;
    const message = `There is no ${what} on the platform, and adoptionPolicy Required forbids the creation of one.`;
    return { is: "waiting", why: { reason: "DependencyNotReady", message } };
  }
  const { id } = first;
  const holder = context.records.holderOf(id);
  if (holder !== undefined) return { is: "stalled", why: alreadyManaged(id, holder) };
  if (others.length > 0) {
    const message = `There are ${matches.length} of ${what} on the platform. Set spec.externalId to the right one.`;
    return stalled("DuplicateRemote", message);
  }
  if (adoption === "Never") {
    const message = `Another ${what} exists on the platform (${id}). Set spec.externalId to adopt it, or choose another spec.name.`;
    return stalled("NameConflict", message);
  }
  return { is: "adopt", id };
}

/** Returns the reason of an object that another custom resource holds. */
export function alreadyManaged(id: Uuid, holder: string): StatusReason {
  const message = `The object ${id} belongs to the resource "${holder}" already. Delete one of the two resources; the platform's object stays under deletionPolicy Retain.`;
  return { reason: "AlreadyManaged", message };
}

/**
 * Stalls if the platform has a later object with the name of one that was created here. Names are unique; a platform
 * that does not enforce this has such an object if a create that was given up took effect later.
 * @param what e.g. `project "shop"`
 * @returns undefined when there is none, or when the user has confirmed by its id which one is meant
 */
export function checkDuplicate(
  {
    spec,
    identitySource,
    records: { holderOf },
  }: WithRecords<"holderOf"> & Identified & { readonly spec: { readonly externalId?: Uuid | undefined } },
  own: ListedObject | undefined,
  list: readonly ListedObject[],
  what: string,
): Plan<never> | undefined {
  if (own === undefined || identitySource !== "recorded" || spec.externalId !== undefined) return undefined;
  const since = Date.parse(own.createdAt ?? "");
  const late = list.find(
    ({ id, name, createdAt }) =>
      id !== own.id && sameName(name, own.name) && Date.parse(createdAt ?? "") >= since && holderOf(id) === undefined,
  );
  if (late === undefined) return undefined;
  const message = `There is another ${what} on the platform, ${late.id}, created after this resource's own, ${own.id}: perhaps by a request of this resource that was given up. Nothing is deleted. Delete it there, or set spec.externalId to ${own.id}.`;
  return stalled("DuplicateRemote", message);
}

/**
 * Returns the reason of a resource whose object is gone from the platform.
 * @param hasOnMissing whether the kind has spec.lifecycle.onMissing
 */
export function reasonDeleted(what: string, id: Uuid, hasOnMissing = true): StatusReason {
  const recreate = hasOnMissing ? ", or set spec.lifecycle.onMissing to Recreate" : "";
  const message = `The platform has no ${what} with the id ${id} any more. Nothing is created in its place: delete this resource and apply it again${recreate}.`;
  return { reason: "ExternalResourceDeleted", message };
}

/**
 * Returns the plan for an object that is not shown: to forget it, so that it is created again, if it is proven gone and
 * onMissing is Recreate; else to stall.
 */
export function planGone(
  context: Identified & WithPolicies<"onMissing">,
  why: StatusReason,
): Extract<Plan<never>, { readonly why: StatusReason }> {
  const isGone = why.reason === "ExternalResourceDeleted" && context.identitySource === "recorded";
  const recreates = isGone && context.policies.onMissing === "Recreate";
  return { is: recreates ? "forget" : "stalled", why };
}

/**
 * Returns the reason of a given or claimed id under which the platform shows nothing.
 * @param advice what to do, where the id cannot be removed
 */
export function reasonNotFound(what: string, id: Uuid, where: string, advice = "Fix or remove the id."): StatusReason {
  const message = `The platform shows no ${what} with the id ${id} in ${where}. ${advice}`;
  return { reason: "InvalidSpec", message };
}

/** Returns the reason of an id whose object has another name than the spec: it is neither adopted nor deleted. */
export function reasonOtherName(what: string, id: Uuid): StatusReason {
  const message = `The object ${id} has another name than spec.name, so it may not be the intended ${what}; it is neither adopted nor deleted.`;
  return { reason: "NameConflict", message };
}

/**
 * Returns why nothing may be done in a project that the connection's allowedProjects lacks.
 * @param project its id, if known
 */
export function projectNotAllowed(
  { policies: { allowedProjects } }: WithPolicies<"allowedProjects">,
  project: string | undefined,
): StatusReason | undefined {
  if (project === undefined || allowedProjects?.includes(project) !== false) return undefined;
  const message = `The connection's spec.allowedProjects does not list ${project}, or spec.allowedNamespaces gives this namespace other projects only. A person who may edit the connection can add it.`;
  return { reason: "PermissionDenied", message };
}

/** Returns why nothing in a project outside of allowedProjects is deleted or stopped, even if it is recorded. */
export function reasonOutsideProjects(
  context: WithPolicies<"allowedProjects">,
  projectId: Uuid | undefined,
): StatusReason | undefined {
  const refused = projectNotAllowed(context, projectId);
  return refused && { reason: "NotObservable", message: `${refused.message} Nothing is deleted or stopped.` };
}

/** An object that a list of the platform does not show. */
export interface UnshownObject {
  /** E.g. "project". */
  readonly noun: string;
  readonly name: string;
  readonly id: Uuid;
  /** E.g. "the organization". */
  readonly where: string;
}

/** Returns the reason of an id that the platform does not show. */
export function reasonNotShown({ identitySource }: Identified, { noun, name, id, where }: UnshownObject): StatusReason {
  if (identitySource === "recorded") return reasonDeleted(`${noun} "${name}"`, id);
  if (identitySource !== "orphaned") return reasonNotFound(noun, id, where);
  const message = `The platform shows no ${noun} with the id ${id} in ${where}.`;
  return { reason: "ExternalResourceDeleted", message };
}

/** Reports whether an id that others may have written leads to an object of another name than the spec's. */
export function isMisnamed(
  { identitySource, spec }: Identified & { readonly spec: { readonly name: string } },
  found: { readonly name: string } | undefined,
): boolean {
  const isChecked = identitySource === "claimed" || identitySource === "orphaned";
  return isChecked && found !== undefined && !sameName(found.name, spec.name);
}
