/** Which trials a run makes of a kind's leaves. */
import { createHash } from "node:crypto";

import type { Surface } from "../../../simulator/base/operations.ts";
import type { Env } from "../../support/env/env.ts";
import { casesOf, type LeafCases } from "./cases.ts";
import type { Lane } from "./lane.ts";
import type { Entry } from "./outcomes.ts";
import { placed } from "./place.ts";
import type { KindSchema } from "./schema.ts";
import { tryBoundary, tryChange, tryCreation, tryMisuse, type Back, type Subject } from "./trial.ts";

export interface Trial {
  readonly title: string;
  /** @returns what is wrong */
  readonly run: () => Promise<readonly string[]>;
}

/**
 * All trials of a kind.
 * @param isKnown whether another kind has just this leaf, so that its bounds are tried there
 */
export function trialsOf(
  env: Env,
  surface: Surface,
  schema: KindSchema,
  lane: Lane,
  isKnown: (leaf: LeafCases) => boolean,
): readonly Trial[] {
  const { cases, fixture, name } = lane;
  const leaves = casesOf(schema, cases, fixture, name);
  const on = (leaf: LeafCases): Subject => ({ env, lane, name, leaf });
  /** The same leaf of an object of its own, for which everything stands. */
  const another = async (index: number, suffix: string): Promise<Subject> => {
    const other = `${name}-${index}${suffix}`;
    await lane.prepare(other);
    const leaf = casesOf(schema, cases, fixture, other)[index];
    if (leaf === undefined) throw new RangeError(other);
    return { env, lane, name: other, leaf };
  };
  const isLasting = surface === "documented" && cases.lasting === true;
  const trials = leaves.flatMap((leaf, index): readonly Trial[] => {
    const { path } = leaf.leaf;
    const { entry } = leaf;
    const isFinal = entry.oneWay === true || isLasting;
    const back = isFinal ? "none" : backOf(entry, surface);
    const changed = async (): Promise<readonly string[]> => {
      if (!isFinal && entry.in === undefined) return tryChange(on(leaf), surface, back);
      const fresh = await another(index, "f");
      await lane.create(fresh.name, fresh.leaf.base);
      // Its own id is known by now.
      return tryChange(await another(index, "f"), surface, back);
    };
    const hasBounds = !isFinal && entry.in === undefined && entry.full.is !== "locked" && !isKnown(leaf);
    const bounds = hasBounds ? leaf.boundaries : [];
    return [
      { title: `${path}: changed`, run: changed },
      { title: `${path}: created`, run: async () => tryCreation(await another(index, "c"), surface) },
      ...bounds.map((bound) => ({ title: bound.title, run: () => tryBoundary(on(leaf), surface, bound) })),
    ];
  });
  const here = (cases.misuses?.(fixture, name) ?? []).filter(({ only = surface }) => only === surface);
  const misuses = here.map((misuse): Trial => {
    const leaf = leaves.find(({ leaf: { path } }) => path === misuse.path);
    if (leaf === undefined) throw new RangeError(`${schema.kind} has no ${misuse.path}`);
    return {
      title: `${misuse.path}: misused as ${JSON.stringify(misuse.to)}`,
      run: () => tryMisuse(on(leaf), misuse, placed(leaf.base, leaf.leaf, misuse.to).spec),
    };
  });
  return [...misuses, ...trials];
}

/** On the documented surface there are hardly any updates: what was written there stays. */
function backOf(entry: Entry, surface: Surface): Back {
  if (entry[surface].is !== "sent") return "restores";
  if (surface === "documented") return "ready";
  return entry.stays === undefined ? "restores" : "leaves";
}

/** A choice of so many, in their order, the same for the same seed. @param nameOf tells one from the others */
export function chosen<T>(all: readonly T[], count: number, seed: number, nameOf: (one: T) => string): readonly T[] {
  const rank = (one: T): string =>
    createHash("sha256")
      .update(`${seed} ${nameOf(one)}`)
      .digest("hex");
  const picked = new Set(all.toSorted((a, b) => rank(a).localeCompare(rank(b))).slice(0, count));
  return all.filter((one) => picked.has(one));
}
