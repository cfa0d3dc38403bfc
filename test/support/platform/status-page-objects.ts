import type { JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { stored } from "../kube/stored.ts";

const CLUSTER = "0a1b2c3d-0000-4000-8000-0000000000c1";
const SINCE = "2026-11-21T09:48:00Z";

type Conditions = Readonly<Record<string, readonly [status: string, reason: string, message: string]>>;

export interface Told {
  readonly conditions?: Conditions;
  readonly status?: JsonObject;
  readonly since?: string;
}

/** An object of a kind, Ready by default. */
export function objectOf(kind: string, name: string, spec: JsonObject, told: Told = {}): KubeObject {
  const { conditions = { Ready: ["True", "Available", "It is there."] }, status = {} } = told;
  return stored(kind, name, {
    metadata: { uid: `${kind}-shop-${name}` },
    spec,
    status: {
      observedGeneration: 1,
      conditions: Object.entries(conditions).map(([type, [state, reason, message]]) => ({
        type,
        status: state,
        reason,
        message,
        lastTransitionTime: told.since ?? SINCE,
        observedGeneration: 1,
      })),
      ...status,
    },
  });
}

export function projectOf(name: string, told: Told = {}): KubeObject {
  return objectOf("PlatformProject", name, { name }, told);
}

export function environmentOf(name: string, project: string, told: Told = {}): KubeObject {
  return objectOf(
    "PlatformEnvironment",
    name,
    { name, projectRef: { name: project }, clusterRef: { externalId: CLUSTER } },
    told,
  );
}

export function applicationOf(name: string, environment: string, told: Told = {}): KubeObject {
  const gitRepository = { url: "https://git.example.com/a/b.git" };
  return objectOf("PlatformApplication", name, { name, environmentRef: { name: environment }, gitRepository }, told);
}
