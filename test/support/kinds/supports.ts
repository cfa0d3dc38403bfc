import type { Supports } from "../../../src/engine/contract/kind.ts";
import { createCapabilities } from "../../../src/platform/client/capabilities.ts";
import { isDocumented } from "../../../src/platform/codec/operations.ts";
import type { Platform } from "../../../src/platform/index.ts";

/** The support of operations on a platform with this known surface. */
export function supportsOn(surface: "Documented" | "Full"): Supports {
  return (operation) => (surface === "Full" || isDocumented(operation) ? "Supported" : "Unsupported");
}

/** The capabilities of a client of such a platform; with "Auto" it learns them. */
export function capabilitiesOn(surface: "Auto" | "Documented" | "Full", clock = { monotonic: () => 0 }) {
  return createCapabilities(surface, clock);
}

/** A client of such a platform with only these areas; any other call fails the test. */
export function platformOn(surface: "Auto" | "Documented" | "Full", areas: object): Platform {
  return { capabilities: capabilitiesOn(surface), serverNow: () => undefined, ...areas } as unknown as Platform;
}
