/** The calls of one operator, to the API server and to the platform, in one numbered sequence. */
import type { Buffer } from "node:buffer";

export type Side = "kube" | "platform";

/** One call as it comes in. */
export interface Call {
  /** Its number among all calls of both sides, from 1. */
  readonly k: number;
  readonly side: Side;
  readonly method: string;
  /** As requested, query included. */
  readonly url: string;
  /**
   * What it is about, the same in every run: no ids, no namespace, e.g. "kube PATCH platformapplications/api/status".
   */
  readonly what: string;
  /** Its number among the calls of that name, from 1. */
  readonly nth: number;
  readonly body: Buffer;
  /** The process that made it. */
  readonly pid: number | undefined;
  /** When it came in, milliseconds since 1970. */
  readonly at: number;
}

/** What becomes of a call. */
export type Fate =
  | { readonly do: "pass" }
  /**
   * The operator is killed: before the call is forwarded; after it took effect, its reply withheld; after its reply was
   * flushed; or before, and the call takes effect `lateMs` later nevertheless.
   */
  | { readonly do: "crash"; readonly phase: Phase; readonly lateMs?: number }
  /** Answered by the tap, never forwarded. */
  | {
      readonly do: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** The connection is reset, before or after the call took effect. */
  | { readonly do: "reset"; readonly effect: boolean }
  /** Neither forwarded nor answered. */
  | { readonly do: "hang" }
  | { readonly do: "slow"; readonly ms: number };

export const PHASES = ["before", "after", "replied", "late"] as const;
export type Phase = (typeof PHASES)[number];

/** What was answered, by the far side or by the tap. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** Who decides about calls; both taps of a bed ask the same one. */
export interface Director {
  decide?(call: Call): Fate;
  /** A call of the far side was answered, whether or not the answer is handed on; not asked about watches. */
  answered?(call: Call, answer: Answer): void;
  /** A watch was opened. */
  watched?(watch: Watch): void;
}

/** An open watch of the operator, as the tap has it in hand. */
export interface Watch {
  readonly call: Call;
  /** E.g. "platformapplications". */
  readonly plural: string;
  /** What becomes of each line of the API server; several, or none, may take its place. */
  rewrite: (line: string) => readonly string[];
  /** Lets no line through until `release`; they wait, the connection stays. */
  hold(): void;
  release(): void;
  /** Sends a line of the test's own. */
  inject(line: string): void;
  /** Ends it as a server does that closes a watch. */
  end(): void;
  /** Resets its connection. */
  reset(): void;
}

/** Numbers calls of both sides. */
export interface Sequence {
  next(call: Omit<Call, "k" | "nth" | "at">): Call;
  /** All so far, oldest first. */
  readonly calls: readonly Call[];
}

/** @returns a sequence that begins with 1. */
export function createSequence(): Sequence {
  const calls: Call[] = [];
  const counts = new Map<string, number>();
  return {
    calls,
    next: (call) => {
      const nth = (counts.get(call.what) ?? 0) + 1;
      counts.set(call.what, nth);
      const numbered = { ...call, k: calls.length + 1, nth, at: Date.now() };
      calls.push(numbered);
      return numbered;
    },
  };
}
