/** The tree: nested lists of the rows, whose elements are updated in place. */
import { ageOf } from "../../tree/labels.ts";
import type { Row } from "../shape.ts";
import { byId, setText } from "./dom.ts";
import { createItem, type TreeItem } from "./item.ts";

/** @param opened called with the id of the object that the user opened, "" when it is closed again */
export function createList(opened: (id: string) => void) {
  const root = byId("tree", HTMLUListElement);
  const items = new Map<string, TreeItem>();

  const itemOf = (id: string): TreeItem => {
    const found = items.get(id);
    if (found !== undefined) return found;
    const made = createItem((open) => {
      opened(open ? id : "");
    });
    items.set(id, made);
    return made;
  };

  root.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 || !(event.target instanceof HTMLElement) || event.target.tagName !== "SUMMARY") return;
    const lines = [...root.querySelectorAll("summary")];
    lines[lines.indexOf(event.target) + step]?.focus();
    event.preventDefault();
  });

  return {
    /** Shows these rows and no others. */
    show: (rows: readonly Row[]): void => {
      const kept = new Set(rows.map(({ id }) => id));
      for (const id of items.keys()) if (!kept.has(id)) items.delete(id);
      place(root, branchesOf(rows), itemOf);
    },
    /** Updates all ages. @param now the operator's time */
    age: (now: Date): void => {
      for (const time of root.querySelectorAll("time")) setText(time, ageOf(time.dateTime, now));
    },
    /** Opens an object and scrolls to it. */
    reveal: (id: string): void => {
      const item = items.get(id);
      if (item === undefined) return;
      item.details.open = true;
      item.details.scrollIntoView({ block: "nearest" });
      item.summary.focus({ preventScroll: true });
    },
  };
}

interface Branch {
  readonly row: Row;
  readonly children: Branch[];
}

/** @param rows each after its parent, one level deeper. */
function branchesOf(rows: readonly Row[]): readonly Branch[] {
  const roots: Branch[] = [];
  const path: Branch[] = [];
  for (const row of rows) {
    const branch = { row, children: [] };
    path.length = Math.min(path.length, row.depth);
    (path.at(-1)?.children ?? roots).push(branch);
    path.push(branch);
  }
  return roots;
}

/** Puts the branches into the list; moves only elements in a wrong place, because a moved element loses the focus. */
function place(list: HTMLUListElement, branches: readonly Branch[], itemOf: (id: string) => TreeItem): void {
  for (const [at, { row, children }] of branches.entries()) {
    const item = itemOf(row.id);
    item.update(row);
    const there = list.children[at] ?? null;
    if (there !== item.element) list.insertBefore(item.element, there);
    place(item.children, children, itemOf);
    // A screen reader would announce an empty list.
    if (children.length === 0) item.children.remove();
    else if (item.children.parentNode === null) item.element.append(item.children);
  }
  while (list.children.length > branches.length) list.lastElementChild?.remove();
}
