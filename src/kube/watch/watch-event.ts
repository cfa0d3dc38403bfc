import { KubeError, statusError } from "../api/errors.ts";
import { member, stringMember, tryParseJson } from "../api/json.ts";
import { parseObject, versionOf } from "../api/objects.ts";
import type { KubeObject, ObjectKey, ResourceType } from "../api/types.ts";

/** One line of a watch, validated. */
export type WatchEvent =
  | { readonly type: "put"; readonly object: KubeObject }
  | { readonly type: "deleted"; readonly object: KubeObject }
  | { readonly type: "bookmark"; readonly resourceVersion: string }
  | { readonly type: "error"; readonly error: KubeError }
  | { readonly type: "malformed" };

/** An object at one version. */
export interface ObjectVersion {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * @param isStored reports whether the cache has the object at this version: then the event is not parsed
 * @returns the event in a line of a watch of `type`; a bookmark for a stored version; never throws
 */
export function parseEvent(
  type: ResourceType,
  line: string,
  isStored: (version: ObjectVersion) => boolean = () => false,
): WatchEvent {
  const modified = modifiedVersion(type, line);
  if (modified !== undefined && isStored(modified))
    return { type: "bookmark", resourceVersion: modified.resourceVersion };
  const event = tryParseJson(line);
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

/** The last members of the metadata of an object without owners. */
const END_OF_METADATA =
  /[,{]"name":"(?<name>[^"\\]+)"(?:,"namespace":"(?<namespace>[^"\\]+)")?,"resourceVersion":"(?<resourceVersion>\d+)","uid":"(?<uid>[^"\\]+)$/;
/** The longest end of the metadata, in characters: a name and a namespace have at most 253 and 63. */
const LONGEST_END = 512;

/**
 * Returns the version of the object of a MODIFIED event without parsing the line. The API server sorts the members of a
 * custom resource, and a quote within a string is escaped: so the first end of an object before "spec" ends the metadata.
 */
function modifiedVersion(type: ResourceType, line: string): ObjectVersion | undefined {
  if (!line.startsWith('{"type":"MODIFIED"')) return undefined;
  const end = line.indexOf('"},"spec":');
  const found = END_OF_METADATA.exec(line.slice(Math.max(0, end - LONGEST_END), Math.max(0, end)))?.groups;
  const { name, namespace = "", resourceVersion, uid } = found ?? {};
  if (name === undefined || resourceVersion === undefined || uid === undefined) return undefined;
  return { key: { kind: type.kind, namespace, name }, uid, resourceVersion };
}

function withObject(type: "put" | "deleted", object: KubeObject | undefined): WatchEvent {
  return object === undefined ? { type: "malformed" } : { type, object };
}

const NEWLINE = 0x0a;
/** etcd stores objects up to 1.5 MiB, which can be several times as large in JSON. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Splits a watch stream into its lines, at newline bytes only: Node's readline also splits at a raw U+2028. Empty lines
 * are skipped. An unterminated last line is dropped; `onUnterminated` gets its size in bytes.
 * @throws KubeError "BadResponse" when a line exceeds 16 MiB, and whatever `chunks` throws
 */
export async function* lines(
  chunks: AsyncIterable<Uint8Array>,
  onUnterminated: (bytes: number) => void,
): AsyncGenerator<string, void> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, end));
      const line = Buffer.concat(parts).toString("utf8");
      if (line !== "") yield line;
      parts = [];
      size = 0;
      from = end + 1;
    }
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > MAX_LINE_BYTES) throw new KubeError("BadResponse", 200, "a line of the watch exceeds 16 MiB");
  }
  if (size > 0) onUnterminated(size);
}
