/** What is left to do when the resource is deleted. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import { planRemoval as planServiceRemoval } from "../service/removal.ts";
import type { ApplicationPass, Do, Seen } from "./model.ts";
import { stop } from "./steps.ts";

/** The plan for the goals "stopped" and "absent". */
export function planRemoval(pass: ApplicationPass, seen: Seen): Plan<Do> {
  return planServiceRemoval<Do>(pass, seen, {
    noun: "application",
    op: "deleteApplication",
    do: { what: "delete" },
    stop: (status) => stop(pass, status),
  });
}
