import { API_VERSION } from "../../../src/api/names.ts";
import type { JsonObject, KubeObject, ObjectMeta } from "../../../src/kube/api/types.ts";

let version = 0;

/** A custom resource as the API server stores it: newer than all before, of generation 1, in "shop" if namespaced. */
export function stored(
  kind: string,
  name: string,
  more: { readonly spec?: JsonObject; readonly status?: JsonObject; readonly metadata?: Partial<ObjectMeta> } = {},
): KubeObject {
  const { metadata, ...rest } = more;
  const namespace = kind.startsWith("Cluster") ? {} : { namespace: "shop" };
  version += 1;
  const fixed = { name, ...namespace, uid: name, resourceVersion: String(version), generation: 1 };
  return { apiVersion: API_VERSION, kind, metadata: { ...fixed, ...metadata }, spec: {}, ...rest };
}

export type StoredCondition = readonly [type: string, status: string, reason: string];

/** Conditions of a status; the message is the reason as a sentence. */
export function conditionsOf(conditions: readonly StoredCondition[]): JsonObject[] {
  return conditions.map(([type, status, reason]) => ({ type, status, reason, message: `${reason}.` }));
}

/** The application "api", whose status has these conditions for its generation, 2. */
export function evaluated(
  conditions: readonly StoredCondition[],
  status: JsonObject = {},
  metadata: Partial<ObjectMeta> = {},
): KubeObject {
  return stored("PlatformApplication", "api", {
    metadata: { generation: 2, ...metadata },
    status: { observedGeneration: 2, conditions: conditionsOf(conditions), ...status },
  });
}
