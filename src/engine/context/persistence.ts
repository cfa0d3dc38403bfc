/** What one process knows of an object and has not stored yet. */
import { isDeepStrictEqual } from "node:util";

import { member } from "../../kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Kind, Ms, Uuid } from "../contract/kind.ts";
import { memoryIn, recordedIn } from "../contract/status.ts";

/**
 * How far the facts of one object are stored. Every member ends with the process, and the next process makes up for it:
 * - `unsent`: without it, an open intent counts as sent: it is traced, and a create without a trace needs a person.
 * - `seen`: without it, the landing window of an open intent begins again.
 * - `answer`: its write is retried until the API server accepts it. Without it, the create is traced; where no read
 *   shows the object, a person names it (CreateResultUnknown).
 * - `outcome`: the next write of the status stores it. Without it, the intent of an action is open and is traced, an id
 *   is read from the signed annotation, and other memory is lost: the platform is observed without it.
 * - `delayed`: without it, the status is built again. A process that ends in order writes it if it has an outcome.
 * Nothing here allows a request: what must not happen twice is decided by what the API server has (docs/project/architecture.md
 * §6).
 */
export interface PersistenceState {
  /** The attempts whose intent was, or may have been, written and whose request was certainly not executed. */
  readonly unsent: readonly string[];
  /** The open intent, and when this process first saw it, on the monotonic clock. */
  readonly seen: { readonly attempt: string; readonly at: Ms } | undefined;
  /** The answer to a create, whose id is not stored yet. */
  readonly answer: Answer | undefined;
  /** The facts that the stored status does not have yet. */
  readonly outcome: Outcome | undefined;
  /** The status whose write is delayed. */
  readonly delayed: DelayedStatus | undefined;
}

interface Answer {
  readonly attempt: string;
  readonly id: Uuid;
  readonly memory: JsonObject;
}

interface Outcome {
  readonly id: Uuid | undefined;
  readonly memory: JsonObject;
  readonly closesIntent: boolean;
  /** The status that these facts extend. They are void once another process has replaced the records in it. */
  readonly over: KubeObject["status"];
}

export interface DelayedStatus {
  /** Since when the status looks like this, on the monotonic clock. */
  readonly since: Ms;
  /** The significant part of the status: a change of it restarts the delay. */
  readonly signature: string;
  /** The object that the status was built for. */
  readonly object: KubeObject;
  readonly status: JsonObject;
  /** The text of the event of Ready=True. */
  readonly note: string | undefined;
  /** Why a request to deploy again was refused. */
  readonly refusal: string | undefined;
}

const ALL_STORED: PersistenceState = {
  unsent: [],
  seen: undefined,
  answer: undefined,
  outcome: undefined,
  delayed: undefined,
};

/** Follows the facts of one object until they are stored. Each method says what has happened. */
export class Persistence {
  #state: PersistenceState;

  constructor(state = ALL_STORED) {
    this.#state = state;
  }

  get state(): PersistenceState {
    return this.#state;
  }

  #change(change: Partial<PersistenceState>): void {
    this.#state = { ...this.#state, ...change };
  }

  /** An intent is about to be written: even a failed write may have stored it. Its request does not begin before. */
  noteAttempt(attempt: string, now: Ms): void {
    this.#change({ unsent: [...this.#state.unsent, attempt], seen: { attempt, at: now } });
  }

  /** The intent is stored, so the API server would refuse the earlier ones. */
  noteIntentStored(attempt: string): void {
    this.#change({ unsent: [attempt] });
  }

  /** The request begins. */
  noteSent(): void {
    this.#change({ unsent: [] });
  }

  /** The request certainly had no effect. */
  noteNotExecuted(attempt: string): void {
    this.#change({ unsent: [attempt] });
  }

  /** The platform answered a create. */
  noteAnswer(answer: Answer): void {
    this.#change({ answer });
  }

  /** The id of the answer is stored. */
  noteAnswerStored(): void {
    this.#change({ answer: undefined });
  }

  /** Returns for how long this process has seen an open intent, in milliseconds: 0 at the first call for an attempt. */
  seenFor(attempt: string, now: Ms): Ms {
    const seen = this.#state.seen?.attempt === attempt ? this.#state.seen : { attempt, at: now };
    this.#change({ seen });
    return now - seen.at;
  }

  /** A step has ended, and no intent of an action is open any more. @param object as the API server has it */
  noteOutcome({ status }: Pick<KubeObject, "status">, known: Pick<Outcome, "id" | "memory">): void {
    this.#change({ outcome: { ...known, closesIntent: true, over: status } });
  }

  /** A report or an output told something that no later reconcile can find out. An open intent stays open. */
  noteLearned({ status }: Pick<KubeObject, "status">, known: Pick<Outcome, "id" | "memory">): void {
    const { closesIntent = false } = this.#state.outcome ?? {};
    this.#change({ outcome: { ...known, closesIntent, over: status } });
  }

  /** The status has the outcome, or the object that it is about is gone. A delayed status waits on. */
  noteOutcomeStored(): void {
    this.#change({ outcome: undefined });
  }

  /** A status is built that may be written later. @returns it, with the time since when it looks like this */
  delayStatus(built: Omit<DelayedStatus, "since">, now: Ms): DelayedStatus {
    const before = this.#state.delayed;
    const delayed = { ...built, since: before?.signature === built.signature ? before.since : now };
    this.#change({ delayed });
    return delayed;
  }

  /** The status is stored with all facts. */
  noteStatusStored(): void {
    this.#change({ outcome: undefined, delayed: undefined });
  }

  /** Drops the outcome once another process has changed the recorded id, intent or memory that it extends. */
  dropOvertaken({ resource }: Pick<Kind, "resource">, { status }: Pick<KubeObject, "status">): void {
    const { outcome } = this.#state;
    const recordIn = (one: KubeObject["status"]): JsonObject => ({
      id: member(one, "externalId") ?? null,
      intent: recordedIn({ status: one }, "intent") ?? null,
      memory: memoryIn(resource, { status: one }),
    });
    if (outcome === undefined || outcome.over === status) return;
    if (!isDeepStrictEqual(recordIn(outcome.over), recordIn(status))) this.#change({ outcome: undefined });
  }
}
