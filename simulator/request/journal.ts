import type { Time } from "../base/time.ts";
import type { Transition } from "../model/machine.ts";

/** What a call did to the world. `names` are of variables. */
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

/** One call, whatever became of it. */
export interface CallEntry extends Entry {
  readonly is: "call";
  readonly method: string;
  /** As requested, prefix and query included. */
  readonly path: string;
  /** The operation, unless there is none of that method and path on the surface. */
  readonly operation: string | null;
  /** Who called: a token's name or a subject; never the token. */
  principal: string | null;
  /** Secret values masked. */
  body: unknown;
  /** The status that the platform decided on; null while undecided, and for good when the call was cut off before. */
  status: number | null;
  effects: Effect[];
  /** The fault that met the call. */
  fault: string | null;
}

/** A change of state that came from the platform's own work. */
export interface TransitionEntry extends Entry {
  readonly is: "transition";
  readonly transition: Transition;
}

export type JournalEntry = CallEntry | TransitionEntry;

/** All that happened, in order. */
export interface Journal {
  readonly entries: readonly JournalEntry[];
  call(call: Pick<CallEntry, "method" | "path" | "operation" | "body">): CallEntry;
  transition(transition: Transition): void;
  /** Forgets what was; numbers go on. */
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
