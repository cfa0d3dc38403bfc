/** What kinds are called where there is little room. */
import { RESOURCES } from "../../kinds/index.ts";

const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
  RESOURCES.flatMap(({ kind, shortNames: [first] }) => (first === undefined ? [] : [[kind, first]])),
);

/** @returns the shortest name of a kind, as kubectl takes it, e.g. "papp". */
export function shortNameOf(kind: string): string {
  return SHORT_NAMES.get(kind) ?? kind.toLowerCase();
}

/** "PlatformApplication" → "application", "ClusterPlatformConnection" → "cluster connection". */
export function wordOf(kind: string): string {
  return kind
    .replace("Platform", " ")
    .trim()
    .replaceAll(/\s*([A-Z])/g, (_match, letter: string) => ` ${letter.toLowerCase()}`)
    .trim();
}
