/** Decides whether a service may be worked on, and what to do before it has an id. Pure. */
import type { Plan, Presence, Uuid, Why } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { once } from "../shared/checks.ts";
import { createUnknown, nameMark } from "../shared/create-trace.ts";
import { unprovenId } from "../shared/limits.ts";
import {
  adoptOrRefuse,
  alreadyManaged,
  checkLatecomers,
  gone,
  notThere,
  otherName,
  projectNotAllowed,
  sameName,
  isMisnamed,
  unseen,
} from "../shared/names.ts";
import { isOpen, planUnshown } from "../shared/presence.ts";
import type { Listed, Noun, Place, ServiceContext } from "./model.ts";

interface Records {
  /** The services of this kind in the environment, where the platform lists them. */
  readonly siblings: readonly Listed[] | undefined;
}

interface Found extends Records {
  readonly status: ServiceStatus | undefined;
  /** What a list shows of it, where nothing else does. */
  readonly presence?: Presence | undefined;
  /** A fresh list of its environment proves that the recorded service is gone. */
  readonly isGone: boolean;
}

/** Refuses an environment of another organization, or in a project that the connection is not for. */
export function checkPlace(context: ServiceContext, { environmentIsOurs, projectId }: Place): Plan<never> | undefined {
  if (!environmentIsOurs) {
    return { is: "stalled", why: notThere("environment", context.inputs.environmentId, "the organization") };
  }
  const isOutside = projectId !== undefined && context.policies.allowedProjects?.includes(projectId) === false;
  return isOutside ? { is: "stalled", why: projectNotAllowed(projectId) } : undefined;
}

/** Creates the service, unless one of its name exists. @param op e.g. "createApplication" */
export function planNew(
  context: ServiceContext,
  seen: Records & { readonly serverNow: Date | undefined },
  { op, noun }: { readonly op: string; readonly noun: Noun },
): Plan<{ readonly what: "create" }> {
  const { name } = context.spec;
  const what = `${noun} "${name}"`;
  const matches = (seen.siblings ?? []).filter((one) => sameName(one.name, name));
  const found = adoptOrRefuse(context, matches, what);
  if (found !== undefined) return found;
  const why: Why = { reason: "Creating", message: `Creating ${what}.` };
  return once(op, { what: "create" }, why, { creates: true, name, mark: nameMark(seen.serverNow, seen.siblings) });
}

/**
 * Checks that the id leads to the right service, which may be worked on.
 * @returns undefined when it does
 */
export function checkIdentity(context: ServiceContext, seen: Found, id: Uuid, noun: Noun): Plan<never> | undefined {
  if (seen.status === undefined) {
    const missed = { noun, name: context.spec.name, id, where: "the environment" };
    if (isOpen(seen.presence)) return planUnshown(context, seen.presence, missed);
    const why = unseen(context, missed);
    return seen.isGone ? gone(context, why) : { is: "stalled", why };
  }
  if (isElsewhere(seen, id)) return { is: "stalled", why: elsewhere(noun, id) };
  const { siblings = [] } = seen;
  const mine = siblings.find((one) => one.id === id);
  return (
    checkClaim(context, mine, id, noun) ?? checkLatecomers(context, mine, siblings, `${noun} "${context.spec.name}"`)
  );
}

/**
 * Checks the claim to an existing object.
 * @param record as the platform shows it, if it does
 * @returns undefined when the claim is valid and recorded
 */
export function checkClaim(
  context: ServiceContext,
  record: Listed | undefined,
  id: Uuid,
  noun: Noun,
): Plan<never> | undefined {
  const holder = context.records.holderOf(id);
  if (holder !== undefined) return { is: "stalled", why: alreadyManaged(id, holder) };
  if (context.identitySource === "recorded") return undefined;
  const isProven = record !== undefined || context.identitySource === "orphaned";
  const unproven = isProven ? undefined : unprovenId(context, `${noun} ${id}`);
  if (unproven !== undefined) return { is: "stalled", why: unproven };
  return isMisnamed(context, record) ? { is: "stalled", why: otherName(noun, id) } : { is: "adopt", id };
}

/** Reports whether the environment's list lacks the service: a record may have been forged. */
export function isElsewhere({ siblings }: Records, id: Uuid): boolean {
  return siblings !== undefined && !siblings.some((one) => one.id === id);
}

/** The reason of a resource whose recorded id lies in another environment. */
export function elsewhere(noun: Noun, id: Uuid): Why {
  return {
    reason: "NotObservable",
    message: `The platform does not show that the ${noun} ${id} belongs to the environment of this resource, so it is not touched. Point the reference to its environment, or create a new resource.`,
  };
}

/** The reason why a create cannot be traced on the documented surface. @param name of what was to be created */
export function untraceable(name: string | undefined): Why {
  return createUnknown(name, "its surface has no list to look it up in");
}
