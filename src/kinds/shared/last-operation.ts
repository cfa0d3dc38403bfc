/** What a PlatformOperation did to an object that another resource represents. Pure. */
import type { LastOperation } from "../../api/status.ts";
import type { ExternalAction } from "../../engine/contract/kind.ts";
import { fitText } from "./text.ts";

type Known = { readonly lastOperation?: LastOperation | undefined };

/** Reports whether an action is later than the remembered one. */
export function isNew({ lastOperation }: Known, { at }: ExternalAction): boolean {
  return lastOperation === undefined || at > lastOperation.startedAt;
}

/**
 * Returns the memory with this action as the last operation; the same memory if the known one is later, or is this
 * action with the same result.
 */
export function withOperation<Memory extends Known>(memory: Memory, action: ExternalAction): Memory {
  const { lastOperation: known } = memory;
  const isOlder = known !== undefined && action.at < known.startedAt;
  const isSame = known?.startedAt === action.at && known.result === action.result;
  return isOlder || isSame ? memory : { ...memory, lastOperation: recorded(action) };
}

function recorded({ by, op, at, requestId, commit, result }: ExternalAction): LastOperation {
  return { name: fitText(by), operation: op, startedAt: at, requestId, gitCommitId: commit, result };
}

/** Returns the end of a sentence about who caused a change: a PlatformOperation, or somebody on the platform. */
export function onWhoseRequest(operation: LastOperation | undefined): string {
  return operation === undefined
    ? "on the platform"
    : `on the platform, as PlatformOperation ${operation.name} requested`;
}
