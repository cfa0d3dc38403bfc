/** One exchange over HTTP, without retries and without interpretation. */

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent for operations without a body: then no content type is sent either. */
  readonly body?: string;
  /** Milliseconds for the whole exchange, from connecting to the last byte. */
  readonly deadlineMs: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** At most 4 MiB. */
  readonly text: string;
  /** Returns a header by its lower-case name; the first one if it came twice. */
  header(name: string): string | undefined;
}

export interface Transport {
  /** @throws TransportError for everything but an answer */
  exchange(request: HttpRequest): Promise<HttpAnswer>;
  /** Ends all connections at once. */
  close(): Promise<void>;
}

/** "address" and "connect" come before the first byte was sent; all others leave open whether the request arrived. */
export type TransportFailure = "address" | "connect" | "deadline" | "interrupted" | "tooLarge";

/** Why there was no answer. Its message never quotes a library's, which may hold hosts, headers or bodies. */
export class TransportError extends Error {
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure, message: string) {
    super(message);
    this.name = "TransportError";
    this.failure = failure;
  }
}
