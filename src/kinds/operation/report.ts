/** Builds the report of the operation. Pure. */
import type { Report, OneShotEnd, Why } from "../../engine/contract/kind.ts";
import type { OperationMemory, OperationSpec, Outcome } from "./crd.ts";
import { sentTo, type OperationContext, type Rendered, type Seen } from "./model.ts";
import { outcomeOf, overdueEnd, taken } from "./outcome.ts";
import { followed } from "./progress.ts";

/** The key of the ConfigMap that holds the default values. */
const KEY = "values.yaml";

export function report(context: OperationContext, seen: Seen): Report {
  const outcome = outcomeOf(context, seen);
  const { inputs, memory } = context;
  const rendered = outcome?.result === "Complete" ? renderedIn(seen) : undefined;
  return {
    ready: outcome === undefined ? NOT_OVER : { reason: outcome.reason, message: outcome.message },
    conditions: outcome === undefined ? [] : [conditionOf(outcome)],
    status: {
      // Where it is missing although a request was started, the status was lost.
      startedAt: taken(context).startedAt,
      targetId: memory.request === undefined ? inputs.targetId : sentTo(context),
      request: followed(context, seen),
      outcome: outcome && { ...outcome },
      expiresAt: memory.expiresAt ?? expiry(context, outcome),
      digest: rendered?.digest,
    },
    ...output(context, rendered?.values),
  };
}

const NOT_OVER: Why = { reason: "Progressing", message: "The operation is not over." };

/** Returns the report of an operation whose deadline passed while nothing of it can be observed. */
export function overdue(
  spec: OperationSpec,
  memory: OperationMemory,
  { now, isSent }: { readonly now: Date; readonly isSent: boolean },
): OneShotEnd<OperationMemory> {
  const outcome = overdueEnd(isSent || memory.request !== undefined, now);
  const { reason, message } = outcome;
  const status = { outcome: { ...outcome }, expiresAt: expiry({ spec, now }, outcome) };
  return { memory, report: { ready: { reason, message }, conditions: [conditionOf(outcome)], status } };
}

/** Like a Job: only the condition that holds exists. */
function conditionOf({ result, reason, message }: Outcome): Report["conditions"][number] {
  if (result === "Unknown") return { type: "Complete", status: "Unknown", reason, message };
  return { type: result, status: "True", reason, message };
}

function expiry(
  { spec, now }: Pick<OperationContext, "spec" | "now">,
  outcome: Outcome | undefined,
): string | undefined {
  const { ttlSecondsAfterFinished: seconds } = spec;
  if (outcome === undefined || seconds === undefined) return undefined;
  return new Date(now.getTime() + seconds * 1000).toISOString();
}

function renderedIn({ rendered }: Seen): Extract<Rendered, { readonly values: string }> | undefined {
  return rendered !== undefined && "values" in rendered ? rendered : undefined;
}

function output({ spec }: OperationContext, values: string | undefined): Pick<Report, "output"> {
  if (values === undefined || spec.outputConfigMap === undefined) return {};
  return { output: { name: spec.outputConfigMap, data: { [KEY]: values } } };
}
