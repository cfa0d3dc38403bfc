/** The JSON that the operator sends to the page; shared by both sides. */
import type { Fact, Mark } from "../tree/facts.ts";

/** Which objects are shown: all, those with another mark than ready, or those of one mark. */
export const SHOWS = ["all", "not-ready", "stalled", "warned", "working", "new", "deleting", "ready"] as const;
export type Show = (typeof SHOWS)[number];

/** The view of the page, as in its address and its request. */
export interface PageQuery {
  readonly show: Show;
  /** Shows objects whose texts contain it, ignoring case; empty for all. */
  readonly text: string;
  /** Counted from 1; a larger number than the last shows the last page. */
  readonly page: number;
  /** The id of the object that is opened, whose page is shown if it is on one; "" for none. */
  readonly at: string;
}

/** The number of objects on one page. */
export const PAGE_SIZE = 200;
/** The largest length of a filter text. */
export const MOST_TEXT = 100;

/** One object. Its texts are untrusted: they are shown as plain text. */
export interface Row extends Omit<Fact, "kind" | "parent"> {
  /** Its kind for people, e.g. "application". */
  readonly word: string;
  /** Its kind for kubectl, e.g. "papp". */
  readonly short: string;
  /** 0 for an object without a parent. */
  readonly depth: number;
  /** True for a parent that does not match, but has a child that does. */
  readonly isContext: boolean;
}

/** The process that answers. Every replica has the same caches; only the leader reconciles. */
export interface About {
  readonly version: string;
  readonly instance: string;
  readonly isLeading: boolean;
  /** Why it is not ready, as text, e.g. which kinds are not listed yet; null when it is. */
  readonly waitingFor: string | null;
  /** Milliseconds since the last activity of the watch that has been silent longest. */
  readonly silentMs: number;
}

/** The answer of /api/tree. */
export interface TreePage {
  readonly operator: About;
  /** The operator's time, to which `since` relates. */
  readonly now: string;
  /** The counts of all objects, independent of the query. */
  readonly counts: Readonly<Record<Mark, number>>;
  /** The number of objects that match the query. */
  readonly matched: number;
  /** Counted from 1. */
  readonly page: number;
  readonly pages: number;
  readonly rows: readonly Row[];
}
