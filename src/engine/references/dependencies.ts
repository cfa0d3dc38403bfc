/** Indexes the references among custom resources: to wake dependents, and to let parents wait for their children. */
import type { ObjectKey } from "../../kube/api/types.ts";
import { keyText } from "../contract/keys.ts";

export type DependencyIndex = ReturnType<typeof createDependencyIndex>;

export function createDependencyIndex() {
  const forward = new Map<string, ReadonlySet<string>>();
  const backward = new Map<string, Set<string>>();
  const loose = new Map<string, ReadonlySet<string>>();
  return {
    /**
     * Records the references of an object, in place of its earlier ones; without references the object is forgotten.
     * @param loosely further references, whose targets can be deleted before this object
     */
    set: (object: ObjectKey, refersTo: readonly ObjectKey[], loosely: readonly ObjectKey[] = []): void => {
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
    /** Returns the keys (as text) of the objects that refer to `object`. */
    dependents: (object: ObjectKey): readonly string[] => [...(backward.get(keyText(object)) ?? [])],
    /** Returns those dependents that must be deleted before `object`. */
    children: (object: ObjectKey): readonly string[] => {
      const to = keyText(object);
      return [...(backward.get(to) ?? [])].filter((from) => loose.get(from)?.has(to) !== true);
    },
    /** Returns the keys (as text) that `object` refers to. */
    references: (object: ObjectKey): readonly string[] => [...(forward.get(keyText(object)) ?? [])],
  };
}
