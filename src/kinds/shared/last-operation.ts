/** What a PlatformOperation did to an object that another resource stands for. Pure. */
import type { LastOperation } from "../../api/last-operation.ts";
import type { ExternalAction } from "../../engine/contract/kind.ts";
import { fit } from "./text.ts";

type Known = { readonly lastOperation?: LastOperation | undefined };

/** Whether an action is later than what is remembered. */
export function isNew({ lastOperation }: Known, { at }: ExternalAction): boolean {
  return lastOperation === undefined || at > lastOperation.startedAt;
}

/** The memory with the last operation, or with how it ended; itself where that is known already. */
export function withOperation<Memory extends Known>(memory: Memory, action: ExternalAction): Memory {
  const { lastOperation: known } = memory;
  const isOlder = known !== undefined && action.at < known.startedAt;
  const isSame = known?.startedAt === action.at && known.result === action.result;
  return isOlder || isSame ? memory : { ...memory, lastOperation: recorded(action) };
}

function recorded({ by, op, at, requestId, commit, result }: ExternalAction): LastOperation {
  return {
    name: fit(by),
    operation: op,
    startedAt: at,
    ...(requestId === undefined ? {} : { requestId }),
    ...(commit === undefined ? {} : { gitCommitId: commit }),
    ...(result === undefined ? {} : { result }),
  };
}

/** Where something was done and, if a PlatformOperation requested it, which one. */
export function onWhoseRequest(operation: LastOperation | undefined): string {
  return operation === undefined
    ? "on the platform"
    : `on the platform, as PlatformOperation ${operation.name} requested`;
}
