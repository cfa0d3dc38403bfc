/** What passes between a process of the operator and its world, and what a process remembers. */
import type { LocalState } from "../../../src/engine/context/local-state.ts";
import type { Intent } from "../../../src/engine/ledger/ledger.ts";
import type { Json, JsonObject, KubeFailure, KubeObject } from "../../../src/kube/api/types.ts";
import type { ApiFailure } from "../../../src/platform/transport/errors.ts";
import type { Op, Remote } from "../engine/fake-platform.ts";

/** One tick of the model's clock, in milliseconds. */
export const TICK = 5_000;
/** The window after which an unseen effect counts as absent, in ticks. */
export const LANDING_TICKS = 3;
/** An intent that was seen for longer than this is as good as any older one. */
export const LONG = LANDING_TICKS + 1;

/** What a pass asks of the world. */
export type Command =
  | { readonly to: "kube"; readonly method: "GET" }
  | { readonly to: "kube"; readonly method: "PATCH"; readonly status: boolean; readonly body: JsonObject }
  | { readonly to: "platform"; readonly op: Op; readonly id: string; readonly made: Partial<Remote> }
  /** Between two tries of a write that is retried until it is stored. */
  | { readonly to: "clock" };

export type Reply =
  | { readonly is: "value"; readonly value: Json }
  | { readonly is: "kube"; readonly failure: KubeFailure; readonly status: number }
  | { readonly is: "platform"; readonly failure: ApiFailure; readonly status: number };

/** An answer as it reaches the process. */
export interface Answer {
  readonly reply: Reply;
  /** Ticks since the pass began. */
  readonly at: number;
  /** Whether the lease still lasts for a write then. */
  readonly leads: boolean;
}

/** What a process remembers of the object between two passes, in a form that can be compared. */
export interface Memory {
  readonly unsaved: LocalState["unsaved"];
  readonly unsent: LocalState["unsent"];
  readonly answered: LocalState["answered"];
  /** The intent that it saw last and for how many ticks. */
  readonly intent: { readonly attempt: string; readonly age: number } | undefined;
  readonly rejected: LocalState["rejected"];
  /** None, or some: how many only makes the next try later. */
  readonly failures: number;
}

export const NOTHING: Memory = {
  unsaved: undefined,
  unsent: [],
  answered: undefined,
  intent: undefined,
  rejected: undefined,
  failures: 0,
};

/** How a pass begins. */
export interface Start {
  readonly object: KubeObject;
  readonly memory: Memory;
  readonly leads: boolean;
  /** Makes the attempts of this pass different from those of all others. */
  readonly nonce: number;
}

/** Where a pass stands. */
export type Stand = {
  /** What it warned of that it leaves on the platform. */
  readonly warned: boolean;
  /** What no table of the engine knows. */
  readonly internal: unknown;
} & (
  | {
      readonly is: "parked";
      readonly command: Command;
      /** The last intent that this pass wrote, and the tick at which it began to. */
      readonly intent: { readonly intent: Intent; readonly since: number } | undefined;
    }
  | {
      readonly is: "ended";
      readonly object: KubeObject | undefined;
      readonly memory: Memory;
      /** When it looks again by itself, in milliseconds; null: never. */
      readonly again: number | null;
    }
);

/** More random numbers than a pass draws. */
const DRAWS = 36 ** 2;

/** @returns the random numbers of a pass, by which its attempts are named */
export function numbered(nonce: number): () => number {
  let draws = 0;
  return () => {
    draws += 1;
    return (nonce * DRAWS + draws) / 2 ** 48;
  };
}

/** @returns the nonce of the pass that made an attempt */
export function nonceOf(attempt: string): number {
  return Math.floor(Number.parseInt(attempt.slice(attempt.indexOf("-") + 1), 36) / DRAWS);
}
