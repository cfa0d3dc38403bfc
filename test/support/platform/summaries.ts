import type { ObjectSummary } from "../../../src/console/tree/summary.ts";

/** The summary of an object that is Ready, in the namespace "shop". */
export function objectSummary(kind: string, name: string, more: Partial<ObjectSummary> = {}): ObjectSummary {
  const { namespace = "shop" } = more;
  const nothing = { parent: undefined, state: "", since: "", commit: "", externalId: "" };
  const ready = { mark: "ready", reason: "Available", message: "It is there." } as const;
  return { id: `${kind}/${namespace}/${name}`, kind, namespace, name, ...nothing, ...ready, ...more };
}
