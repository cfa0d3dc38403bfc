/** Facts as a hierarchy, sorted, and how other tools read it. Pure. */
import { RESOURCES } from "../../kinds/crds.ts";
import type { Fact } from "./facts.ts";

/** A fact with what hangs from it. */
export interface Branch {
  readonly fact: Fact;
  readonly children: readonly Branch[];
}

/** @returns the roots: what has no parent, and what has lost it. */
export function hierarchyOf(facts: readonly Fact[]): readonly Branch[] {
  const known = new Set(facts.map(({ id }) => id));
  const children = Map.groupBy(facts.toSorted(byPlace), ({ parent }) =>
    parent !== undefined && known.has(parent) ? parent : undefined,
  );
  const under = (id: string | undefined): readonly Branch[] =>
    (children.get(id) ?? []).map((fact) => ({ fact, children: under(fact.id) }));
  return under(undefined);
}

/** @returns the roots as plain data. */
export function dataOf(branches: readonly Branch[]): readonly object[] {
  return branches.map(({ fact, children }) => ({
    kind: fact.kind,
    ...(fact.namespace === "" ? {} : { namespace: fact.namespace }),
    name: fact.name,
    status: fact.mark,
    state: fact.state,
    reason: fact.reason,
    message: fact.message,
    ...(fact.commit === "" ? {} : { commit: fact.commit }),
    ...(fact.externalId === "" ? {} : { externalId: fact.externalId }),
    children: dataOf(children),
  }));
}

/** @returns the hierarchy in Graphviz's language. */
export function dotOf(branches: readonly Branch[]): string {
  const lines = branches.flatMap(dotLines);
  return ["digraph platform {", "  rankdir=LR;", "  node [shape=box];", ...lines, "}", ""].join("\n");
}

function dotLines({ fact, children }: Branch): readonly string[] {
  const label = [`${fact.kind} ${fact.name}`, fact.state || fact.reason].filter((word) => word !== "").join("\n");
  return [
    `  ${JSON.stringify(fact.id)} [label=${JSON.stringify(label)}];`,
    ...children.map((child) => `  ${JSON.stringify(fact.id)} -> ${JSON.stringify(child.fact.id)};`),
    ...children.flatMap(dotLines),
  ];
}

const RANKS: ReadonlyMap<string, number> = new Map(RESOURCES.map(({ kind }, rank) => [kind, rank]));

/** Parents' kinds first, then by name. */
function byPlace(left: Fact, right: Fact): number {
  const rank = ({ kind }: Fact): number => RANKS.get(kind) ?? RANKS.size;
  const text = ({ namespace, name }: Fact): string => [namespace, name].join("\0");
  return rank(left) - rank(right) || (text(left) < text(right) ? -1 : 1);
}
