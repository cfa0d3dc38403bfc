import type { Deadline } from "./clock.ts";
import { KubeError, statusError } from "./errors.ts";
import { parseJson, stringMember } from "./json.ts";
import type { Query } from "./transport.ts";
import type { Json } from "./types.ts";

/** @returns the URL of a request; `base` has no trailing slash, paths.ts has validated `path` */
export function urlOf(base: string, path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value));
  }
  return search.size === 0 ? base + path : `${base}${path}?${search.toString()}`;
}

/**
 * @returns the parsed body of a 2xx answer, null when it is empty.
 * @throws KubeError for every other answer, SyntaxError for a body that is not JSON.
 */
export function readAnswer(what: string, code: number, retryAfter: string | string[] | undefined, body: string): Json {
  if (code >= 200 && code < 300) return body === "" ? null : parseJson(body);
  throw statusError(what, code, parseLenient(body), typeof retryAfter === "string" ? retryAfter : undefined);
}

function parseLenient(body: string): Json | undefined {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

/**
 * Maps an error of an exchange to a KubeError. Only codes of a fixed set go into the message: the text of an error can
 * quote what was sent (E2).
 */
export function asKubeError(error: unknown, what: string, limit: Deadline): KubeError {
  if (error instanceof KubeError) return error;
  if (limit.expired()) return new KubeError("Timeout", 0, `${what}: no answer within the deadline`);
  if (limit.signal.aborted) return new KubeError("Unreachable", 0, `${what}: cancelled`);
  if (error instanceof SyntaxError) return new KubeError("BadResponse", 0, `${what}: the answer is not JSON`);
  const code = error instanceof Error ? (stringMember(error, "code") ?? error.name) : "unknown";
  const failure = code.endsWith("_TIMEOUT") || code === "ETIMEDOUT" ? "Timeout" : "Unreachable";
  return new KubeError(failure, 0, `${what}: ${/^[A-Za-z_0-9]{1,64}$/.test(code) ? code : "failed"}`);
}
