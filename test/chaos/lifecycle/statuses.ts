/** Compares statuses with the platform. */
import type { World } from "../../../simulator/model/world.ts";
import { member, stringMember } from "../../../src/kube/api/json.ts";
import type { Json } from "../../../src/kube/api/types.ts";
import { servicePhase } from "../../../src/platform/codec/states.ts";

/** The state of an object after a write of the operator. */
export interface Sample {
  readonly name: string;
  readonly generation: number;
  readonly status: Json | undefined;
  /** How the platform differed from the status at that moment. */
  readonly mismatch?: string | undefined;
}

/**
 * O5: observedGeneration never decreases nor exceeds the generation, lastTransitionTime changes only with its
 * condition, and no object is Ready that the platform does not have or that failed there.
 */
export function inaccurateStatuses(samples: readonly Sample[]): readonly string[] {
  const found: string[] = [];
  const last = new Map<string, { readonly observed: number; readonly conditions: ReadonlyMap<string, Stamp> }>();
  for (const { name, generation, status, mismatch } of samples) {
    if (mismatch !== undefined) found.push(`O5 ${name}: Ready, while ${mismatch}`);
    const observed = Number(member(status, "observedGeneration") ?? 0);
    const conditions = stampsOf(status);
    const before = last.get(name);
    if (observed > generation) found.push(`O5 ${name}: observedGeneration ${observed} of generation ${generation}`);
    if (before !== undefined && observed < before.observed) {
      found.push(`O5 ${name}: observedGeneration went from ${before.observed} to ${observed}`);
    }
    for (const [type, { is, at }] of conditions) {
      const old = before?.conditions.get(type);
      if (old?.is === is && old.at !== at)
        found.push(`O5 ${name}: ${type} stayed ${is}, but lastTransitionTime changed`);
    }
    last.set(name, { observed, conditions });
  }
  return found;
}

interface Stamp {
  readonly is: string;
  readonly at: string;
}

function stampsOf(status: Json | undefined): ReadonlyMap<string, Stamp> {
  const conditions = member(status, "conditions");
  const list = Array.isArray(conditions) ? conditions : [];
  return new Map(
    list.map((condition: Json) => [
      stringMember(condition, "type") ?? "",
      { is: stringMember(condition, "status") ?? "", at: stringMember(condition, "lastTransitionTime") ?? "" },
    ]),
  );
}

/** Returns how the platform differs from the status of a Ready object; undefined if it does not. */
export function mismatchOf(status: Json | undefined, world: World): string | undefined {
  const id = stringMember(status, "externalId") ?? "";
  if (id === "" || stampsOf(status).get("Ready")?.is !== "True") return undefined;
  const { projects, environments, services, webhooks, blueprints, clusters } = world;
  const service = services.get(id);
  // Only a failed state counts: an action that someone else began is observed by the next poll.
  if (service !== undefined) {
    return servicePhase(service.state) === "failed" ? `the platform has it ${service.state}` : undefined;
  }
  const others: readonly ReadonlyMap<string, unknown>[] = [projects, environments, webhooks, blueprints, clusters];
  return others.some((objects) => objects.has(id)) ? undefined : "the platform does not have it";
}
