/** The calls of one operator, to the API server and to the platform, in one numbered sequence. */
import type { Buffer } from "node:buffer";

export type Side = "kube" | "platform";

export interface Call {
  /** The number among all calls of both sides, from 1. */
  readonly k: number;
  readonly side: Side;
  readonly method: string;
  readonly url: string;
  /** The name without ids and namespace, the same in every run, e.g. "kube PATCH platformapplications/api/status". */
  readonly what: string;
  /** The number among the calls of that name, from 1. */
  readonly nth: number;
  readonly body: Buffer;
  /** "1.1", or "2.0" for the watches of an operator behind a tap that offers HTTP/2. */
  readonly httpVersion: string;
  /** The process that sent the call; undefined if no process holds its connection any more. */
  readonly pid: number | undefined;
  /** The time of arrival, in milliseconds since 1970. */
  readonly at: number;
}

/** What the tap does with a call. */
export type Decision =
  | { readonly do: "forward" }
  /**
   * Kills the operator: before forwarding the call; after its effect, without a reply; after flushing the reply; or
   * before forwarding it, with the effect `lateMs` later.
   */
  | { readonly do: "crash"; readonly phase: Phase; readonly lateMs?: number }
  /** Answers without forwarding. */
  | {
      readonly do: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Resets the connection, before or after the effect. */
  | { readonly do: "reset"; readonly effect: boolean }
  /** Neither forwards nor answers. */
  | { readonly do: "hang" }
  | { readonly do: "slow"; readonly ms: number };

export const PHASES = ["before", "after", "replied", "late"] as const;
export type Phase = (typeof PHASES)[number];

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** Decides about calls and observes them, for both taps of an environment. */
export interface Interceptor {
  decide?(call: Call): Decision;
  /** Receives each answer of a server, also one that is withheld from the operator. Not called for watches. */
  onAnswer?(call: Call, answer: Answer): void;
  onWatch?(watch: Watch): void;
}

/** An open watch of the operator. */
export interface Watch {
  readonly call: Call;
  /** E.g. "platformapplications". */
  readonly plural: string;
  /** Replaces each line of the API server by any number of lines. */
  rewrite: (line: string) => readonly string[];
  /** Buffers all lines until `release`; the connection stays open. */
  hold(): void;
  release(): void;
  /** Sends a line, even while others are buffered. */
  inject(line: string): void;
  /** Ends the response, as a server that closes a watch. */
  end(): void;
  reset(): void;
}

export type Sequence = ReturnType<typeof createSequence>;

/** Numbers calls of both sides. */
export function createSequence() {
  const calls: Call[] = [];
  const counts = new Map<string, number>();
  return {
    /** All calls so far, oldest first. */
    calls,
    next: (call: Omit<Call, "k" | "nth" | "at">): Call => {
      const nth = (counts.get(call.what) ?? 0) + 1;
      counts.set(call.what, nth);
      const numbered = { ...call, k: calls.length + 1, nth, at: Date.now() };
      calls.push(numbered);
      return numbered;
    },
  };
}
