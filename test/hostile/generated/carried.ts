import type { CallEntry } from "../../../simulator/request/journal.ts";
import type { Json } from "../../../src/kube/api/types.ts";

/** Whether a call carries a part of a spec; also calls other than GET that change nothing do. */
const isRequest = ({ method }: CallEntry): boolean => method !== "GET";

/**
 * @returns the operations of the calls that carry a value, in the path or anywhere in the body; if `by` is a read, also
 *   its reads, each path once
 */
export function carriers(calls: readonly CallEntry[], by: string, value: Json): readonly string[] {
  const requests = calls.filter(isRequest);
  const reads = new Map(
    calls.filter((call) => !isRequest(call) && call.operation === by).map((call) => [call.path, call]),
  );
  const isAction = isEmpty(value);
  return [...requests, ...reads.values()]
    .filter((call) => (isAction ? call.operation === by : carries(call, value)))
    .map(({ operation, method, path }) => operation ?? `${method} ${path}`);
}

export function changesIn(calls: readonly CallEntry[]): readonly string[] {
  return calls.filter(isRequest).map(({ operation, method, path }) => operation ?? `${method} ${path}`);
}

function carries({ path, body }: CallEntry, value: Json): boolean {
  return (typeof value === "string" && partsOf(path).includes(value)) || holds(body, value);
}

function partsOf(path: string): readonly string[] {
  const { pathname, searchParams } = new URL(path, "http://platform");
  return [...pathname.split("/").map(decodeURIComponent), ...searchParams.values()];
}

function holds(body: unknown, value: Json): boolean {
  if (isLike(body, value)) return true;
  return typeof body === "object" && body !== null && Object.values(body).some((inner) => holds(inner, value));
}

/** Whether `body` has all members of `value`. */
function isLike(body: unknown, value: Json): boolean {
  if (typeof value !== "object" || value === null) return body === value;
  if (typeof body !== "object" || body === null) return false;
  if (Array.isArray(value) !== Array.isArray(body)) return false;
  if (Array.isArray(value) && Object.keys(body).length !== value.length) return false;
  return Object.entries(value).every(([key, inner]) =>
    isLike((body as Readonly<Record<string, unknown>>)[key], inner as Json),
  );
}

function isEmpty(value: Json): boolean {
  return value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}
