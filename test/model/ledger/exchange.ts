/** The exchanges between a process of the operator and its world, and the memory of a process. */
import type { Rejection } from "../../../src/engine/context/local-state.ts";
import type { PersistenceState } from "../../../src/engine/context/persistence.ts";
import type { Intent } from "../../../src/engine/ledger/intent.ts";
import type { Json, JsonObject, KubeFailure, KubeObject } from "../../../src/kube/api/types.ts";
import type { ApiFailure } from "../../../src/platform/transport/errors.ts";
import type { Op, Remote } from "../../support/engine/fake-platform.ts";

/** One tick of the model's clock, in milliseconds. */
export const TICK = 5_000;
/** The window after which an unseen effect counts as absent, in ticks. */
export const LANDING_TICKS = 3;
/** Ages above this make no difference for an intent. */
export const LONG = LANDING_TICKS + 1;

export interface Patch {
  readonly status: boolean;
  readonly body: JsonObject;
}

export type Command =
  | { readonly to: "kube"; readonly method: "GET" }
  | ({ readonly to: "kube"; readonly method: "PATCH" } & Patch)
  | { readonly to: "platform"; readonly op: Op; readonly id: string; readonly made: Partial<Remote> }
  /** The wait between two attempts of a write that is retried until it is stored. */
  | { readonly to: "clock" };

export type Reply =
  | { readonly is: "value"; readonly value: Json }
  | { readonly is: "kube"; readonly failure: KubeFailure; readonly status: number }
  | { readonly is: "platform"; readonly failure: ApiFailure; readonly status: number };

/** An answer as it reaches the process. */
export interface Answer {
  readonly reply: Reply;
  /** Ticks since the reconcile began. */
  readonly at: number;
  /** Whether the lease is still valid for a write at that time. */
  readonly leads: boolean;
}

/** The state of the object in a process between two reconciles, in a comparable form. */
export interface Memory extends Pick<PersistenceState, "outcome" | "unsent" | "answer"> {
  /** The last step that the platform rejected. */
  readonly rejected: Rejection | undefined;
  /** The last intent that it saw, and for how many ticks. */
  readonly intent: { readonly attempt: string; readonly age: number } | undefined;
  /** 0 or 1: the number would only delay the next attempt. */
  readonly failures: number;
}

export const NOTHING: Memory = {
  outcome: undefined,
  unsent: [],
  answer: undefined,
  intent: undefined,
  rejected: undefined,
  failures: 0,
};

export interface Start {
  readonly object: KubeObject;
  readonly memory: Memory;
  readonly leads: boolean;
  /** Makes the attempts of this reconcile unique. */
  readonly nonce: number;
}

export type Stand = {
  /** Whether it warned that it leaves an object on the platform. */
  readonly warned: boolean;
  /** An unexpected error, which no table of the engine has. */
  readonly internal: unknown;
} & (
  | {
      readonly is: "parked";
      readonly command: Command;
      /** The last intent that this reconcile wrote, and the tick at which the write began. */
      readonly intent: { readonly intent: Intent; readonly since: number } | undefined;
    }
  | {
      readonly is: "ended";
      readonly object: KubeObject | undefined;
      readonly memory: Memory;
      /** After how many milliseconds it reconciles again; null for never. */
      readonly again: number | null;
    }
);

/** More random numbers than a reconcile draws. */
const DRAWS = 36 ** 2;

/** @returns the random numbers of a reconcile, which name its attempts */
export function numbered(nonce: number): () => number {
  let draws = 0;
  return () => {
    draws += 1;
    return (nonce * DRAWS + draws) / 2 ** 48;
  };
}

/** @returns the nonce of the reconcile that made an attempt */
export function nonceOf(attempt: string): number {
  return Math.floor(Number.parseInt(attempt.slice(attempt.indexOf("-") + 1), 36) / DRAWS);
}
