import { z } from "zod";

import type { Need, OperationId } from "../base/operations.ts";
import { Problem } from "../base/problems.ts";
import { requireScope, type Principal } from "./auth.ts";
import type { Effect } from "./journal.ts";
import type { Masks } from "./masks.ts";
import type { Simulation } from "./simulation.ts";

/** One call that has passed authentication, budget and scopes. */
export interface Call {
  readonly sim: Simulation;
  readonly principal: Principal;
  /** Adds an effect of the call to the journal. */
  effect(effect: Effect): void;
}

export interface Result {
  readonly body?: unknown;
  /** Overrides the operation's status, for operations with several in the public profile. */
  readonly publicStatus?: number;
  /** True for a body of raw text. */
  readonly text?: boolean;
}

/** The parts of a request as they arrived. */
export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** An operation that can be served. */
export interface Route {
  readonly operation: OperationId;
  /** Schemas for the OpenAPI document. */
  readonly input: Input;
  readonly answer: z.ZodType;
  /** The members of its body that the journal may keep; all other members are masked. */
  readonly keeps: Masks | undefined;
  /** @throws Problem 400 for an invalid input, or another one */
  handle(input: RawInput, call: Call): Result;
}

/** Schemas of a request's parts; a part without a schema is ignored. */
interface Input {
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
}

/** @returns a route whose handler gets the parsed input */
export function route<In extends Input & z.ZodRawShape>(spec: {
  readonly operation: OperationId;
  readonly input: In;
  readonly answer: z.ZodType;
  readonly keeps?: Masks;
  handle(input: z.output<z.ZodObject<In>>, call: Call): Result;
}): Route {
  const input = z.object(spec.input);
  return {
    operation: spec.operation,
    input: spec.input,
    answer: spec.answer,
    keeps: spec.keeps,
    handle(raw, call) {
      const parsed = input.safeParse(raw);
      if (!parsed.success) throw new Problem(400, explain(parsed.error));
      return spec.handle(parsed.data, call);
    },
  };
}

/** @throws Problem 403 unless the caller has this permission as well */
export function alsoNeeds(call: Call, need: Need): void {
  requireScope(call.principal, need);
}

function explain(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
}
