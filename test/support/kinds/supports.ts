import type { Supports } from "../../../src/engine/contract/kind.ts";
import { createCapabilities } from "../../../src/platform/client/capabilities.ts";
import { isDocumented } from "../../../src/platform/codec/operations.ts";

/** What a platform offers that is known to have this surface. */
export function supportsOn(surface: "Documented" | "Full"): Supports {
  return (operation) => (surface === "Full" || isDocumented(operation) ? "Supported" : "Unsupported");
}

/** Beside the changes of a pass in tests: what its platform is known to have. */
export interface OnSurface {
  readonly surface?: "Documented" | "Full";
}

/** What a client knows of such a platform; of "Auto" it learns. */
export function capabilitiesOn(
  surface: "Auto" | "Documented" | "Full",
  clock: { monotonic(): number } = { monotonic: () => 0 },
) {
  return createCapabilities(surface, clock);
}
