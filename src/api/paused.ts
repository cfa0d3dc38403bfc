/** Reads the annotation that pauses an object. Argo CD's scripts (scripts/argocd/lua) read it by the same list. */
import { PAUSED } from "./names.ts";

export interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** The values that pause an object: `true`, and what people write for it. */
export const PAUSING: ReadonlySet<string> = new Set(["true", "True", "TRUE", "1", "yes", "Yes", "YES"]);

/** The values that say that an object is not paused. */
export const NOT_PAUSING: ReadonlySet<string> = new Set(["", "false", "False", "FALSE", "0", "no", "No", "NO"]);

/** Reports whether an object is paused by its annotation. */
export function isPaused({ metadata }: Annotated): boolean {
  return PAUSING.has(metadata.annotations?.[PAUSED] ?? "");
}

/** Returns the value of the annotation if it says neither that the object is paused nor that it is not. */
export function invalidPause({ metadata }: Annotated): string | undefined {
  const value = metadata.annotations?.[PAUSED] ?? "";
  return PAUSING.has(value) || NOT_PAUSING.has(value) ? undefined : value;
}
