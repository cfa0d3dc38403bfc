import type { Platform } from "../../../src/platform/index.ts";

/** A client of a platform with only these areas; any other call fails the test. */
export function platformWith(areas: object): Platform {
  return { serverNow: () => undefined, ...areas } as unknown as Platform;
}
