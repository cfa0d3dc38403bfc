import type { KeyValues } from "../../../src/kube/api/types.ts";

/** The content of a Secret or a ConfigMap. @param data null for bytes that are not text */
export function keyValues(resourceVersion: string, data: Readonly<Record<string, string | null>>): KeyValues {
  const stored = new Map(Object.entries(data));
  return {
    uid: `uid-${resourceVersion}`,
    resourceVersion,
    keys: [...stored.keys()],
    get: (key) => stored.get(key),
  };
}
