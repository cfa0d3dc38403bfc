/**
 * Remembers steps that the platform rejected. What it rejected for good (400, 422, the 409 of a name that is taken) is
 * not sent again, and what it refused for long not for a while, unless spec, values, the user's request or what the
 * platform offers changed: the same step may then be another request.
 */
import { isDeepStrictEqual } from "node:util";

import type { Rejection } from "../context/local-state.ts";
import type { Ms, Why, KindTypes } from "../contract/kind.ts";
import type { Reconciliation } from "../resolve/frame.ts";

/** @returns what to remember of a step that was rejected just now */
export function rejectionOf<K extends KindTypes>(
  { context, connection }: Pick<Reconciliation<K>, "context" | "connection">,
  op: string,
  told: Pick<Rejection, "why" | "until">,
): Rejection {
  const { generation, inputs } = context;
  return { op, generation, inputs, surface: connection.api.capabilities.summary(), ...told };
}

/** @returns why the step would be rejected again; undefined when it has not been tried like this, or the user asks. */
export function rejectedBefore(
  last: Rejection | undefined,
  op: string,
  context: Pick<Rejection, "generation" | "inputs" | "surface"> & {
    readonly requested: string | undefined;
    readonly now: Ms;
  },
): Why | undefined {
  if (last?.op !== op || last.generation !== context.generation || context.requested !== undefined) return undefined;
  if (last.surface !== context.surface || context.now >= last.until) return undefined;
  return isDeepStrictEqual(last.inputs, context.inputs) ? last.why : undefined;
}
