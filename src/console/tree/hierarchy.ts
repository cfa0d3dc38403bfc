/** The hierarchy of objects: each below the first object that it refers to, sorted; also as data for other tools. */
import { boundKinds } from "../../config/kinds.ts";
import { RESOURCES } from "../../kinds/index.ts";
import { stringMember } from "../../kube/api/json.ts";
import type { Cache, KubeObject } from "../../kube/api/types.ts";
import { summaryId, summarize, type ObjectSummary } from "./summary.ts";

/**
 * Caches the summary of each version of an object, as parsing a spec takes longer than everything else.
 * @returns an empty cache. An entry lives as long as its object.
 */
export function createSummaryCache() {
  const kinds = new Map(boundKinds().managed.map((kind) => [kind.kind, kind]));
  /** The part of a summary that depends on its object alone. The parent may have a name, or only an id on the platform. */
  const make = (object: KubeObject) => ({
    summary: summarize(object),
    parent: kinds.get(object.kind)?.references(object)[0],
  });
  const known = new WeakMap<KubeObject, ReturnType<typeof make>>();

  const own = (object: KubeObject): ReturnType<typeof make> => {
    const found = known.get(object);
    if (found !== undefined) return found;
    const made = make(object);
    known.set(object, made);
    return made;
  };

  const parentOf = (object: KubeObject, cache: Cache): KubeObject | undefined => {
    const { parent } = own(object);
    if (parent === undefined) return undefined;
    const { kind, name, externalId } = parent;
    const { namespace = "" } = object.metadata;
    if (name !== undefined) return cache.get({ kind, namespace, name });
    return cache.list(kind, namespace).find(({ status }) => stringMember(status, "externalId") === externalId);
  };
  const isBelow = (
    object: KubeObject,
    isRoot: (object: KubeObject) => boolean,
    cache: Cache,
    depth = DEPTH,
  ): boolean => {
    if (isRoot(object)) return true;
    const parent = depth > 0 ? parentOf(object, cache) : undefined;
    return parent !== undefined && isBelow(parent, isRoot, cache, depth - 1);
  };

  return {
    /** Reports whether an object is a root or below one, by its parents alone. @param cache holds the parents */
    isBelow: (object: KubeObject, isRoot: (object: KubeObject) => boolean, cache: Cache): boolean =>
      isBelow(object, isRoot, cache),
    /** Adds one object, so that `summariesOf` is fast: callers with thousands of objects yield between them. */
    add: (object: KubeObject): void => void own(object),
    /** @returns a summary for every object, with its parent if that is among the objects or named in the spec */
    summariesOf: (objects: readonly KubeObject[]): readonly ObjectSummary[] => {
      const owns = objects.map(own);
      const nameById = new Map(
        objects.flatMap(({ kind, metadata, status }) => {
          const id = stringMember(status, "externalId");
          return id === undefined ? [] : [[`${kind}/${metadata.namespace ?? ""}/${id}`, metadata.name] as const];
        }),
      );
      return owns.map(({ summary, parent }) => {
        if (parent === undefined) return summary;
        const { namespace } = summary;
        const name = parent.name ?? nameById.get(`${parent.kind}/${namespace}/${parent.externalId ?? ""}`);
        return name === undefined ? summary : { ...summary, parent: summaryId(parent.kind, namespace, name) };
      });
    },
  };
}

/** @returns a summary for every object, without a cache */
export function summariesOf(objects: readonly KubeObject[]): readonly ObjectSummary[] {
  return createSummaryCache().summariesOf(objects);
}

/** @returns the object of that id and everything below it, in the order of `summaries`. */
export function below(summaries: readonly ObjectSummary[], id: string): readonly ObjectSummary[] {
  const parentsById = new Map(summaries.map((summary) => [summary.id, summary.parent]));
  const isBelow = (at: string | undefined, depth: number): boolean =>
    at === id || (at !== undefined && depth > 0 && isBelow(parentsById.get(at), depth - 1));
  return summaries.filter((summary) => isBelow(summary.id, DEPTH));
}

/** The depth at which the search for ancestors ends, in case of a cycle; no hierarchy of the platform is so deep. */
const DEPTH = 8;

/** A summary with its children. */
export interface Branch {
  readonly summary: ObjectSummary;
  readonly children: readonly Branch[];
}

/** @returns the roots: objects without a parent, and those whose parent is missing */
export function hierarchyOf(summaries: readonly ObjectSummary[]): readonly Branch[] {
  const known = new Set(summaries.map(({ id }) => id));
  const children = Map.groupBy(summaries.toSorted(byPlace), ({ parent }) =>
    parent !== undefined && known.has(parent) ? parent : undefined,
  );
  const under = (id: string | undefined): readonly Branch[] =>
    (children.get(id) ?? []).map((summary) => ({ summary, children: under(summary.id) }));
  return under(undefined);
}

/** @returns the roots as plain data. */
export function dataOf(branches: readonly Branch[]): readonly object[] {
  return branches.map(({ summary, children }) => ({
    kind: summary.kind,
    ...(summary.namespace === "" ? {} : { namespace: summary.namespace }),
    name: summary.name,
    status: summary.mark,
    state: summary.state,
    reason: summary.reason,
    message: summary.message,
    ...(summary.commit === "" ? {} : { commit: summary.commit }),
    ...(summary.externalId === "" ? {} : { externalId: summary.externalId }),
    children: dataOf(children),
  }));
}

/** @returns the hierarchy in Graphviz's language. */
export function dotOf(branches: readonly Branch[]): string {
  const lines = branches.flatMap(dotLines);
  return ["digraph platform {", "  rankdir=LR;", "  node [shape=box];", ...lines, "}", ""].join("\n");
}

function dotLines({ summary, children }: Branch): readonly string[] {
  const label = [`${summary.kind} ${summary.name}`, summary.state || summary.reason]
    .filter((word) => word !== "")
    .join("\n");
  return [
    `  ${JSON.stringify(summary.id)} [label=${JSON.stringify(label)}];`,
    ...children.map((child) => `  ${JSON.stringify(summary.id)} -> ${JSON.stringify(child.summary.id)};`),
    ...children.flatMap(dotLines),
  ];
}

const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
  RESOURCES.flatMap(({ kind, shortNames: [first] }) => (first === undefined ? [] : [[kind, first]])),
);

/** @returns the shortest name of a kind, as kubectl takes it, e.g. "papp". */
export function shortNameOf(kind: string): string {
  return SHORT_NAMES.get(kind) ?? kind.toLowerCase();
}

const RANKS: ReadonlyMap<string, number> = new Map(RESOURCES.map(({ kind }, rank) => [kind, rank]));

/** Numbers in names count as numbers: web-2 comes before web-10. */
export const natural = new Intl.Collator("en", { numeric: true });

/** Compares by kind, parents first, then by namespace and name in natural order. */
function byPlace(left: ObjectSummary, right: ObjectSummary): number {
  const rank = ({ kind }: ObjectSummary): number => RANKS.get(kind) ?? RANKS.size;
  return (
    rank(left) - rank(right) ||
    natural.compare(left.namespace, right.namespace) ||
    natural.compare(left.name, right.name) ||
    // Names that differ in leading zeros alone.
    (left.id < right.id ? -1 : 1)
  );
}
