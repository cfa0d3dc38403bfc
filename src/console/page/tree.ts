/**
 * The custom resources of the cache as a tree, built on request and current until the cache changes; and the part of it
 * that matches a browser's query.
 */
import { setImmediate } from "node:timers/promises";

import { TYPES } from "../../config/kinds.ts";
import type { Cache, Clock, KubeObject } from "../../kube/api/types.ts";
import { cleanText } from "../../text/text.ts";
import { createSummaryCache, hierarchyOf, natural, shortNameOf, type Branch } from "../tree/hierarchy.ts";
import { wordOf } from "../tree/labels.ts";
import type { ObjectSummary, Mark } from "../tree/summary.ts";
import { MAX_TEXT, PAGE_SIZE, SHOWS, type PageQuery, type Row, type TreePage } from "./shape.ts";

/** One object with its position in the tree. */
interface TreeRow {
  readonly summary: ObjectSummary;
  readonly depth: number;
  /** The index of its parent among the nodes; undefined for a root. */
  readonly parent: number | undefined;
}

/** All objects, each after its parent. */
export interface Tree {
  readonly nodes: readonly TreeRow[];
}

export type Trees = ReturnType<typeof createTrees>;

/** How long the building of a tree may block the process at a time, in milliseconds. */
const SLICE_MS = 10;

/** Builds the tree of a cache on request, and keeps it until the cache changes. */
export function createTrees(cache: Cache, clock: Pick<Clock, "monotonic">) {
  const summaries = createSummaryCache();
  let current: Tree | undefined;
  let building: Promise<Tree> | undefined;

  const objects = (): readonly KubeObject[] => TYPES.flatMap(({ kind }) => cache.list(kind));

  const build = async (): Promise<Tree> => {
    let sliceStart = clock.monotonic();
    for (const object of objects()) {
      summaries.add(object);
      if (clock.monotonic() - sliceStart < SLICE_MS) continue;
      await setImmediate();
      sliceStart = clock.monotonic();
    }
    // This part does not yield, so that the tree has all changes until now.
    current = treeOf(hierarchyOf(summaries.summariesOf(objects())));
    return current;
  };

  return {
    /** @returns the current tree; concurrent calls share the work */
    read: async (): Promise<Tree> => {
      if (current !== undefined) return current;
      building ??= build().finally(() => {
        building = undefined;
      });
      return building;
    },
    /** Must be called for every change of the cache. */
    changed: (): void => {
      current = undefined;
    },
  };
}

/**
 * @returns all objects of the branches in one list, by namespace, each after its parent. Among namespaces and among
 * siblings those come first that are Stalled, or have below them what is; then those that need attention
 */
export function treeOf(branches: readonly Branch[]): Tree {
  const nodes: TreeRow[] = [];
  const ranks = new Map<Branch, number>();
  const rank = (branch: Branch): number => {
    const lowest = branch.children.reduce((least, child) => Math.min(least, rank(child)), rankOf(branch));
    ranks.set(branch, lowest);
    return lowest;
  };
  const places = new Map<string, number>();
  for (const branch of branches) {
    const namespace = namespaceOf(branch);
    places.set(namespace, Math.min(places.get(namespace) ?? Infinity, rank(branch)));
  }
  const failingFirst = (siblings: readonly Branch[]): readonly Branch[] =>
    siblings.toSorted((left, right) => (ranks.get(left) ?? 0) - (ranks.get(right) ?? 0));
  const add = ({ summary, children }: Branch, depth: number, parent: number | undefined): void => {
    const at = nodes.push({ summary, depth, parent }) - 1;
    for (const child of failingFirst(children)) add(child, depth + 1, at);
  };
  const byNamespace = (left: Branch, right: Branch): number =>
    (places.get(namespaceOf(left)) ?? 0) - (places.get(namespaceOf(right)) ?? 0) ||
    natural.compare(namespaceOf(left), namespaceOf(right));
  for (const branch of failingFirst(branches).toSorted(byNamespace)) add(branch, 0, undefined);
  return { nodes };
}

/** The place of an object among its siblings by its mark: what needs a person has a lower number. */
const RANKS: Readonly<Partial<Record<Mark, number>>> = { stalled: 0, warned: 1 };
const rankOf = ({ summary }: Branch): number => RANKS[summary.mark] ?? 2;

