import { listMember, member, stringMember } from "./json.ts";
import type { Json, KubeFailure } from "./types.ts";

/** A failed exchange with the API server. The message never holds a request or response body. */
export class KubeError extends Error {
  readonly failure: KubeFailure;
  /** HTTP status, 0 when there was no answer. */
  readonly status: number;
  /** From the header `Retry-After`, else from the API server's Status, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The reasons of the causes in the API server's Status, e.g. "NamespaceTerminating". */
  readonly causes: readonly string[];
  /** Private, so that no printed error contains it. */
  readonly #serverMessage: string | undefined;

  constructor(
    failure: KubeFailure,
    status: number,
    message: string,
    retryAfterMs?: number,
    causes: readonly string[] = [],
    serverMessage?: string,
  ) {
    super(message);
    this.name = "KubeError";
    this.failure = failure;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.causes = causes;
    this.#serverMessage = serverMessage;
  }

  /**
   * Returns the message of the answer, which may quote values of the request. It is for the user who sent the request,
   * never for a log or a status.
   */
  serverMessage(): string | undefined {
    return this.#serverMessage;
  }

  /**
   * Returns what refused the request, if the API server names it, e.g. "ResourceQuota small". Then it was not a role
   * that is missing.
   */
  refusedBy(): string | undefined {
    const text = this.#serverMessage ?? "";
    return REFUSERS.flatMap(([what, pattern]) => {
      const name = pattern.exec(text)?.[1];
      return name === undefined ? [] : [`${what} ${name}`];
    })[0];
  }
}

/** The sentences with which the plugins of admission refuse a request. Only the name is taken from them. */
const REFUSERS: readonly (readonly [what: string, RegExp])[] = [
  ["ValidatingAdmissionPolicy", /ValidatingAdmissionPolicy '([a-z0-9.-]{1,253})'/],
  ["the admission webhook", /admission webhook "([a-z0-9.-]{1,253})" denied/],
  ["ResourceQuota", /(?:exceeded quota|status unknown for quota): ([a-z0-9.-]{1,253}),/],
];

/** Reports whether `error` is a KubeError with one of these failures. */
export function isKube(error: unknown, ...failures: readonly KubeFailure[]): boolean {
  return error instanceof KubeError && failures.includes(error.failure);
}

/** The number of causes of a Status that a message quotes. */
const SHOWN_CAUSES = 3;

/** The form of a reason; other text is not quoted in messages. */
const REASON = /^[A-Za-z]{1,64}$/;
/** The form of a field path: no quotes, so that no value can hide in it. */
const FIELD = /^[A-Za-z0-9_.[\]/-]{1,128}$/;

/**
 * Maps an answer that is not 2xx to an error with a message of our own: the API server's message quotes the invalid
 * value, which may be a secret, so only the reasons and field paths of its Status are used.
 * @param what the request, as "PATCH /apis/…"
 * @param retryAfter the `Retry-After` header in seconds, if there is one
 */
export function statusError(what: string, code: number, status: Json | undefined, retryAfter?: string): KubeError {
  const reason = stringMember(status, "reason") ?? "";
  const failure = failureOf(code, reason);
  const causes = causesOf(status);
  const shown = causes.slice(0, SHOWN_CAUSES).map((cause) => `${cause.field} ${cause.reason}`.trim());
  const detail = [REASON.test(reason) ? reason : failure, ...shown].join("; ");
  return new KubeError(
    failure,
    code,
    `${what}: ${String(code)} ${detail}`,
    retryAfterMs(status, retryAfter),
    causes.map((cause) => cause.reason),
    QUOTED.has(failure) ? stringMember(status, "message") : undefined,
  );
}

/** The failures whose message in the answer is of use to the user who sent the request. */
const QUOTED: ReadonlySet<KubeFailure> = new Set(["Invalid", "Forbidden", "Unauthorized", "NotFound", "Server"]);

const byCode: ReadonlyMap<number, KubeFailure> = new Map<number, KubeFailure>([
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [408, "Timeout"],
  [409, "Conflict"],
  [410, "Gone"],
  [429, "TooManyRequests"],
]);

function failureOf(code: number, reason: string): KubeFailure {
  if (code === 409 && reason === "AlreadyExists") return "AlreadyExists";
  if (code === 410 || reason === "Expired") return "Gone";
  const known = byCode.get(code);
  if (known !== undefined) return known;
  if (code >= 500) return "Server";
  return code >= 400 ? "Invalid" : "BadResponse";
}

interface Cause {
  readonly reason: string;
  readonly field: string;
}

function causesOf(status: Json | undefined): readonly Cause[] {
  return listMember(member(status, "details"), "causes").flatMap((cause) => {
    const reason = stringMember(cause, "reason") ?? "";
    const field = stringMember(cause, "field") ?? "";
    if (!REASON.test(reason)) return [];
    return [{ reason, field: FIELD.test(field) ? field : "" }];
  });
}

function retryAfterMs(status: Json | undefined, header: string | undefined): number | undefined {
  const inBody = member(member(status, "details"), "retryAfterSeconds");
  const seconds = header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : inBody;
  return typeof seconds === "number" && seconds > 0 ? seconds * 1_000 : undefined;
}
