import type { JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { stored } from "../kube/stored.ts";

const SINCE = "2026-11-21T09:48:00Z";

interface Reported {
  readonly conditions?: Readonly<Record<string, readonly [status: string, reason: string, message: string]>>;
  readonly status?: JsonObject;
  readonly since?: string;
}

const READY = { Ready: ["True", "Available", "It is there."] } as const;

/** An object of a kind, Ready by default. */
function objectOf(
  kind: string,
  name: string,
  spec: JsonObject,
  { conditions = READY, status = {}, since = SINCE }: Reported = {},
): KubeObject {
  const seen = { observedGeneration: 1, lastTransitionTime: since };
  return stored(kind, name, {
    metadata: { uid: `${kind}-shop-${name}` },
    spec: { name, ...spec },
    status: {
      observedGeneration: 1,
      conditions: Object.entries(conditions).map(([type, [is, reason, message]]) => {
        return { type, status: is, reason, message, ...seen };
      }),
      ...status,
    },
  });
}

export const projectOf = (name: string, reported?: Reported): KubeObject =>
  objectOf("PlatformProject", name, {}, reported);

export function environmentOf(name: string, project: string, reported?: Reported): KubeObject {
  const clusterRef = { externalId: "0a1b2c3d-0000-4000-8000-0000000000c1" };
  return objectOf("PlatformEnvironment", name, { projectRef: { name: project }, clusterRef }, reported);
}

export function applicationOf(name: string, environment: string, reported?: Reported): KubeObject {
  const gitRepository = { url: "https://git.example.com/a/b.git" };
  return objectOf("PlatformApplication", name, { environmentRef: { name: environment }, gitRepository }, reported);
}
