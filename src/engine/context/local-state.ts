/** What this process remembers of an object between two passes; all of it may be lost at any moment. */
import { member } from "../../kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Ms, Surface, Uuid, Why } from "../contract/kind.ts";
import { sameJson } from "../contract/status.ts";
import type { Sightings } from "../ownership/presence.ts";

/** Id, memory and a closed intent that one process knows, and that its next status will have. */
export interface Unsaved {
  readonly id: Uuid | undefined;
  readonly memory: JsonObject;
  readonly intentClosed: boolean;
  /** The status that this goes beyond: once another process has put its own record in its place, this is void. */
  readonly over: KubeObject["status"];
}

/** What is missing, and since when, on the monotonic clock. */
export interface Missing {
  readonly what: string;
  readonly since: Ms;
}

/** What the platform was last seen at, and since when, on the monotonic clock. */
export interface Work {
  readonly message: string;
  readonly since: Ms;
}

/** A step that was rejected, and what it was made of. Values of Secrets are in it: it stays in memory. */
export interface Rejection {
  readonly op: string;
  readonly generation: number;
  readonly inputs: unknown;
  /** What was known of the platform when it was made. */
  readonly surface: Surface | undefined;
  readonly why: Why;
  /** When it may be sent again nevertheless, on the monotonic clock. */
  readonly until: Ms;
}

export interface LocalState {
  readonly uid: string;
  /** What is not in the stored status yet. */
  unsaved: Unsaved | undefined;
  /** The attempts that were, or may have been, written and certainly not sent. */
  unsent: readonly string[];
  /** The create that the platform has answered and whose id is not stored yet. */
  answered: { readonly attempt: string; readonly id: Uuid; readonly memory: JsonObject } | undefined;
  /** When this process first saw which open intent, on the monotonic clock. */
  seenIntent: { readonly attempt: string; readonly at: Ms } | undefined;
  /** The last step that the platform rejected. */
  rejected: Rejection | undefined;
  /** Failed passes in a row, and when the first of them ended, on the monotonic clock. */
  failures: number;
  failingSince: Ms;
  /** Passes in a row that ended waiting for the same reason, for the growth of the follow interval. */
  waits: { readonly reason: string; readonly times: number };
  /** What the platform is at, while it is waited for. */
  work: Work | undefined;
  /** What is referred to and does not exist, while it is waited for. */
  missing: Missing | undefined;
  /** When a task is due to be looked at, on the monotonic clock. */
  dueAt: Ms | undefined;
  /** For how long the rate limit kept a task from being looked at, as far as its stored deadline does not say it. */
  idleMs: Ms;
  /** What the lists of the platform have shown of its object. */
  sightings: Sightings | undefined;
  /** When the platform was last read about this object. */
  readAt: Ms;
  /** What was recorded is gone from the platform and is created anew. */
  recreates: boolean;
  /** Since when an object that goes has no connection to go by. */
  lostAt: Ms | undefined;
  /** Since when what stays of an object that goes cannot be recorded. */
  unrecordedAt: Ms | undefined;
  /** When what others had changed was last put right, on the monotonic clock. */
  correctedAt: Ms | undefined;
  /** When the last look that a delivery asked for was or is due, on the monotonic clock. */
  hintedAt: Ms | undefined;
  /** The status that is due and held back, since when, and what it was made for. */
  deferred:
    | { readonly since: Ms; readonly signature: string; readonly object: KubeObject; readonly status: JsonObject }
    | undefined;
  /** Warnings that were given once, e.g. of a poll interval that cannot be read. */
  readonly warned: Set<string>;
}

export interface LocalStates {
  /** The session of an object; a new one when the uid is new. */
  of(key: string, uid: string): LocalState;
  forget(key: string): void;
  all(): Iterable<LocalState>;
}

/** Whether another process has written a record of its own since what is unsaved came to be known. */
export function isOvertaken(
  { resource }: { readonly resource: { readonly memory: { parse(status: unknown): JsonObject } } },
  { status }: KubeObject,
  { unsaved }: LocalState,
): boolean {
  const recordIn = (one: KubeObject["status"]): JsonObject => ({
    id: member(one, "externalId") ?? null,
    intent: member(one, "intent") ?? null,
    memory: resource.memory.parse(one ?? {}),
  });
  return unsaved !== undefined && !sameJson(recordIn(unsaved.over), recordIn(status));
}

export function createLocalStates(monotonic: () => Ms): LocalStates {
  const sessions = new Map<string, LocalState>();
  return {
    of: (key, uid) => {
      const known = sessions.get(key);
      if (known?.uid === uid) return known;
      const fresh: LocalState = {
        uid,
        unsaved: undefined,
        unsent: [],
        answered: undefined,
        seenIntent: undefined,
        rejected: undefined,
        failures: 0,
        failingSince: 0,
        waits: { reason: "", times: 0 },
        work: undefined,
        missing: undefined,
        dueAt: undefined,
        idleMs: 0,
        sightings: undefined,
        readAt: monotonic(),
        recreates: false,
        lostAt: undefined,
        unrecordedAt: undefined,
        correctedAt: undefined,
        hintedAt: undefined,
        deferred: undefined,
        warned: new Set(),
      };
      sessions.set(key, fresh);
      return fresh;
    },
    forget: (key) => {
      sessions.delete(key);
    },
    all: () => sessions.values(),
  };
}
