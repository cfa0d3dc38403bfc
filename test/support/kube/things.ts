import type { Json, JsonObject, KubeObject, ResourceType } from "../../../src/kube/api/types.ts";

/** A resource type of the tests; the integration tests install its CRD. */
export const THING: ResourceType = {
  group: "test.platform-operator.io",
  version: "v1",
  kind: "Thing",
  plural: "things",
  namespaced: true,
};

export function thing(
  name: string,
  resourceVersion: string,
  more: { uid?: string; spec?: Json; meta?: JsonObject } = {},
) {
  return {
    apiVersion: "test.platform-operator.io/v1",
    kind: "Thing",
    metadata: { name, namespace: "default", uid: more.uid ?? `uid-${name}`, resourceVersion, ...more.meta },
    spec: more.spec ?? {},
  } satisfies KubeObject & JsonObject;
}

export function thingList(resourceVersion: string, items: readonly Json[], next = ""): JsonObject {
  return {
    apiVersion: "test.platform-operator.io/v1",
    kind: "ThingList",
    metadata: { resourceVersion, continue: next },
    items,
  };
}
