import type { Supports } from "../../src/engine/kind.ts";
import { isDocumented } from "../../src/platform/operations.ts";

/** What a platform offers that is known to have this surface. */
export function supportsOn(surface: "Documented" | "Full"): Supports {
  return (operation) => (surface === "Full" || isDocumented(operation) ? "Supported" : "Unsupported");
}
