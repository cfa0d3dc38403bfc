/** What this process remembers of an object between two passes; all of it may be lost at any moment. */
import type { JsonObject, KubeObject } from "../kube/types.ts";
import type { Ms, Uuid } from "./kind.ts";
import type { Work } from "./progress.ts";
import type { Rejection } from "./rejection.ts";

export interface Session {
  readonly uid: string;
  /** Id, memory and closed intents that are not in the stored status yet. */
  unsaved: { readonly id: Uuid | undefined; readonly memory: JsonObject; readonly intentClosed: boolean } | undefined;
  /** The attempt that was written but certainly not sent. */
  unsent: string | undefined;
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
  /** When the platform was last read about this object. */
  readAt: Ms;
  /** What was recorded is gone from the platform and is created anew. */
  recreates: boolean;
  /** Since when an object that goes has no connection to go by. */
  lostAt: Ms | undefined;
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

export interface Sessions {
  /** The session of an object; a new one when the uid is new. */
  of(key: string, uid: string): Session;
  forget(key: string): void;
  all(): Iterable<Session>;
}

export function createSessions(monotonic: () => Ms): Sessions {
  const sessions = new Map<string, Session>();
  return {
    of: (key, uid) => {
      const known = sessions.get(key);
      if (known?.uid === uid) return known;
      const fresh: Session = {
        uid,
        unsaved: undefined,
        unsent: undefined,
        seenIntent: undefined,
        rejected: undefined,
        failures: 0,
        failingSince: 0,
        waits: { reason: "", times: 0 },
        work: undefined,
        readAt: monotonic(),
        recreates: false,
        lostAt: undefined,
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
