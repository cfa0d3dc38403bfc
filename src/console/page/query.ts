/** What a browser may ask for, and the part of the tree that answers it. Pure. */
import { cleanText } from "../../text/text.ts";
import { shortNameOf } from "../tree/hierarchy.ts";
import { wordOf } from "../tree/labels.ts";
import { MOST_TEXT, PAGE_SIZE, SHOWS, type PageQuery, type Row, type TreePage } from "./shape.ts";
import type { Tree, TreeRow } from "./tree.ts";

/** Bytes of a message: a condition's may have 32 KB. */
const MOST_MESSAGE = 1_024;

/** @returns undefined for what is no query of ours. */
export function parsePageQuery(parameters: URLSearchParams): PageQuery | undefined {
  const show = SHOWS.find((known) => known === (parameters.get("show") ?? "all"));
  const page = parameters.get("page") ?? "1";
  const text = parameters.get("text") ?? "";
  if (show === undefined || !/^[1-9]\d{0,5}$/.test(page) || text.length > MOST_TEXT) return undefined;
  return { show, page: Number(page), text: text.trim().toLowerCase(), at: parameters.get("at") ?? "" };
}

type Part = Pick<TreePage, "counts" | "matched" | "page" | "pages" | "rows">;

/** @returns a page of what fits, each object below its parents, which come along wherever they would be missing. */
export function partOf({ nodes, counts }: Tree, query: PageQuery): Part {
  const matches = new Set<number>();
  const shown = new Set<number>();
  for (const [at, node] of nodes.entries()) {
    if (!fits(node, query)) continue;
    matches.add(at);
    for (const place of [...ancestors(nodes, at), at]) shown.add(place);
  }
  const places = [...shown];
  const pages = Math.max(1, Math.ceil(places.length / PAGE_SIZE));
  const wanted = query.at === "" ? -1 : places.findIndex((place) => nodes[place]?.fact.id === query.at);
  const page = wanted === -1 ? Math.min(query.page, pages) : Math.floor(wanted / PAGE_SIZE) + 1;
  const here = places.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  const [first] = here;
  const lead = first === undefined ? [] : ancestors(nodes, first);
  const rows = [
    ...lead.map((place) => rowOf(nodes[place], true)),
    ...here.map((place) => rowOf(nodes[place], !matches.has(place))),
  ];
  return { counts, matched: matches.size, page, pages, rows: rows.flat() };
}

function fits({ fact }: TreeRow, { show, text }: PageQuery): boolean {
  if (show === "not-ready" ? fact.mark === "ready" : show !== "all" && show !== fact.mark) return false;
  const { kind, namespace, name, state, reason, message, commit, externalId } = fact;
  const words = [kind, wordOf(kind), namespace, name, state, reason, message, commit, externalId];
  return text === "" || words.some((word) => word.toLowerCase().includes(text));
}

/** @returns the places of its parents, the highest first. */
function ancestors(nodes: readonly TreeRow[], place: number): readonly number[] {
  const parent = nodes[place]?.parent;
  return parent === undefined ? [] : [...ancestors(nodes, parent), parent];
}

function rowOf(node: TreeRow | undefined, isContext: boolean): readonly Row[] {
  if (node === undefined) return [];
  const { fact, depth } = node;
  const { id, kind, namespace, name, mark, state, reason, since, commit, externalId } = fact;
  const message = cleanText(fact.message, MOST_MESSAGE);
  const names = { id, word: wordOf(kind), short: shortNameOf(kind), namespace, name };
  return [{ ...names, depth, mark, state, reason, message, since, commit, externalId, isContext }];
}
