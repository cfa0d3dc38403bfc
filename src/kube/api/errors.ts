import type { KubeFailure } from "./types.ts";

/** A failed exchange with the API server. The message never holds a request or response body. */
export class KubeError extends Error {
  readonly failure: KubeFailure;
  /** HTTP status, 0 when there was no answer. */
  readonly status: number;
  /** From `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The reasons that the API server's Status names as causes, e.g. "NamespaceTerminating". */
  readonly causes: readonly string[];
  /** Private, so that nothing that shows an error shows it. */
  readonly #said: string | undefined;

  constructor(
    failure: KubeFailure,
    status: number,
    message: string,
    retryAfterMs?: number,
    causes: readonly string[] = [],
    said?: string,
  ) {
    super(message);
    this.name = "KubeError";
    this.failure = failure;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.causes = causes;
    this.#said = said;
  }

  /**
   * What the API server said of a refused object; it may quote what was in it. For the person who sent it, never for a
   * log or a status.
   */
  said(): string | undefined {
    return this.#said;
  }
}

/** Whether `error` is a KubeError of that failure. */
export function isKube(error: unknown, failure: KubeFailure): boolean {
  return error instanceof KubeError && error.failure === failure;
}
