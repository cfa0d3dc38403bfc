/** Who refers to whom among the custom resources: for wake-ups, and for parents that wait for their children. */
import type { ObjectKey } from "../../kube/api/types.ts";
import { keyText } from "../contract/keys.ts";

export interface DependencyIndex {
  /**
   * Records what an object refers to, in place of what it referred to before; none forgets the object.
   * @param loosely what else it refers to, without holding up its end
   */
  set(object: ObjectKey, refersTo: readonly ObjectKey[], loosely?: readonly ObjectKey[]): void;
  /** The keys (as text) of those that refer to `object`. */
  dependents(object: ObjectKey): readonly string[];
  /** Those among them that have to go before it. */
  children(object: ObjectKey): readonly string[];
  /** The keys (as text) that `object` refers to. */
  references(object: ObjectKey): readonly string[];
}

export function createDependencyIndex(): DependencyIndex {
  const forward = new Map<string, ReadonlySet<string>>();
  const backward = new Map<string, Set<string>>();
  const loose = new Map<string, ReadonlySet<string>>();
  return {
    set: (object, refersTo, loosely = []) => {
      const from = keyText(object);
      for (const to of forward.get(from) ?? []) {
        backward.get(to)?.delete(from);
        if (backward.get(to)?.size === 0) backward.delete(to);
      }
      forward.delete(from);
      loose.delete(from);
      const targets = new Set([...refersTo, ...loosely].map(keyText));
      if (targets.size === 0) return;
      if (loosely.length > 0) loose.set(from, new Set(loosely.map(keyText)));
      forward.set(from, targets);
      for (const to of targets) backward.set(to, (backward.get(to) ?? new Set()).add(from));
    },
    dependents: (object) => [...(backward.get(keyText(object)) ?? [])],
    children: (object) => {
      const to = keyText(object);
      return [...(backward.get(to) ?? [])].filter((from) => loose.get(from)?.has(to) !== true);
    },
    references: (object) => [...(forward.get(keyText(object)) ?? [])],
  };
}
