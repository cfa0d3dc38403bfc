import { hierarchyOf, type Branch } from "../../../console/tree/hierarchy.ts";
import { MARKS, wordOf } from "../../../console/tree/labels.ts";
/** Draws objects: as a tree with columns in the width of a terminal, or one line each. */
import { type ObjectSummary, summarize, type Mark } from "../../../console/tree/summary.ts";
import type { Clock } from "../../../kube/api/types.ts";
import type { Store, StoreChange } from "../../../kube/watch/store.ts";
import type { Paint } from "../../base/io.ts";
import type { Screen } from "./screen.ts";

export interface TreeStyle {
  /** The columns of the terminal. No line is wider. Infinity without a terminal. */
  readonly width: number;
  /** Shows the ids on the platform. */
  readonly wide?: boolean;
  readonly paint: Paint;
}

const COLORS = {
  new: "dim",
  working: "cyan",
  ready: "green",
  warned: "yellow",
  stalled: "red",
  deleting: "dim",
} as const satisfies Readonly<Record<Mark, Parameters<Paint>[0]>>;

const GAP = "  ";
/** The smallest width of each column, so that columns do not jump. */
const MIN_WIDTHS: readonly number[] = [31, 8, 14];
/** A message that would be cut to less than this is left out. */
const MIN_MESSAGE_WIDTH = 12;

interface Row {
  readonly summary: ObjectSummary;
  /** The branches before the sign. */
  readonly lead: string;
}

/** @returns the tree, one line per object below a heading; no line is wider than the terminal */
export function renderTree(summaries: readonly ObjectSummary[], style: TreeStyle): readonly string[] {
  const { width, paint, wide = false } = style;
  const severalNamespaces = new Set(summaries.map(({ namespace }) => namespace).filter((name) => name !== "")).size > 1;
  const rows = hierarchyOf(summaries).flatMap((root) => rowsOf(root, { lead: "", indent: "" }));
  const cells = rows.map(({ summary, lead }) => [
    `${lead}${MARKS[summary.mark].sign} ${nameOf(summary, severalNamespaces)}`,
    summary.state,
    summary.reason,
    ...(wide ? [summary.externalId] : []),
  ]);
  const headings = ["OBJECT", "STATE", "REASON", ...(wide ? ["REMOTE-ID"] : [])];
  const widths = headings.map((heading, column) =>
    Math.max(MIN_WIDTHS[column] ?? heading.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const rest = width - widths.reduce((sum, column) => sum + column + GAP.length, 0);
  const lineOf = (row: readonly string[], message: string): string => {
    const last = rest < MIN_MESSAGE_WIDTH ? [] : [fitWidth(message, rest)];
    return fitWidth(
      [...row.map((cell, column) => cell.padEnd(widths[column] ?? 0)), ...last].join(GAP).trimEnd(),
      width,
    );
  };
  const lines = rows.map(({ summary, lead }, index) => {
    const line = lineOf(cells[index] ?? [], summary.message);
    // The sign comes right after the branches, so it can be colored without measuring again.
    const at = lead.length;
    const painted = at < line.length ? paint(COLORS[summary.mark], line.slice(at, at + 1)) : "";
    return line.slice(0, at) + painted + line.slice(at + 1);
  });
  return [paint("dim", lineOf(headings, "MESSAGE")), ...lines];
}

/** @returns one line for one object, where lines are only appended */
export function renderLine(summary: ObjectSummary): string {
  const words = [nameOf(summary, false), summary.state, summary.reason].filter((word) => word !== "").join(GAP);
  return `${MARKS[summary.mark].sign} ${words}: ${summary.message}`;
}

/**
 * @param known the objects that were shown already
 * @returns a listener that prints each change of an object's line; it prints none for an object with the mark `new`
 */
export function reportChanges(
  print: (line: string) => void,
  known: readonly ObjectSummary[] = [],
): (change: StoreChange) => void {
  const printed = new Map(known.map((summary) => [summary.id, renderLine(summary)]));
  return ({ type, object }) => {
    const summary = summarize(object);
    if (type === "deleted") {
      printed.delete(summary.id);
      print(`− ${summary.id} is deleted`);
      return;
    }
    const line = renderLine(summary);
    if (summary.mark === "new" || printed.get(summary.id) === line) return;
    printed.set(summary.id, line);
    print(line);
  };
}

interface Showing {
  readonly store: Store;
  readonly screen: Screen;
  readonly clock: Clock;
  /** Renders what is redrawn on a terminal. */
  readonly render: Parameters<Screen["follow"]>[0];
  /** Reports whether a change has a line where nothing is redrawn. */
  readonly concerns: (change: StoreChange) => boolean;
  /** The objects that were shown already. */
  readonly known?: readonly ObjectSummary[];
}

/** Changes within this time are drawn once: each redraw renders all objects. */
const REDRAW_MS = 100;

/**
 * Shows objects as they change: redrawn in place on a terminal, else with a line per change.
 * @returns a function that ends it, and draws the last changes
 */
export function showChanges({ store, screen, clock, render, concerns, known = [] }: Showing): () => void {
  if (!screen.live) {
    const report = reportChanges(screen.print, known);
    return store.subscribe((change) => {
      if (concerns(change)) report(change);
    });
  }
  let cancel: (() => void) | undefined;
  const draw = (): void => {
    cancel = undefined;
    screen.redraw();
  };
  screen.follow(render);
  const unsubscribe = store.subscribe(() => {
    cancel ??= clock.after(REDRAW_MS, draw);
  });
  return () => {
    unsubscribe();
    cancel?.();
    draw();
  };
}

/** Cuts a text to `width` characters, with an ellipsis. */
export function fitWidth(text: string, width: number): string {
  if (text.length <= width) return text;
  return width < 1 ? "" : `${text.slice(0, width - 1)}…`;
}

function nameOf({ kind, namespace, name, commit }: ObjectSummary, severalNamespaces: boolean): string {
  const place = severalNamespaces && namespace !== "" ? `${namespace}/` : "";
  return `${wordOf(kind)} ${place}${name}${commit === "" ? "" : ` ${commit}`}`;
}

/** Returns the rows of a branch, depth first. */
function rowsOf({ summary, children }: Branch, at: { readonly lead: string; readonly indent: string }): readonly Row[] {
  return [
    { summary, lead: at.lead },
    ...children.flatMap((child, index) => {
      const last = index === children.length - 1;
      return rowsOf(child, {
        lead: `${at.indent}${last ? "└─ " : "├─ "}`,
        indent: `${at.indent}${last ? "   " : "│  "}`,
      });
    }),
  ];
}
