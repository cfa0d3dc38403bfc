/** Builds the requests of one connection, and refuses invalid ones before a rate token is taken or anything is sent. */
import type { Encode } from "../codec/encode.ts";
import { stringifyJson } from "../codec/json.ts";
import { operationEntry, type OperationName } from "../codec/operations.ts";
import { buildPath } from "../codec/paths.ts";
import { ShapeError } from "../codec/schema.ts";
import { cleaned } from "../codec/text.ts";
import { ApiError } from "../transport/errors.ts";
import type { HttpRequest } from "../transport/http.ts";

export interface ApiEndpoint {
  /** Origin and path prefix, without a slash at the end. */
  readonly base: string;
  readonly organizationId: string;
  readonly scheme: "Token" | "Bearer";
  readonly token: () => string;
  readonly userAgent: string;
}

export interface RequestQuery {
  readonly [name: string]: string | number | boolean | undefined;
}

export interface Content {
  readonly query?: Encode<RequestQuery>;
  readonly body?: Encode;
  /** Values in the body that must not appear in the text of an error. */
  readonly secrets?: readonly string[];
}

export interface Prepared {
  readonly operation: OperationName;
  readonly request: Omit<HttpRequest, "deadlineMs" | "maxBytes">;
  /** The token and the secrets of the content, which must not appear in any text. */
  readonly secrets: readonly string[];
}

const TOKEN = /^[\x21-\x7e]+$/;

/** @throws ApiError "Refused" for an id, a query or a body that cannot be sent, "Unauthorized" for such a token. */
export function prepareRequest(
  target: ApiEndpoint,
  name: OperationName,
  ids: Readonly<Record<string, string>>,
  content: Content,
): Prepared {
  const path = buildPath(name, { ...ids, organizationId: target.organizationId });
  const token = target.token().replace(/\r?\n$/, "");
  if (!TOKEN.test(token)) {
    throw new ApiError(
      name,
      { is: "Unauthorized" },
      0,
      "the token is empty or holds characters that no header can carry",
    );
  }
  const headers = {
    accept: "application/json",
    authorization: `${target.scheme} ${token}`,
    "user-agent": target.userAgent,
  };
  const { method } = operationEntry(name);
  const url = `${target.base}${path}${queryOf(name, content)}`;
  const { secrets = [] } = content;
  const encode = content.body;
  const body = encode && encoded(name, () => stringifyJson(encode()), secrets);
  const request =
    body === undefined
      ? { method, url, headers }
      : { method, url, headers: { ...headers, "content-type": "application/json" }, body };
  return { operation: name, request, secrets: [token, ...secrets] };
}

/** @returns "" or "?" and the members that are set. @throws ApiError "Refused" */
export function queryOf(name: OperationName, { query, secrets }: Content): string {
  if (query === undefined) return "";
  const search = new URLSearchParams();
  for (const [member, value] of Object.entries(encoded(name, query, secrets))) {
    if (value !== undefined) search.append(member, String(value));
  }
  return search.size === 0 ? "" : `?${search.toString()}`;
}

function encoded<T>(name: OperationName, encode: () => T, secrets: readonly string[] = []): T {
  try {
    return encode();
  } catch (error) {
    const complaint = complaintOf(error);
    if (complaint === undefined) throw error;
    throw new ApiError(name, { is: "Refused" }, 0, cleaned(complaint, secrets));
  }
}

/** Returns what is wrong with the content of a request; undefined for a defect of the operator. */
function complaintOf(error: unknown): string | undefined {
  if (error instanceof ShapeError) return error.message;
  // Some thousand nested objects exceed the stack, in a spec or in the platform's record that a PUT starts from.
  return error instanceof RangeError ? "the request cannot be sent: it is nested too deeply" : undefined;
}
