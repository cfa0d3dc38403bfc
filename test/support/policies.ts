import type { JsonObject, Pass } from "../../src/engine/kind.ts";

/** What a pass says of policies while nobody said anything. */
export const USUAL_POLICIES: Pick<
  Pass<unknown, unknown, JsonObject>,
  "withheld" | "awaited" | "writtenAt" | "writtenInto" | "onMissing" | "corrects" | "retry"
> = {
  withheld: new Set(),
  awaited: new Set(),
  writtenAt: undefined,
  writtenInto: () => undefined,
  onMissing: "Fail",
  corrects: "Settings",
  retry: undefined,
};
