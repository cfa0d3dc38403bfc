import { createHash } from "node:crypto";

import type { Surface } from "../../../simulator/base/operations.ts";
import type { Env } from "../../support/env/env.ts";
import { casesOf, type LeafCases } from "./cases.ts";
import type { Lane } from "./lane.ts";
import type { Entry } from "./outcomes.ts";
import { placed } from "./place.ts";
import { tryBoundary, tryChange, tryCreation, tryMisuse, type Revert, type Subject } from "./trial.ts";

export interface Trial {
  readonly title: string;
  readonly run: () => Promise<readonly string[]>;
}

/**
 * @returns all trials of a kind
 * @param isTried whether the bounds of the same leaf are tried on another kind
 */
export function trialsOf(
  env: Env,
  surface: Surface,
  lane: Lane,
  isTried: (leaf: LeafCases) => boolean,
): readonly Trial[] {
  const { kind, fixture, name } = lane;
  const { cases } = kind;
  const leaves = casesOf(kind, fixture, name);
  const on = (leaf: LeafCases): Subject => ({ env, lane, name, leaf });
  /** The same leaf of another object, whose dependencies are created. */
  const another = async (index: number, suffix: string): Promise<Subject> => {
    const other = `${name}-${index}${suffix}`;
    await lane.prepare(other);
    const leaf = casesOf(kind, fixture, other)[index];
    if (leaf === undefined) throw new RangeError(other);
    return { env, lane, name: other, leaf };
  };
  const isLasting = surface === "documented" && cases.lasting === true;
  const trials = leaves.flatMap((leaf, index): readonly Trial[] => {
    const { path } = leaf.leaf;
    const { entry } = leaf;
    const isFinal = entry.oneWay === true || isLasting;
    const revert = isFinal ? "none" : revertOf(entry, surface);
    const changed = async (): Promise<readonly string[]> => {
      if (!isFinal && entry.in === undefined) return tryChange(on(leaf), surface, revert);
      const fresh = await another(index, "f");
      await lane.create(fresh.name, fresh.leaf.base);
      // Again, since the cases may contain the id of the created object.
      return tryChange(await another(index, "f"), surface, revert);
    };
    // The platform has no value of a leaf that the object was created without.
    const added = async (): Promise<readonly string[]> => {
      const fresh = await another(index, "a");
      await lane.create(fresh.name, placed(fresh.leaf.base, leaf.leaf, undefined).spec);
      return tryChange(fresh, surface, "none");
    };
    const canBeAdded = surface === "full" && leaf.leaf.optional && isCarried(entry) && !isFinal;
    const hasBounds = !isFinal && entry.in === undefined && entry.full.is !== "locked" && !isTried(leaf);
    const bounds = hasBounds ? leaf.boundaries : [];
    return [
      { title: `${path}: changed`, run: changed },
      { title: `${path}: created`, run: async () => tryCreation(await another(index, "c"), surface) },
      ...(canBeAdded ? [{ title: `${path}: added`, run: added }] : []),
      ...bounds.map((bound) => ({ title: bound.title, run: () => tryBoundary(on(leaf), surface, bound) })),
    ];
  });
  const misuses = (cases.misuses?.(fixture, name) ?? [])
    .filter(({ only = surface }) => only === surface)
    .map((misuse): Trial => {
      const leaf = leaves.find(({ leaf: { path } }) => path === misuse.path);
      if (leaf === undefined) throw new RangeError(`${kind.kind} has no ${misuse.path}`);
      return {
        title: `${misuse.path}: misused as ${JSON.stringify(misuse.to)}`,
        run: () => tryMisuse(on(leaf), misuse, placed(leaf.base, leaf.leaf, misuse.to).spec),
      };
    });
  return [...misuses, ...trials];
}

/** Whether the full surface carries a change of the leaf in the seed, and the platform takes it. */
const isCarried = ({ full, in: change, notAdded }: Entry): boolean =>
  change === undefined && notAdded === undefined && full.is === "sent" && full.refused === undefined;

/** The documented surface has hardly any updates, so that a revert does not restore the state there. */
function revertOf(entry: Entry, surface: Surface): Revert {
  if (entry[surface].is !== "sent") return "restores";
  if (surface === "documented") return "ready";
  return entry.stays === undefined ? "restores" : "leaves";
}

/** @returns a sample of `count` items in order, the same for the same seed. @param nameOf returns a unique name */
export function chosen<T>(all: readonly T[], count: number, seed: number, nameOf: (one: T) => string): readonly T[] {
  const rank = (one: T): string =>
    createHash("sha256")
      .update(`${seed} ${nameOf(one)}`)
      .digest("hex");
  const picked = new Set(all.toSorted((a, b) => rank(a).localeCompare(rank(b))).slice(0, count));
  return all.filter((one) => picked.has(one));
}
