/** What statuses say against what is so. */
import type { World } from "../../../simulator/model/world.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { Json } from "../../../src/kube/api/types.ts";
import { servicePhase } from "../../../src/platform/codec/states.ts";
import { textOf } from "./invariants.ts";

/** What one object looked like each time the operator had written to it. */
export interface Sample {
  readonly name: string;
  readonly generation: number;
  readonly status: Json | undefined;
  /** What the platform said otherwise at that moment. */
  readonly contradiction?: string | undefined;
}

/**
 * O5: what a status says is neither older nor newer than what was read, times change only with what they time, and
 * nothing is Ready that the platform knows otherwise.
 */
export function dishonesty(samples: readonly Sample[]): readonly string[] {
  const found: string[] = [];
  const last = new Map<string, { readonly observed: number; readonly conditions: ReadonlyMap<string, Stamp> }>();
  for (const { name, generation, status, contradiction } of samples) {
    if (contradiction !== undefined) found.push(`O5 ${name}: Ready, while ${contradiction}`);
    const observed = numberOf(member(status, "observedGeneration"));
    const conditions = stampsOf(status);
    const before = last.get(name);
    if (observed > generation) found.push(`O5 ${name}: observedGeneration ${observed} of generation ${generation}`);
    if (before !== undefined && observed < before.observed) {
      found.push(`O5 ${name}: observedGeneration went from ${before.observed} to ${observed}`);
    }
    for (const [type, { is, at }] of conditions) {
      const old = before?.conditions.get(type);
      if (old?.is === is && old.at !== at) found.push(`O5 ${name}: ${type} stayed ${is} and got another time`);
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
    list.map((one: Json) => [
      textOf(member(one, "type")),
      { is: textOf(member(one, "status")), at: textOf(member(one, "lastTransitionTime")) },
    ]),
  );
}

/**
 * @returns what on the platform is not as an object says that is Ready; undefined where it is, or says nothing of it
 */
export function contradictionOf(status: Json | undefined, world: World): string | undefined {
  const id = textOf(member(status, "externalId"));
  if (id === "" || stampsOf(status).get("Ready")?.is !== "True") return undefined;
  const { projects, environments, services, webhooks, blueprints, clusters } = world;
  const service = services.get(id);
  // What somebody has begun since it was looked at is news of the next look.
  if (service !== undefined) {
    return servicePhase(service.state) === "failed" ? `the platform has it ${service.state}` : undefined;
  }
  const others: readonly ReadonlyMap<string, unknown>[] = [projects, environments, webhooks, blueprints, clusters];
  return others.some((all) => all.has(id)) ? undefined : "the platform does not have it";
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
