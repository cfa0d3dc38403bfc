import type { KubeFailure } from "./types.ts";

/** A failed exchange with the API server. The message never holds a request or response body. */
export class KubeError extends Error {
  readonly failure: KubeFailure;
  /** HTTP status, 0 when there was no answer. */
  readonly status: number;
  /** From `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The causes in the API server's Status, e.g. "NamespaceTerminating". */
  readonly causes: readonly string[];
  /** Private, so that no printed error contains it. */
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
   * Returns the API server's message about a refused object, which may quote its values. It is for the user who sent
   * it, never for a log or a status.
   */
  said(): string | undefined {
    return this.#said;
  }
}

/** Reports whether `error` is a KubeError of that failure. */
export function isKube(error: unknown, failure: KubeFailure): boolean {
  return error instanceof KubeError && error.failure === failure;
}
