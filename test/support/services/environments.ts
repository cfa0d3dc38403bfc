/** Contexts and observations of environments for tests of their pure code. */
import { environment } from "../../../src/kinds/environment/index.ts";
import type { EnvironmentContext, EnvironmentObserved } from "../../../src/kinds/environment/observe.ts";
import type { Environment } from "../../../src/platform/areas/environments.ts";
import { type FlatContext, grouped, USUAL_CONTEXT } from "../kinds/policies.ts";
import { supportsOn, type OnSurface } from "../kinds/supports.ts";

export const PROJECT = "00000000-0000-4000-8000-0000000000b1";
export const MINE = "00000000-0000-4000-8000-0000000000e1";
export const OTHER = "00000000-0000-4000-8000-0000000000e2";
export const CLUSTER = "00000000-0000-4000-8000-0000000000c1";
export const ELSEWHERE = "00000000-0000-4000-8000-0000000000c2";
export const NOW = new Date("2026-11-21T10:00:00Z");

export type Change = OnSurface & Partial<Omit<FlatContext<EnvironmentContext>, "spec">> & { readonly spec?: object };

export function contextOf({ spec, ...rest }: Change = {}): EnvironmentContext {
  const least = { projectRef: { name: "shop" }, name: "staging", mode: "STAGING", clusterRef: { externalId: CLUSTER } };
  return grouped({
    name: "staging",
    spec: environment.resource.spec.parse({ ...least, ...spec }),
    inputs: { projectId: PROJECT, clusterId: CLUSTER },
    now: NOW,
    id: MINE,
    identitySource: "recorded",
    memory: {},
    supports: supportsOn(rest.surface ?? "Documented"),
    ...USUAL_CONTEXT,
    ...rest,
  });
}

export const record = (change: Partial<Environment> = {}): Environment => ({
  id: MINE,
  name: "staging",
  mode: "STAGING",
  clusterId: CLUSTER,
  record: {},
  ...change,
});

export function observedOf(change: Partial<EnvironmentObserved> = {}): EnvironmentObserved {
  const { counts = [{ id: MINE }] } = change;
  return {
    counts,
    presence: counts.some(({ id }) => id === MINE) ? "Present" : "Gone",
    records: undefined,
    projectIsOurs: true,
    serverNow: NOW,
    updated: false,
    deleting: false,
    ...change,
  };
}
export const observedFull = (...records: readonly Environment[]): EnvironmentObserved =>
  observedOf({ records, counts: records.map(({ id }) => ({ id })) });

export const full = { surface: "Full" } as const;
export const fresh = { id: undefined, identitySource: undefined } as const;
export const none = observedOf({ counts: [] });
