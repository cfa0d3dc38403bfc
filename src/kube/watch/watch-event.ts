import type { KubeError } from "../api/errors.ts";
import { statusError } from "../api/failure.ts";
import { member, parseJson, stringMember } from "../api/json.ts";
import { parseObject, versionOf } from "../api/objects.ts";
import type { Json, KubeObject, ResourceType } from "../api/types.ts";

/** One line of a watch, checked before use. */
export type WatchEvent =
  | { readonly type: "put"; readonly object: KubeObject }
  | { readonly type: "deleted"; readonly object: KubeObject }
  | { readonly type: "bookmark"; readonly resourceVersion: string }
  | { readonly type: "error"; readonly error: KubeError }
  | { readonly type: "malformed" };

/** @returns what a line of a watch of `type` says; never throws. */
export function parseEvent(type: ResourceType, line: string): WatchEvent {
  let event: Json;
  try {
    event = parseJson(line);
  } catch {
    return { type: "malformed" };
  }
  const content = member(event, "object");
  switch (stringMember(event, "type")) {
    case "ADDED":
    case "MODIFIED":
      return withObject("put", parseObject(type, content));
    case "DELETED":
      return withObject("deleted", parseObject(type, content));
    case "BOOKMARK": {
      const resourceVersion = versionOf(content);
      return resourceVersion === undefined ? { type: "malformed" } : { type: "bookmark", resourceVersion };
    }
    case "ERROR": {
      const code = member(content, "code");
      const shown = typeof code === "number" && code >= 400 ? code : 500;
      return { type: "error", error: statusError(`WATCH ${type.plural}`, shown, content) };
    }
    default:
      return { type: "malformed" };
  }
}

function withObject(type: "put" | "deleted", object: KubeObject | undefined): WatchEvent {
  return object === undefined ? { type: "malformed" } : { type, object };
}
