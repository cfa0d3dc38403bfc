/** One exchange over HTTP, as the rest of the client sees it: no library, no retries, no meaning. */

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent for operations that have none: then no content type is sent either. */
  readonly body?: string;
  /** Milliseconds for the whole exchange, from connecting to the last byte. */
  readonly deadlineMs: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** At most 4 MiB. */
  readonly text: string;
  /** A header by its lower-case name; the first one where it came twice. */
  header(name: string): string | undefined;
}

export interface Transport {
  /** @throws TransportError for everything but an answer. */
  exchange(request: HttpRequest): Promise<HttpAnswer>;
  /** Ends all connections at once. */
  close(): Promise<void>;
}

/** "address" and "connect" come before the first byte was sent; all others leave open whether the request arrived. */
export type TransportFailure = "address" | "connect" | "deadline" | "interrupted" | "tooLarge";

/** Why there was no answer. Its message is of our own making: a library's may quote hosts, headers or bodies. */
export class TransportError extends Error {
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure, message: string) {
    super(message);
    this.name = "TransportError";
    this.failure = failure;
  }
}
