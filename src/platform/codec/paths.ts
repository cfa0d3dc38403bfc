/** Builds request paths. Every id is checked, so that none can lead to another operation. */
import { ApiError } from "../transport/errors.ts";
import { type OperationName, operations } from "./operations.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** The spec: "`serviceType` is one of container, application, helm". Deployed services want it in upper case. */
const SERVICE_TYPE = /^(?:container|application|helm|CONTAINER|APPLICATION|HELM)$/;
const PLACEHOLDER = /\{(\w+)\}/g;
const MAX_PLAIN_ID = 253;
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for.
const UNSAFE_PLAIN_ID = /[/\\\u0000-\u001f\u007f-\u009f]/;

/** Whether `value` has the form of a UUID, of any version and case. */
export function isUuidOfAnyCase(value: string): boolean {
  return UUID.test(value);
}

/**
 * Reports whether `value` can be one encoded path segment: no dot segment, separator, control character or lone
 * surrogate.
 */
export function isPlainId(value: string): boolean {
  const length = value.length;
  if (length === 0 || length > MAX_PLAIN_ID || value === "." || value === "..") return false;
  return !UNSAFE_PLAIN_ID.test(value) && value.isWellFormed();
}

/**
 * Fills the placeholders of an operation's path. Ids must be UUIDs, except the plain string of getClusterToken (spec).
 * @throws ApiError "Refused" for anything else; the message names the placeholder, never the value.
 */
export function buildPath(name: OperationName, ids: Readonly<Record<string, string>>): string {
  return operations[name].path.replaceAll(PLACEHOLDER, (_match, key: string) => segment(name, key, ids[key] ?? ""));
}

function segment(name: OperationName, key: string, value: string): string {
  if (key === "serviceType") {
    if (SERVICE_TYPE.test(value)) return value;
    throw refused(name, "serviceType is not one of container, application, helm");
  }
  if (isUuidOfAnyCase(value)) return value;
  if (name !== "getClusterToken") throw refused(name, `${key} is not a UUID`);
  if (!isPlainId(value)) throw refused(name, `${key} cannot be used in a path`);
  return encodeURIComponent(value);
}

function refused(name: OperationName, message: string): ApiError {
  return new ApiError(name, { is: "Refused" }, 0, message);
}
