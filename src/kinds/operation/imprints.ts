/** What an operation did to an object that another resource may represent. Pure. */
import type { ExternalWrite } from "../../engine/contract/kind.ts";
import { actionOf } from "./actions.ts";
import type { OperationMemory, OperationSpec } from "./crd.ts";

/** Returns the accepted request, with its outcome. */
export function externalWrites(
  { request, targetId, outcome }: OperationMemory,
  spec: OperationSpec | undefined,
): readonly ExternalWrite[] {
  const action = spec && actionOf({ spec });
  const at = request?.startedAt;
  if (action?.target === undefined || request === undefined || targetId === undefined || at === undefined) return [];
  const { state, requestId } = request;
  const { gitCommitId: commit } = spec ?? {};
  return [{ id: targetId, at, action: { op: action.op, state, requestId, commit, result: resultOf(outcome) } }];
}

function resultOf(outcome: OperationMemory["outcome"]) {
  if (outcome?.result !== "Complete") return outcome?.result;
  return outcome.reason === "Accepted" ? "Accepted" : "Completed";
}
