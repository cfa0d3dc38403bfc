/** What this process remembers of an object between two reconciles. All of it may be lost at any moment. */
import { isDeepStrictEqual } from "node:util";

import { member } from "../../kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Kind, Ms, Uuid, Why } from "../contract/kind.ts";
import type { ListHistory } from "../ownership/presence.ts";

/** The id, the memory and the closing of an intent that only this process knows, until the next write of the status. */
export interface Unsaved {
  readonly id: Uuid | undefined;
  readonly memory: JsonObject;
  readonly intentClosed: boolean;
  /** The status that these facts extend. They are void once another process has replaced the records in it. */
  readonly over: KubeObject["status"];
}

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
  readonly why: Why;
  /** When the step may be sent again even if nothing changed, on the monotonic clock. */
  readonly until: Ms;
}

/** What this process remembers of one object. */
export class LocalState {
  readonly uid: string;
  /** The facts that the stored status does not have yet. */
  unsaved: Unsaved | undefined = undefined;
  /** The attempts whose intent was, or may have been, written and whose request was certainly not sent. */
  unsent: readonly string[] = [];
  /** The create that was answered and whose id is not stored yet. */
  answered: { readonly attempt: string; readonly id: Uuid; readonly memory: JsonObject } | undefined = undefined;
  /** The open intent, and when this process first saw it, on the monotonic clock. */
  seenIntent: { readonly attempt: string; readonly at: Ms } | undefined = undefined;
  /** The last step that the platform rejected. */
  rejected: Rejection | undefined = undefined;
  /** The steps whose operation the platform does not have, by operation. */
  readonly unsupported = new Map<string, Rejection>();
  /** Failed reconciles in a row, and when the first of them ended, on the monotonic clock. */
  failures = 0;
  failingSince: Ms = 0;
  /** Reconciles in a row that ended waiting for the same reason, for the growth of the follow interval. */
  waits: { readonly reason: string; readonly times: number } = { reason: "", times: 0 };
  /** The work of the platform that the object waits for. */
  work: WorkSince | undefined = undefined;
  /** The reference to a missing object that this object waits for. */
  missing: MissingSince | undefined = undefined;
  /** What lists of the platform have shown of the object. */
  listHistory: ListHistory | undefined = undefined;
  /** The reads beyond the specification that failed since the platform was last observed, with their HTTP status. */
  readonly unread = new Map<string, number>();
  /** When the platform was last read for this object, on the monotonic clock. */
  readAt: Ms;
  /** The recorded object is gone from the platform and is being created again. */
  recreates = false;
  /** Since when the orphan of a deletion cannot be recorded. */
  unrecordedAt: Ms | undefined = undefined;
  /** When the last correction of drift began, on the monotonic clock. */
  correctedAt: Ms | undefined = undefined;
  /** When the last webhook wake-up was or is due, on the monotonic clock. */
  hintedAt: Ms | undefined = undefined;
  /** The status whose write is delayed: since when, and the object that it was built for. */
  deferred:
    | {
        readonly since: Ms;
        readonly signature: string;
        readonly object: KubeObject;
        readonly status: JsonObject;
        readonly note: string | undefined;
        /** Why a request to deploy again was refused. */
        readonly refusal: string | undefined;
      }
    | undefined = undefined;
  /** Warnings that were given already, each once, e.g. of a poll interval that cannot be parsed. */
  readonly warned = new Set<string>();

  constructor(uid: string, now: Ms) {
    this.uid = uid;
    this.readAt = now;
  }
}

export type LocalStates = ReturnType<typeof createLocalStates>;

/**
 * Reports whether another process has changed the recorded id, intent or memory since the unsaved facts became known.
 */
export function isOvertaken(
  { resource }: Pick<Kind, "resource">,
  { status }: KubeObject,
  { unsaved }: LocalState,
): boolean {
  const recordIn = (one: KubeObject["status"]): JsonObject => ({
    id: member(one, "externalId") ?? null,
    intent: member(one, "intent") ?? null,
    memory: resource.memory.parse(one ?? {}),
  });
  if (unsaved === undefined || unsaved.over === status) return false;
  return !isDeepStrictEqual(recordIn(unsaved.over), recordIn(status));
}

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
