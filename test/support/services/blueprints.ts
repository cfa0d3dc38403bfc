import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { platformBlueprint } from "../../../src/kinds/blueprint/crd.ts";
import { blueprint } from "../../../src/kinds/blueprint/index.ts";
import {
  NOTHING_OBSERVED,
  type BlueprintContext,
  type BlueprintService,
  type Observed,
} from "../../../src/kinds/blueprint/model.ts";
import { buildContext, type SpecChange } from "../kinds/contexts.ts";
import { planTable, said } from "../kinds/plans.ts";
import { ENVIRONMENT, NOW, print, statusOf } from "./applications.ts";

export const BLUEPRINT = "00000000-0000-4000-8000-0000000000b7";
export const SERVICE = "00000000-0000-4000-8000-0000000000a7";

/** A spec as a user writes it: the service is deployed. */
export function rawSpec(change: JsonObject = {}): JsonObject {
  return {
    environmentRef: { name: "staging" },
    name: "cache",
    tag: "redis/3.0.0",
    icon: "https://icons.example.com/redis.svg",
    deployOnCreate: true,
    ...change,
  };
}

export const specOf = (change: JsonObject = {}) => platformBlueprint.spec.parse(rawSpec(change));

export const ago = (minutes: number): string => new Date(NOW.getTime() - minutes * 60_000).toISOString();

export type Change = SpecChange<BlueprintContext>;

/** The context of a blueprint that the operator created and has seen in the list, on the full surface. */
export function contextWith({ spec, memory, ...change }: Change = {}): BlueprintContext {
  const usual = {
    name: "cache",
    spec: specOf(spec),
    inputs: { environmentId: ENVIRONMENT, variables: [], objects: [], fingerprint: print("none") },
    now: NOW,
    id: BLUEPRINT,
    memory: { serviceId: SERVICE, createdAt: ago(60), ...memory },
    surface: "Full",
  } as const;
  return buildContext<BlueprintContext>(usual, change);
}

export function listed(change: Partial<BlueprintService> = {}): BlueprintService {
  return { id: BLUEPRINT, serviceId: SERVICE, name: "cache", type: "HELM", icon: undefined, ...change };
}

/** The observation of a service in this state; without a state, of no service. */
export function observedIn(state: string | undefined, change: Partial<Observed> = {}): Observed {
  return {
    ...NOTHING_OBSERVED,
    siblings: state === undefined ? [] : [listed()],
    status: state === undefined ? undefined : statusOf(state, { id: SERVICE }),
    ...change,
  };
}

export const plans = planTable((change: Change, observed: Observed) =>
  said(blueprint.plan(contextWith(change), observed)),
);
