/** Reads the annotation that pauses an object. Argo CD's scripts (scripts/argocd/lua) use the same lists. */
import { PAUSED } from "./names.ts";

export interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** The values that pause an object: `true` and its common variants. */
export const PAUSING: ReadonlySet<string> = new Set(["true", "True", "TRUE", "1", "yes", "Yes", "YES"]);

/** The valid values that do not pause an object. */
export const NOT_PAUSING: ReadonlySet<string> = new Set(["", "false", "False", "FALSE", "0", "no", "No", "NO"]);

/** Reports whether an object is paused by its annotation. */
export function isPaused({ metadata }: Annotated): boolean {
  return PAUSING.has(metadata.annotations?.[PAUSED] ?? "");
}

/** Returns the value of the annotation if it is invalid. */
export function invalidPause({ metadata }: Annotated): string | undefined {
  const value = metadata.annotations?.[PAUSED] ?? "";
  return PAUSING.has(value) || NOT_PAUSING.has(value) ? undefined : value;
}
