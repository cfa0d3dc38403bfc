import { z } from "zod";

const seconds = z.number().min(0);
const status = z.int().min(100).max(599);
const pace = z.number().positive().default(100).describe("milliseconds between two pieces");

/** The answer to a call with a fault. */
export const FaultAnswer = z.discriminatedUnion("is", [
  z.strictObject({ is: z.literal("normal") }),
  z.strictObject({
    is: z.literal("status"),
    status,
    /** A text is sent unchanged; if absent, the body is an error with that status. */
    body: z.unknown().optional(),
    headers: z.record(z.string(), z.string()).default({}),
  }),
  z.strictObject({
    is: z.literal("rate-limited"),
    /** The value of X-RateLimit-Reset, not validated; if absent, the header is left out. */
    reset: z.string().optional(),
  }),
  z.strictObject({ is: z.literal("slow"), seconds }),
  z.strictObject({ is: z.literal("drip"), intervalMs: pace }),
  z.strictObject({ is: z.literal("endless-headers"), intervalMs: pace }),
  z.strictObject({ is: z.literal("truncated"), contentLength: z.boolean().default(true) }),
  z.strictObject({ is: z.literal("html"), status: status.default(200) }),
  z.strictObject({ is: z.literal("empty"), status: status.default(200) }),
  z.strictObject({ is: z.literal("huge"), bytes: z.int().positive() }),
  z.strictObject({ is: z.literal("content-type"), value: z.string() }),
  z.strictObject({ is: z.literal("malformed") }),
  z.strictObject({ is: z.literal("reset") }),
  z.strictObject({ is: z.literal("silence") }),
  z.strictObject({
    is: z.literal("edited"),
    /** Members to set, by dotted path (`results.0.name`); null, unknown enum values and extra members included. */
    set: z.record(z.string(), z.unknown()).default({}),
    /** Members to remove. */
    remove: z.array(z.string()).default([]),
  }),
]);
export type FaultAnswer = z.infer<typeof FaultAnswer>;

/** Which calls get a fault, what happens to their effect, and their answer. */
export const Fault = z.strictObject({
  name: z.string().min(1).default("fault"),
  match: z
    .strictObject({
      operation: z.string().optional(),
      method: z.string().optional(),
      /** Without prefix and query; `*` stands for anything. */
      path: z.string().optional(),
    })
    .default({}),
  /** The number of matching calls before the first that gets the fault. */
  after: z.int().min(0).default(0),
  /** After that, every n-th matching call gets the fault: 2 means every other one. */
  every: z.int().min(1).default(1),
  /** The total number of calls that get the fault; null until it is removed. */
  count: z.int().min(1).nullable().default(1),
  /**
   * none: the platform never receives the call; applied: it executes the call, then the answer is faulty; late: it
   * executes the call `lateSeconds` of real time later. By default, applied if the answer is made from the real one.
   */
  effect: z.enum(["none", "applied", "late"]).optional(),
  lateSeconds: seconds.default(3),
  answer: FaultAnswer,
});
export type Fault = z.infer<typeof Fault>;
export type FaultInput = z.input<typeof Fault>;

/** The parts of a call that faults match. */
export interface FaultSubject {
  readonly method: string;
  readonly path: string;
  readonly operation: string | undefined;
}

/** The faults that are set. */
export interface Faults {
  /** @throws z.ZodError */
  add(fault: FaultInput): Fault;
  /** Removes the faults of a name, or all. */
  clear(name?: string): void;
  list(): readonly Fault[];
  /** @returns the first fault that applies to this call; counts the call for all faults that match */
  take(subject: FaultSubject): Fault | undefined;
}

/** @returns a store without faults. */
export function createFaults(): Faults {
  let active: { fault: Fault; seen: number; met: number }[] = [];
  return {
    add(input) {
      const fault = Fault.parse(input);
      active.push({ fault, seen: 0, met: 0 });
      return fault;
    },
    clear(name) {
      active = active.filter(({ fault }) => name !== undefined && fault.name !== name);
    },
    list: () => active.map(({ fault }) => fault),
    take(subject) {
      let taken: Fault | undefined;
      for (const entry of active) {
        if (!matches(entry.fault, subject)) continue;
        const { after, every, count } = entry.fault;
        entry.seen += 1;
        const turn = entry.seen > after && (entry.seen - after - 1) % every === 0;
        if (!turn || taken !== undefined || (count !== null && entry.met >= count)) continue;
        entry.met += 1;
        taken = entry.fault;
      }
      return taken;
    },
  };
}

function matches({ match }: Fault, subject: FaultSubject): boolean {
  if (match.operation !== undefined && match.operation !== subject.operation) return false;
  if (match.method !== undefined && match.method.toUpperCase() !== subject.method) return false;
  return match.path === undefined || glob(match.path).test(subject.path);
}

function glob(pattern: string): RegExp {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`);
}

/** @returns what happens to the effect of a call with this fault */
export function effectOf(fault: Fault): "none" | "applied" | "late" {
  if (fault.effect !== undefined) return fault.effect;
  switch (fault.answer.is) {
    case "status":
    case "rate-limited":
    case "endless-headers":
    case "html":
    case "empty":
    case "huge":
    case "reset":
    case "silence":
      return "none";
    case "normal":
    case "slow":
    case "drip":
    case "truncated":
    case "content-type":
    case "malformed":
    case "edited":
      return "applied";
    default:
      return fault.answer satisfies never;
  }
}
