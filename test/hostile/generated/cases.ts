/** The cases of a leaf: specs with another value in one place. */
import type { Json, JsonObject } from "../../../src/kube/api/types.ts";
import { entryOf, seedOf } from "./derive.ts";
import { leavesOf, type Leaf } from "./leaves.ts";
import type { Entry, Fixture, TestedKind } from "./outcomes.ts";
import { placed, valueAt, type Placed } from "./place.ts";
import { boundariesOf, invalidsOf, type Value } from "./values.ts";

export interface LeafCases {
  readonly leaf: Leaf;
  readonly entry: Entry;
  /** The spec that all of them change in one place. */
  readonly base: JsonObject;
  readonly valid: Placed;
  readonly boundaries: readonly Case[];
  readonly invalids: readonly Case[];
}

export interface Case extends Placed {
  readonly title: string;
  /** At the leaf; undefined when it is absent. */
  readonly value: Json | undefined;
}

/**
 * The cases of every leaf of a kind.
 * @param name the object's name
 * @throws Error with the leaves without an entry and the entries without a leaf
 */
export function casesOf(kind: TestedKind, fixture: Fixture, name: string): readonly LeafCases[] {
  const drafts = kind.cases.leaves(fixture, name);
  const seed = seedOf(kind, fixture, name);
  const leaves = leavesOf(kind.spec, kind.rules).map((leaf) => ({
    leaf,
    entry: entryOf({ kind, fixture, name, seed }, leaf, drafts[leaf.path]),
  }));
  const paths = new Set(leaves.map(({ leaf: { path } }) => path));
  const strays = [
    ...leaves.flatMap(({ leaf, entry }) => (entry === undefined ? [`no entry for ${leaf.path}`] : [])),
    ...Object.keys(drafts).flatMap((path) => (paths.has(path) ? [] : [`no leaf ${path}`])),
  ];
  if (strays.length > 0) throw new Error(`${kind.kind} in test/hostile/generated/kinds: ${strays.join(", ")}`);
  return leaves.flatMap(({ leaf, entry }) =>
    entry === undefined ? [] : [casesOfLeaf(leaf, entry, entry.in === undefined ? seed : merged(seed, entry.in))],
  );
}

function casesOfLeaf(leaf: Leaf, entry: Entry, base: JsonObject): LeafCases {
  const { schema, optional } = leaf;
  const valid = placed(base, leaf, entry.to);
  const sample = valueAt(base, leaf) ?? entry.to;
  const put = ({ title, value, within = "" }: Value): Case => {
    const { spec, at } = placed(base, leaf, value);
    return { title: `${leaf.path}: ${title}`, value, spec, at: `${at}${within}` };
  };
  return {
    leaf,
    entry,
    base,
    valid,
    boundaries: entry.bounds === "none" ? [] : boundariesOf(schema, sample, optional).map(put),
    invalids: invalidsOf(schema, sample).map(put),
  };
}

/** Replaces members of a spec by those of `change`; null removes one. */
function merged(spec: JsonObject, change: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ ...spec, ...change }).filter(([, value]) => value !== null));
}

/** @returns a function that returns whether it was called before with a leaf of the same path and schema */
export function repetitions(): (leaf: LeafCases) => boolean {
  const known = new Set<string>();
  return ({ leaf: { path, schema } }) => known.size === known.add(JSON.stringify([path, schema])).size;
}
