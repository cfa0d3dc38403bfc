import type { JsonObject, Kind } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";

/** A kind whose objects live behind the platform's API. */
export type PlatformKind<Spec, In, Seen, Mem extends JsonObject, Do> = Kind<Spec, In, Seen, Mem, Do, Platform>;
