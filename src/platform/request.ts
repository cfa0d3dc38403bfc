/** Builds the requests of one connection; whatever is refused is refused here, before anything is taken or sent. */
import { ApiError } from "./errors.ts";
import { stringifyJson } from "./json.ts";
import { operation } from "./operations.ts";
import type { OperationName } from "./operations.ts";
import { buildPath } from "./paths.ts";
import type { HttpRequest } from "./transport.ts";

export interface Target {
  /** Origin and path prefix, without a slash at the end. */
  readonly base: string;
  readonly organizationId: string;
  readonly scheme: "Token" | "Bearer";
  readonly token: () => string;
  readonly userAgent: string;
}

export interface Query {
  readonly [name: string]: string | number | boolean | undefined;
}

export interface Content {
  readonly query?: Query;
  /** Members that are undefined are left out. */
  readonly body?: object;
  /** Values in the body that must not come back in the text of an error. */
  readonly secrets?: readonly string[];
}

export interface Prepared {
  readonly operation: OperationName;
  readonly request: Omit<HttpRequest, "deadlineMs">;
  /** The token and the content's secrets: kept out of every text. */
  readonly secrets: readonly string[];
}

const TOKEN = /^[\x21-\x7e]+$/;

/** @throws ApiError "Refused" for an id that cannot go into a path, or a token that cannot go into a header. */
export function prepare(
  target: Target,
  name: OperationName,
  ids: Readonly<Record<string, string>>,
  { query, body, secrets = [] }: Content,
): Prepared {
  const path = buildPath(name, { ...ids, organizationId: target.organizationId });
  const token = target.token().replace(/\r?\n$/, "");
  if (!TOKEN.test(token)) {
    throw new ApiError(name, { is: "Refused" }, 0, "the token is empty or holds characters that no header can carry");
  }
  const headers = {
    accept: "application/json",
    authorization: `${target.scheme} ${token}`,
    "user-agent": target.userAgent,
  };
  const { method } = operation(name);
  const url = `${target.base}${path}${encodeQuery(query)}`;
  const request =
    body === undefined
      ? { method, url, headers }
      : { method, url, headers: { ...headers, "content-type": "application/json" }, body: stringifyJson(body) };
  return { operation: name, request, secrets: [token, ...secrets] };
}

/** @returns "" or "?" and the members that are given. */
export function encodeQuery(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value));
  return search.size === 0 ? "" : `?${search.toString()}`;
}
