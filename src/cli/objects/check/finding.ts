/** The result of a check. */

/** ok; failed: action is required; unknown: it could not be checked; info: worth knowing. */
export type Mark = "ok" | "failed" | "unknown" | "info";

export interface Finding {
  /** The subject in a few words, e.g. "CRDs". */
  readonly what: string;
  readonly is: Mark;
  /** The finding, and what to do. */
  readonly detail: string;
}

export const ok = (what: string, detail: string): Finding => ({ what, is: "ok", detail });
export const failed = (what: string, detail: string): Finding => ({ what, is: "failed", detail });
export const unknown = (what: string, detail: string): Finding => ({ what, is: "unknown", detail });
export const info = (what: string, detail: string): Finding => ({ what, is: "info", detail });
