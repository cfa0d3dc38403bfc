/** What this process remembers of an object between two reconciles. All of it may be lost at any moment. */
import type { Ms, StatusReason } from "../contract/kind.ts";
import type { ListHistory } from "../ownership/presence.ts";
import { Persistence } from "./persistence.ts";

/** What is missing, and since when, on the monotonic clock. */
export interface MissingSince {
  readonly what: string;
  readonly since: Ms;
}

/** What the platform was last observed to work on, and since when, on the monotonic clock. */
export interface WorkSince {
  readonly message: string;
  readonly since: Ms;
}

/** A step that the platform rejected, and what it was planned from. It has values of Secrets, so it stays in memory. */
export interface Rejection {
  readonly op: string;
  readonly generation: number;
  readonly inputs: unknown;
  /** Whether the platform offered its whole API then. */
  readonly isFull: boolean;
  /** The request to deploy again that was open then. */
  readonly redeploy: string | undefined;
  readonly why: StatusReason;
  /** When the step may be sent again even if nothing changed, on the monotonic clock. */
  readonly until: Ms;
}

/** Failed reconciles in a row, and when the first of them ended, on the monotonic clock. */
interface Failures {
  count: number;
  since: Ms;
}

/** What the object waits for. */
interface Waiting {
  /** Reconciles in a row that ended waiting for the same reason, for the growth of the follow interval. */
  streak: { readonly reason: string; readonly times: number };
  /** The work of the platform. */
  work: WorkSince | undefined;
  /** The reference to a missing object. */
  missing: MissingSince | undefined;
}

/** The steps that the platform rejected. */
interface Rejections {
  /** The last one. */
  last: Rejection | undefined;
  /** Those whose operation the platform does not have, by operation. */
  readonly unsupported: Map<string, Rejection>;
}

/** What reads of the platform have shown. */
interface Reads {
  /** When the platform was last read for this object, on the monotonic clock. */
  at: Ms;
  /** The reads beyond the specification that failed since the platform was last observed, with their HTTP status. */
  readonly failed: Map<string, number>;
  /** What lists of the platform have shown of the object. */
  listHistory: ListHistory | undefined;
}

/** What this process remembers of one object. */
export class LocalState {
  readonly uid: string;
  /** How far what the process knows is stored. */
  readonly persistence = new Persistence();
  readonly failures: Failures = { count: 0, since: 0 };
  readonly waiting: Waiting = { streak: { reason: "", times: 0 }, work: undefined, missing: undefined };
  readonly rejections: Rejections = { last: undefined, unsupported: new Map() };
  readonly reads: Reads;
  /** The recorded object is gone from the platform and is being created again. */
  recreates = false;
  /** Since when the orphan of a deletion cannot be recorded, on the monotonic clock. */
  unrecordedAt: Ms | undefined = undefined;
  /** When the last correction of drift began, on the monotonic clock. */
  correctedAt: Ms | undefined = undefined;
  /** When the last reconcile because of a webhook delivery was or is due, on the monotonic clock. */
  deliveredAt: Ms | undefined = undefined;
  /** Warnings that were given already, each once, e.g. of a poll interval that cannot be parsed. */
  readonly warned = new Set<string>();

  constructor(uid: string, now: Ms) {
    this.uid = uid;
    this.reads = { at: now, failed: new Map(), listHistory: undefined };
  }
}

export type LocalStates = ReturnType<typeof createLocalStates>;

export function createLocalStates(monotonic: () => Ms) {
  const states = new Map<string, LocalState>();
  return {
    /** Returns the local state of an object; a new one when the uid is new. */
    of: (key: string, uid: string): LocalState => {
      const known = states.get(key);
      if (known?.uid === uid) return known;
      const fresh = new LocalState(uid, monotonic());
      states.set(key, fresh);
      return fresh;
    },
    forget: (key: string): void => {
      states.delete(key);
    },
    all: (): Iterable<LocalState> => states.values(),
  };
}
