import type { ReconcileContext, KindTypes } from "../../../src/engine/contract/kind.ts";

/** What a pass says of policies while nobody said anything. */
export const USUAL_POLICIES: Pick<
  ReconcileContext<KindTypes>,
  | "blockedOperations"
  | "pendingOperations"
  | "writtenAt"
  | "writtenInto"
  | "presence"
  | "onMissing"
  | "corrects"
  | "retry"
> = {
  blockedOperations: new Set(),
  pendingOperations: new Set(),
  writtenAt: undefined,
  writtenInto: () => undefined,
  // As if a list had shown it before, and lacked it for long enough.
  presence: (sight) => (sight === "Shown" ? "Present" : sight === "Missing" ? "Gone" : "Unproven"),
  onMissing: "Fail",
  corrects: "Settings",
  retry: undefined,
};
