/**
 * The tree: a list of namespaces, each with nested lists of its objects. Namespaces fold, objects are lines that open;
 * their elements are updated in place.
 */
import { ageOf, MARKS } from "../../tree/labels.ts";
import {
  commandsFor,
  type Counts,
  type Detail,
  MARK_ORDER,
  type Row,
  shownCommit,
  sumOf,
  type TreePage,
} from "../shape.ts";
import { byId, copy, make, setText } from "./dom.ts";

export interface TreeOptions {
  /** Called with the id of the object that the user opened, "" when it is closed again. */
  readonly opened: (id: string) => void;
  /** Reads what the open line of an object shows. */
  readonly detail: (id: string) => Promise<Detail>;
}

/** Creates the tree, which is empty. */
export function createTree({ opened, detail }: TreeOptions) {
  const root = byId("tree", HTMLUListElement);
  const items = new Map<string, TreeItem>();
  const groups = new Map<string, Group>();

  const itemOf = (id: string): TreeItem => {
    const found = items.get(id);
    if (found !== undefined) return found;
    const made = createItem({
      toggled: (open) => {
        opened(open ? id : "");
      },
      detail: async () => detail(id),
    });
    items.set(id, made);
    return made;
  };
  const groupOf = (namespace: string, open: boolean): Group => {
    const group = groups.get(namespace) ?? createGroup(namespace, open);
    groups.set(namespace, group);
    return group;
  };

  root.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 || !(event.target instanceof HTMLElement) || event.target.tagName !== "SUMMARY") return;
    const lines = [...root.querySelectorAll("summary")].filter((line) => line.checkVisibility());
    lines[lines.indexOf(event.target) + step]?.focus();
    event.preventDefault();
  });

  return {
    /**
     * Shows these rows; removes all other objects. Of several namespaces those begin folded where all is Ready.
     * @param isFiltered then no namespace begins folded
     */
    show: ({ rows, namespaces }: Pick<TreePage, "rows" | "namespaces">, isFiltered: boolean): void => {
      const kept = new Set(rows.map(({ id }) => id));
      for (const id of items.keys()) if (!kept.has(id)) items.delete(id);
      const byNamespace = Map.groupBy(rows, ({ namespace }) => namespace);
      for (const namespace of groups.keys()) if (!byNamespace.has(namespace)) groups.delete(namespace);
      const shown = [...byNamespace].map(([namespace, own]) => {
        const counts = namespaces.find(({ name }) => name === namespace)?.counts;
        const isCalm = counts !== undefined && counts.ready === sumOf(counts);
        const group = groupOf(namespace, isFiltered || namespaces.length === 1 || !isCalm);
        if (counts !== undefined) group.count(counts);
        place(group.children, branchesOf(own), itemOf);
        return group.element;
      });
      putInOrder(root, shown);
    },
    /** Updates all ages. @param now the operator's time */
    age: (now: Date): void => {
      for (const time of root.querySelectorAll("time")) setText(time, ageOf(time.dateTime, now));
    },
    /** Opens an object and scrolls to it. */
    reveal: (id: string): void => {
      const item = items.get(id);
      if (item === undefined) return;
      for (let at = item.details.parentElement; at !== null; at = at.parentElement) {
        if (at instanceof HTMLDetailsElement) at.open = true;
      }
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
  const elements = branches.map(({ row, children }) => {
    const item = itemOf(row.id);
    item.update(row);
    place(item.children, children, itemOf);
    // A screen reader would announce an empty list.
    if (children.length === 0) item.children.remove();
    else if (item.children.parentNode === null) item.element.append(item.children);
    return item.element;
  });
  putInOrder(list, elements);
}

function putInOrder(list: HTMLUListElement, elements: readonly HTMLElement[]): void {
  for (const [at, element] of elements.entries()) {
    const there = list.children[at] ?? null;
    if (there !== element) list.insertBefore(element, there);
  }
  while (list.children.length > elements.length) list.lastElementChild?.remove();
}

type Group = ReturnType<typeof createGroup>;

/** Creates a namespace, which folds; cluster-scoped objects have "". */
function createGroup(namespace: string, open: boolean) {
  const counted = make("span", "counted");
  const name = make("span", "name", namespace === "" ? "Cluster-scoped" : namespace);
  const children = make("ul", "children");
  const details = make("details", "", make("summary", "", name, counted), children);
  details.open = open;
  return {
    /** The entry of the list. */
    element: make("li", "group", details),
    /** The list of its objects. */
    children,
    /** Shows how many of its objects have each mark. */
    count: (counts: Counts): void => {
      counted.replaceChildren(
        ...MARK_ORDER.filter((mark) => counts[mark] > 0).flatMap((mark) => {
          const element = make(
            "span",
            "tally",
            `${MARKS[mark].sign} ${counts[mark]} ${MARKS[mark].word.toLowerCase()}`,
          );
          element.dataset["mark"] = mark;
          return [element, " "];
        }),
      );
    },
  };
}

const COPIED_MS = 1_500;

type TreeItem = ReturnType<typeof createItem>;

interface ItemOptions {
  /** Called when the user opens or closes it. */
  readonly toggled: (open: boolean) => void;
  readonly detail: () => Promise<Detail>;
}

/**
 * Creates the line of one object. It is kept while the object exists, so that focus and selection survive.
 * @returns an item that shows nothing yet
 */
function createItem({ toggled, detail }: ItemOptions) {
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
  const parts = make("div", "parts");
  const details = make("details", "", summary, make("div", "more", message, facts, commands, parts));
  const children = make("ul", "children");
  const element = make("li", "item", details);
  let shown: Row | undefined;
  let offered: readonly string[] = [];

  let known = "";
  const readDetail = async (): Promise<void> => {
    const found = await detail();
    const now = JSON.stringify(found);
    // Unchanged texts stay, with what is selected in them.
    if (now !== known) parts.replaceChildren(...partsOf(found));
    known = now;
  };
  // An object may be gone meanwhile; the connection's state tells when nothing can be read.
  const refreshDetail = (): void => void readDetail().catch(() => {});

  details.addEventListener("toggle", () => {
    toggled(details.open);
    if (details.open) refreshDetail();
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
      setText(name, row.name);
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
      const fitting = commandsFor(row);
      if (fitting.join() !== offered.join()) {
        commands.replaceChildren(...fitting.map(commandLine));
        offered = fitting;
      }
      if (details.open && before !== undefined) refreshDetail();
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

/** @returns the link to the console, and the lists of the deployments, events and conditions that there are */
function partsOf({ conditions, events, deployments, consoleUrl }: Detail): readonly Node[] {
  return [
    ...(consoleUrl === undefined ? [] : [make("p", "", linkTo(consoleUrl))]),
    ...part(
      "Deployments",
      deployments.map(({ commit, state, at, seconds }) => {
        const took = seconds === undefined ? "" : `took ${seconds} s`;
        return [make("code", "", commit.slice(0, 7)), make("span", "state", state), took, timeAt(at)];
      }),
    ),
    ...part(
      "Events",
      events.map(({ reason, note, count, lastObservedTime }) => {
        return [reason, note, count > 1 ? `${count}×` : "", timeAt(lastObservedTime)];
      }),
    ),
    ...part(
      "Conditions",
      conditions.map(({ type, status, reason, message, since }) => {
        return [`${type}=${status}`, make("span", "", `${reason}: ${message}`), "", timeAt(since)];
      }),
    ),
  ];
}

type Cell = Node | string;

function part(title: string, lines: readonly (readonly Cell[])[]): readonly Node[] {
  if (lines.length === 0) return [];
  const rows = lines.map((cells) => make("li", "", ...cells.map((cell) => make("span", "", cell))));
  return [make("h2", "", title), make("ul", "entries", ...rows)];
}

/** @returns an element whose text is the age, which the tree keeps up to date */
function timeAt(since: string): HTMLTimeElement {
  const time = make("time", "since", ageOf(since, new Date()));
  time.dateTime = since;
  time.title = since === "" ? "" : new Date(since).toLocaleString();
  return time;
}

function linkTo(url: string): HTMLAnchorElement {
  const link = make("a", "", "Open in the platform's console");
  link.href = url;
  link.target = "_blank";
  link.rel = "noreferrer";
  return link;
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
