import type { CallEntry } from "../../src/simulator/journal.ts";
import type { Bed } from "./bed.ts";

/** What a bed's calls did to the platform, in order, e.g. "createProject": one line for each effect. */
export function effects(bed: Bed): readonly string[] {
  return bed.platform
    .journal()
    .filter((entry): entry is CallEntry => entry.is === "call" && entry.effects.length > 0)
    .map(({ method, path, operation }) => operation ?? `${method} ${path}`);
}
