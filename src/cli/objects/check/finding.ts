/** What a check found. */

/** ok; failed: something has to be done; unknown: it could not be found out; info: worth knowing. */
export type Mark = "ok" | "failed" | "unknown" | "info";

export interface Finding {
  /** In a few words, e.g. "CRDs". */
  readonly what: string;
  readonly is: Mark;
  /** What was found, and what to do. */
  readonly detail: string;
}

export const ok = (what: string, detail: string): Finding => ({ what, is: "ok", detail });
export const failed = (what: string, detail: string): Finding => ({ what, is: "failed", detail });
export const unknown = (what: string, detail: string): Finding => ({ what, is: "unknown", detail });
export const info = (what: string, detail: string): Finding => ({ what, is: "info", detail });
