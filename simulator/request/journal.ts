import type { Time } from "../base/time.ts";
import type { Transition } from "../model/machine.ts";

/** The effect of a call on the world. `names` are those of variables. */
export type Effect =
  | { readonly created: string }
  | { readonly updated: string }
  | { readonly deleted: string }
  | { readonly deployed: string; readonly commit: string | null; readonly request: string | null }
  | { readonly stopped: string; readonly request: string | null }
  | { readonly restarted: string; readonly request: string }
  | { readonly canceled: string }
  | { readonly upgraded: string }
  | { readonly mailed: string }
  | { readonly imported: string; readonly names: readonly string[] }
  | { readonly bound: string; readonly template: string };

interface Entry {
  readonly seq: number;
  /** Wall-clock time, ISO 8601. */
  readonly at: string;
  /** Virtual milliseconds since the start. */
  readonly virtualMs: number;
}

/** One call, with any outcome. */
export interface CallEntry extends Entry {
  readonly is: "call";
  readonly method: string;
  /** The path as requested, with prefix and query. */
  readonly path: string;
  /** The operation; null if the surface has none of that method and path. */
  readonly operation: string | null;
  /** The caller: the name of a token or a subject, never the token. */
  principal: string | null;
  /** The body with secret values masked. */
  body: unknown;
  /** The status of the platform's answer; null before the answer, and forever if a fault prevents the call. */
  status: number | null;
  effects: Effect[];
  /** The fault of the call. */
  fault: string | null;
}

/** A change of state by the platform itself. */
export interface TransitionEntry extends Entry {
  readonly is: "transition";
  readonly transition: Transition;
}

export type JournalEntry = CallEntry | TransitionEntry;

/** All calls and transitions, in order. */
export interface Journal {
  readonly entries: readonly JournalEntry[];
  call(call: Pick<CallEntry, "method" | "path" | "operation" | "body">): CallEntry;
  transition(transition: Transition): void;
  /** Forgets all entries; the numbers continue. */
  clear(): void;
}

/** A journal that reaches this many entries forgets its older half. */
const entryLimit = 200_000;

/** @returns a journal that numbers from 1. */
export function createJournal(time: Time): Journal {
  let entries: JournalEntry[] = [];
  let seq = 0;
  const add = (entry: JournalEntry): void => {
    if (entries.length >= entryLimit) entries = entries.slice(entryLimit / 2);
    entries.push(entry);
  };
  const stamp = (virtualMs: number): Entry => {
    seq += 1;
    return { seq, at: time.wall(virtualMs).toISOString(), virtualMs };
  };
  return {
    get entries() {
      return entries;
    },
    call(call) {
      const entry: CallEntry = {
        ...stamp(time.virtual()),
        is: "call",
        ...call,
        principal: null,
        status: null,
        effects: [],
        fault: null,
      };
      add(entry);
      return entry;
    },
    transition(transition) {
      add({ ...stamp(transition.at), is: "transition", transition });
    },
    clear() {
      entries = [];
    },
  };
}