const namespaceOf = ({ summary }: Branch): string => summary.namespace;

/** The largest size of a message in bytes: that of a condition may have 32 KB. */
const MAX_MESSAGE = 1_024;

/** @returns undefined for an invalid query */
export function parsePageQuery(parameters: URLSearchParams): PageQuery | undefined {
  const show = SHOWS.find((known) => known === (parameters.get("show") ?? "all"));
  const page = parameters.get("page") ?? "1";
  const text = parameters.get("text") ?? "";
  if (show === undefined || !/^[1-9]\d{0,5}$/.test(page) || text.length > MAX_TEXT) return undefined;
  const [namespace = "", kind = "", at = ""] = ["namespace", "kind", "at"].map((name) => parameters.get(name) ?? "");
  return { show, page: Number(page), text: text.trim().toLowerCase(), namespace, kind, at };
}

type Part = Omit<TreePage, "operator" | "now">;

/** @returns a page of the matching objects, each below its parents, which are added even if they do not match */
export function partOf({ nodes }: Tree, query: PageQuery): Part {
  const matches = new Set<number>();
  const shown = new Set<number>();
  const counts = noObjects();
  const namespaces = new Map<string, Record<Mark, number>>();
  for (const [at, node] of nodes.entries()) {
    const { kind, namespace, mark } = node.summary;
    const inNamespace = namespaces.get(namespace) ?? noObjects();
    namespaces.set(namespace, inNamespace);
    if (query.kind !== "" && query.kind !== kind) continue;
    inNamespace[mark] += 1;
    if (query.namespace !== "" && query.namespace !== namespace) continue;
    counts[mark] += 1;
    if (!fits(node, query)) continue;
    matches.add(at);
    for (const place of [...ancestors(nodes, at), at]) shown.add(place);
  }
  const places = [...shown];
  const pages = Math.max(1, Math.ceil(places.length / PAGE_SIZE));
  const wanted = query.at === "" ? -1 : places.findIndex((place) => nodes[place]?.summary.id === query.at);
  const page = wanted === -1 ? Math.min(query.page, pages) : Math.floor(wanted / PAGE_SIZE) + 1;
  const here = places.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  const [first] = here;
  const lead = first === undefined ? [] : ancestors(nodes, first);
  const rows = [
    ...lead.map((place) => rowOf(nodes[place], true)),
    ...here.map((place) => rowOf(nodes[place], !matches.has(place))),
  ];
  return {
    counts,
    namespaces: [...namespaces]
      .map(([name, counts]) => ({ name, counts }))
      .toSorted((left, right) => natural.compare(left.name, right.name)),
    kinds: TYPES.map(({ kind }) => kind).filter((kind) => nodes.some(({ summary }) => summary.kind === kind)),
    matched: matches.size,
    page,
    pages,
    rows: rows.flat(),
  };
}

const noObjects = (): Record<Mark, number> => ({ new: 0, working: 0, ready: 0, warned: 0, stalled: 0, deleting: 0 });

function fits({ summary }: TreeRow, { show, text }: PageQuery): boolean {
  if (show === "not-ready" ? summary.mark === "ready" : show !== "all" && show !== summary.mark) return false;
  const { kind, namespace, name, state, reason, message, commit, externalId } = summary;
  const words = [kind, wordOf(kind), namespace, name, state, reason, message, commit, externalId];
  return text === "" || words.some((word) => word.toLowerCase().includes(text));
}

/** @returns the indexes of its ancestors, the root first */
function ancestors(nodes: readonly TreeRow[], place: number): readonly number[] {
  const parent = nodes[place]?.parent;
  return parent === undefined ? [] : [...ancestors(nodes, parent), parent];
}

function rowOf(node: TreeRow | undefined, isContext: boolean): readonly Row[] {
  if (node === undefined) return [];
  const { summary, depth } = node;
  const { id, kind, namespace, name, mark, state, reason, since, commit, externalId } = summary;
  const message = cleanText(summary.message, MAX_MESSAGE);
  const names = { id, word: wordOf(kind), short: shortNameOf(kind), namespace, name };
  return [{ ...names, depth, mark, state, reason, message, since, commit, externalId, isContext }];
}
