/** What the operator tells the page, as JSON: the one thing that both sides of it know. */
import type { Fact, Mark } from "../tree/facts.ts";

/** Which objects: all, those that are not Ready as they should be, or those of one mark. */
export const SHOWS = ["all", "not-ready", "stalled", "warned", "working", "new", "deleting", "ready"] as const;
export type Show = (typeof SHOWS)[number];

/** What the page shows, as its address and its request have it. */
export interface PageQuery {
  readonly show: Show;
  /** Every object that has it somewhere in its words, in any case. Empty: all. */
  readonly text: string;
  /** From 1 on; one beyond the last is the last. */
  readonly page: number;
  /** The id of the object that is opened, which decides the page where it is on any; "" for none. */
  readonly at: string;
}

/** Objects on one page. */
export const PAGE_SIZE = 200;
/** Characters of a filter. */
export const MOST_TEXT = 100;

/** One object. Every text may come from a stranger: it is shown as text. */
export interface Row extends Omit<Fact, "kind" | "parent"> {
  /** Its kind for people, e.g. "application". */
  readonly word: string;
  /** Its kind for kubectl, e.g. "papp". */
  readonly short: string;
  /** 0 for what hangs from nothing. */
  readonly depth: number;
  /** Not asked for, only the place of what was. */
  readonly isContext: boolean;
}

/** The process that answers. Every replica has the same caches; one of them works. */
export interface About {
  readonly version: string;
  readonly instance: string;
  readonly isLeading: boolean;
  /** What keeps it from knowing everything, in words; null when nothing does. */
  readonly waitingFor: string | null;
  /** Milliseconds since the most silent watch showed a sign of life. */
  readonly silentMs: number;
}

/** The answer of /api/tree. */
export interface TreePage {
  readonly operator: About;
  /** The operator's time, by which `since` is to be read. */
  readonly now: string;
  /** Of all objects, whatever was asked for. */
  readonly counts: Readonly<Record<Mark, number>>;
  /** How many objects fit what was asked for. */
  readonly matched: number;
  /** From 1 on. */
  readonly page: number;
  readonly pages: number;
  readonly rows: readonly Row[];
}
