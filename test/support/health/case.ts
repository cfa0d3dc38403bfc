/** One status of the operator, with the expected health in Argo CD and Flux. */
import { API_VERSION, GROUP } from "../../../src/api/names.ts";
import type { JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { SMALLEST } from "../kinds/spec-cases.ts";

export type Health = "Healthy" | "Progressing" | "Degraded" | "Suspended";
export type Kstatus = "Current" | "InProgress" | "Failed";

export interface HealthCase {
  /** A file name without its extension. */
  readonly name: string;
  readonly object: KubeObject;
  readonly health: Health;
  readonly kstatus: Kstatus;
}

export const NOW = new Date("2026-11-21T10:00:00.000Z");

export function created(kind: string): KubeObject {
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: {
      name: kind.replace(/^(?:Cluster)?Platform/, "").toLowerCase(),
      ...(kind.startsWith("Cluster") ? {} : { namespace: "shop" }),
      uid: "00000000-0000-4000-8000-000000000001",
      resourceVersion: "1",
      generation: 1,
    },
    spec: (SMALLEST[kind] ?? {}) as JsonObject,
    status: { observedGeneration: -1 },
  };
}

export function annotated(object: KubeObject, annotation: string, value: string): KubeObject {
  const annotations = { ...object.metadata.annotations, [`${GROUP}/${annotation}`]: value };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
