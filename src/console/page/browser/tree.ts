/** The tree: nested lists of the objects, each a line that opens, whose elements are updated in place. */
import { ageOf, MARKS } from "../../tree/labels.ts";
import { commandsFor, shownCommit, type Row } from "../shape.ts";
import { byId, copy, make, setText } from "./dom.ts";

/**
 * Creates the tree, which is empty.
 * @param opened called with the id of the object that the user opened, "" when it is closed again
 */
export function createTree(opened: (id: string) => void) {
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
    /** Shows these rows; removes all other objects. */
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

const COPIED_MS = 1_500;

type TreeItem = ReturnType<typeof createItem>;

/**
 * Creates the line of one object. It is kept while the object exists, so that focus and selection survive.
 * @param toggled called when the user opens or closes it
 * @returns an item that shows nothing yet
 */
function createItem(toggled: (open: boolean) => void) {
  const sign = make("span", "sign");
  sign.ariaHidden = "true";
  const mark = make("span", "mark-word");
  const pill = make("span", "mark", sign, mark);
  const kind = make("span", "kind");
  const name = make("span", "name");
  const commit = make("code", "commit");
  const state = make("span", "state");
  const reason = make("span", "reason");
  const since = make("time", "since");
  const brief = make("span", "brief");
  const what = make("span", "what", kind, " ", name, " ", commit);
  const summary = make("summary", "", pill, what, state, reason, since, brief);
  const message = make("p", "message");
  const facts = make("dl", "facts");
  const commands = make("ul", "commands");
  const details = make("details", "", summary, make("div", "more", message, facts, commands));
  const children = make("ul", "children");
  const element = make("li", "item", details);
  let shown: Row | undefined;

  details.addEventListener("toggle", () => {
    toggled(details.open);
  });

  return {
    /** The entry of the list. */
    element,
    details,
    summary,
    /** The list of its children. */
    children,
    /** Shows the current state of the object. */
    update: (row: Row): void => {
      const before = shown;
      shown = row;
      element.dataset["mark"] = row.mark;
      element.style.setProperty("--depth", String(row.depth));
      element.classList.toggle("context", row.isContext);
      const looks = MARKS[row.mark];
      setText(sign, looks.sign);
      setText(mark, looks.word);
      pill.title = looks.meaning;
      setText(kind, row.word);
      setText(name, row.depth === 0 && row.namespace !== "" ? `${row.namespace}/${row.name}` : row.name);
      setText(commit, shownCommit(row));
      setText(state, row.state);
      setText(reason, row.reason);
      setText(brief, row.mark === "ready" ? "" : row.message);
      setText(message, row.message === "" ? "It has no message." : row.message);
      since.dateTime = row.since;
      since.title = row.since === "" ? "" : new Date(row.since).toLocaleString();
      if (before?.externalId !== row.externalId || before.since !== row.since) {
        facts.replaceChildren(...factsOf(row));
      }
      if (before?.mark !== row.mark || before.reason !== row.reason) {
        commands.replaceChildren(...commandsFor(row).map(commandLine));
      }
    },
  };
}

function factsOf({ id, externalId, since }: Row): readonly Node[] {
  const known = [
    ["Object", id],
    ["Id on the platform", externalId],
    ["In this state since", since === "" ? "" : new Date(since).toLocaleString()],
  ] as const;
  return known
    .filter(([, value]) => value !== "")
    .map(([term, value]) => make("div", "", make("dt", "", term), make("dd", "", value)));
}

/** @returns a command with a button that copies it. */
export function commandLine(command: string): HTMLLIElement {
  const button = make("button", "copy", "Copy");
  button.type = "button";
  button.ariaLabel = `Copy: ${command}`;
  button.addEventListener("click", () => {
    void copy(command).then((done) => {
      button.textContent = done ? "Copied" : "Select it";
      setTimeout(() => {
        button.textContent = "Copy";
      }, COPIED_MS);
    });
  });
  return make("li", "", make("code", "", command), button);
}
