/** The objects as a tree with columns, in the width of a terminal. Pure. */
import type { Fact, Mark } from "./facts.ts";

export type Colour = "green" | "red" | "yellow" | "cyan" | "dim" | "bold";

/** Colours a text, or gives it back as it is. */
export type Paint = (colour: Colour, text: string) => string;

export const plain: Paint = (_colour, text) => text;

export interface TreeStyle {
  /** Columns of the terminal. No line is wider. */
  readonly width: number;
  readonly paint: Paint;
}

interface Look {
  readonly sign: string;
  readonly colour: Colour;
}

const LOOKS: Readonly<Record<Mark, Look>> = {
  new: { sign: "·", colour: "dim" },
  working: { sign: "◌", colour: "cyan" },
  ready: { sign: "✔", colour: "green" },
  warned: { sign: "!", colour: "yellow" },
  stalled: { sign: "✘", colour: "red" },
  deleting: { sign: "−", colour: "dim" },
};

/** The order of what hangs from the same place; other kinds follow. */
const ORDER = [
  "ClusterPlatformConnection",
  "PlatformConnection",
  "PlatformProject",
  "PlatformEnvironment",
  "PlatformApplication",
  "PlatformCatalog",
  "PlatformBinding",
];

const GAP = "  ";
/** Room that the columns have even while nothing fills it, so that they do not jump. */
const LEAST = { name: 31, state: 8, reason: 14 } as const;
/** A message that would be shorter than this is left out. */
const SHORTEST_MESSAGE = 12;

interface Row {
  readonly fact: Fact;
  /** The branches before the sign. */
  readonly lead: string;
}

/** @returns the tree, one line an object below a line of headings; no line is wider than the terminal. */
export function renderTree(facts: readonly Fact[], style: TreeStyle): readonly string[] {
  const { width, paint } = style;
  const severalNamespaces = new Set(facts.map(({ namespace }) => namespace).filter((name) => name !== "")).size > 1;
  const rows = rowsOf(facts).map(({ fact, lead }) => ({ fact, lead, name: nameOf(fact, severalNamespaces) }));
  const names = Math.max(LEAST.name, ...rows.map(({ lead, name }) => lead.length + 2 + name.length));
  const states = Math.max(LEAST.state, ...rows.map(({ fact }) => fact.state.length));
  const reasons = Math.max(LEAST.reason, ...rows.map(({ fact }) => fact.reason.length));
  const rest = width - names - states - reasons - 3 * GAP.length;
  const columns = (name: string, state: string, reason: string, message: string): readonly string[] => [
    name.padEnd(names),
    state.padEnd(states),
    rest < SHORTEST_MESSAGE ? reason : reason.padEnd(reasons),
    ...(rest < SHORTEST_MESSAGE ? [] : [fit(message, rest)]),
  ];
  const heading = fit(columns("OBJECT", "STATE", "REASON", "MESSAGE").join(GAP).trimEnd(), width);
  const lines = rows.map(({ fact, lead, name }) => {
    const { sign, colour } = LOOKS[fact.mark];
    const line = fit(
      columns(`${lead}${sign} ${name}`, fact.state, fact.reason, fact.message).join(GAP).trimEnd(),
      width,
    );
    // The sign comes right after the branches, so it can be coloured without measuring anything again.
    const at = lead.length;
    const painted = at < line.length ? paint(colour, line.slice(at, at + 1)) : "";
    return line.slice(0, at) + painted + line.slice(at + 1);
  });
  return [paint("dim", heading), ...lines];
}

/** @returns one line on one object, for where lines are only ever added. */
export function renderLine(fact: Fact): string {
  const { sign } = LOOKS[fact.mark];
  const words = [nameOf(fact, false), fact.state, fact.reason].filter((word) => word !== "").join(GAP);
  return `${sign} ${words}: ${fact.message}`;
}

/** "PlatformApplication" → "application", "ClusterPlatformConnection" → "cluster connection". */
export function wordOf(kind: string): string {
  return kind
    .replace("Platform", " ")
    .trim()
    .replaceAll(/\s*([A-Z])/g, (_match, letter: string) => ` ${letter.toLowerCase()}`)
    .trim();
}

/** Cuts a text to `width` characters, with an ellipsis for what is left out. */
export function fit(text: string, width: number): string {
  if (text.length <= width) return text;
  return width < 1 ? "" : `${text.slice(0, width - 1)}…`;
}

function nameOf({ kind, namespace, name, commit }: Fact, severalNamespaces: boolean): string {
  const place = severalNamespaces && namespace !== "" ? `${namespace}/` : "";
  return `${wordOf(kind)} ${place}${name}${commit === "" ? "" : ` ${commit}`}`;
}

/** Depth first. What hangs from something that is not there stands at the root. */
function rowsOf(facts: readonly Fact[]): readonly Row[] {
  const known = new Set(facts.map(({ id }) => id));
  const sorted = facts.toSorted(byPlace);
  const childrenOf = (id: string | undefined): readonly Fact[] =>
    sorted.filter(({ parent }) => (parent !== undefined && known.has(parent) ? parent : undefined) === id);
  const below = (id: string, indent: string): readonly Row[] => {
    const children = childrenOf(id);
    return children.flatMap((fact, index) => {
      const last = index === children.length - 1;
      return [
        { fact, lead: `${indent}${last ? "└─ " : "├─ "}` },
        ...below(fact.id, `${indent}${last ? "   " : "│  "}`),
      ];
    });
  };
  return childrenOf(undefined).flatMap((fact) => [{ fact, lead: "" }, ...below(fact.id, "")]);
}

function byPlace(left: Fact, right: Fact): number {
  const rank = ({ kind }: Fact): number => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length);
  const text = ({ kind, namespace, name }: Fact): string => [kind, namespace, name].join("\0");
  return rank(left) - rank(right) || (text(left) < text(right) ? -1 : 1);
}
