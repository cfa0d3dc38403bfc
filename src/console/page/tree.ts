/** The custom resources of the cache as a tree, made when somebody looks, and kept until something changes. */
import { setImmediate } from "node:timers/promises";

import type { Cache, Clock, KubeObject } from "../../kube/api/types.ts";
import { TYPES } from "../../operator/config/caches.ts";
import type { Fact, Mark } from "../tree/facts.ts";
import { createFactCache, hierarchyOf, type Branch } from "../tree/hierarchy.ts";

/** One object in its place. */
export interface TreeRow {
  readonly fact: Fact;
  readonly depth: number;
  /** Where its parent stands among the nodes; undefined at the root. */
  readonly parent: number | undefined;
}

/** All objects, each after its parent. */
export interface Tree {
  readonly nodes: readonly TreeRow[];
  readonly counts: Readonly<Record<Mark, number>>;
}

export type Trees = ReturnType<typeof createTrees>;

/** How long thousands of new objects may keep the process from its work at a time, in milliseconds. */
const SLICE_MS = 10;

/** @returns the trees of a cache. */
export function createTrees(cache: Cache, clock: Pick<Clock, "monotonic">) {
  const facts = createFactCache();
  let kept: Tree | undefined;
  let making: Promise<Tree> | undefined;

  const objects = (): readonly KubeObject[] => TYPES.flatMap(({ kind }) => cache.list(kind));

  const make = async (): Promise<Tree> => {
    let began = clock.monotonic();
    for (const object of objects()) {
      facts.add(object);
      if (clock.monotonic() - began < SLICE_MS) continue;
      await setImmediate();
      began = clock.monotonic();
    }
    // In one go: what changed meanwhile is in it.
    kept = treeOf(hierarchyOf(facts.factsOf(objects())));
    return kept;
  };

  return {
    /** @returns the tree of now. Those that ask at once share the work. */
    read: async (): Promise<Tree> => {
      if (kept !== undefined) return kept;
      making ??= make().finally(() => {
        making = undefined;
      });
      return making;
    },
    /** To be called for every change of the cache. */
    changed: (): void => {
      kept = undefined;
    },
  };
}

/** @returns the branches one below the other. */
export function treeOf(branches: readonly Branch[]): Tree {
  const nodes: TreeRow[] = [];
  const counts = { new: 0, working: 0, ready: 0, warned: 0, stalled: 0, deleting: 0 };
  const add = ({ fact, children }: Branch, depth: number, parent: number | undefined): void => {
    const at = nodes.push({ fact, depth, parent }) - 1;
    counts[fact.mark] += 1;
    for (const child of children) add(child, depth + 1, at);
  };
  for (const branch of branches) add(branch, 0, undefined);
  return { nodes, counts };
}
