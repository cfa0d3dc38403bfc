import type { Fact } from "../../../src/console/tree/facts.ts";

/** The fact of an object that is Ready, in the namespace "shop". */
export function fact(kind: string, name: string, more: Partial<Fact> = {}): Fact {
  const { namespace = "shop" } = more;
  const nothing = { parent: undefined, state: "", since: "", commit: "", externalId: "" };
  const ready = { mark: "ready", reason: "Available", message: "It is there." } as const;
  return { id: `${kind}/${namespace}/${name}`, kind, namespace, name, ...nothing, ...ready, ...more };
}
