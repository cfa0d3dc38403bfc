/** Who refers to whom among the custom resources: for wake-ups, and for parents that wait for their children. */
import type { ObjectKey } from "../kube/types.ts";
import { keyText } from "./keys.ts";

export interface Graph {
  /** Records what an object refers to, in place of what it referred to before; none forgets the object. */
  set(object: ObjectKey, refersTo: readonly ObjectKey[]): void;
  /** The keys (as text) of those that refer to `object`. */
  dependents(object: ObjectKey): readonly string[];
  /** The keys (as text) that `object` refers to. */
  references(object: ObjectKey): readonly string[];
}

export function createGraph(): Graph {
  const forward = new Map<string, ReadonlySet<string>>();
  const backward = new Map<string, Set<string>>();
  return {
    set: (object, refersTo) => {
      const from = keyText(object);
      for (const to of forward.get(from) ?? []) {
        backward.get(to)?.delete(from);
        if (backward.get(to)?.size === 0) backward.delete(to);
      }
      forward.delete(from);
      if (refersTo.length === 0) return;
      const targets = new Set(refersTo.map(keyText));
      forward.set(from, targets);
      for (const to of targets) backward.set(to, (backward.get(to) ?? new Set()).add(from));
    },
    dependents: (object) => [...(backward.get(keyText(object)) ?? [])],
    references: (object) => [...(forward.get(keyText(object)) ?? [])],
  };
}
