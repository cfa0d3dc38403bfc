/** Compares the platform's record of an object with its spec. */
import { createKinds } from "../../kinds/index.ts";
import { unlessMissing } from "../../kinds/shared/answers.ts";
import { isObject, parseJson } from "../../kube/api/json.ts";
import type { Json, KubeObject } from "../../kube/api/types.ts";
import { withoutCredentials } from "../../text/text.ts";
import type { Access } from "../base/access.ts";
import { offers } from "../base/surface.ts";

/** One field on both sides; undefined where a side does not have it. */
export type RemoteField = Readonly<ReturnType<typeof remoteFields>[number]>;

/** How the objects of each kind are read that the platform shows. */
const READS = new Map(
  Object.entries(createKinds()).flatMap(([kind, { remote }]) =>
    remote === undefined ? [] : [[kind, remote] as const],
  ),
);

/** The kinds that can be read. */
export const READABLE: readonly string[] = [...READS.keys()];

/** Reads one object and compares it with its spec. @returns why it cannot, in a clause, if so @throws ApiError */
export async function remoteOf(
  access: Access,
  object: KubeObject,
  id: string,
): Promise<readonly RemoteField[] | string> {
  const remote = READS.get(object.kind);
  const isOffered = remote !== undefined && (await offers(access, remote.operation));
  const reading = isOffered ? remote.read(access.platform, id) : remote?.documented?.(access.platform, id);
  if (reading === undefined) return "this platform does not show it";
  const record = await unlessMissing(reading);
  return record === undefined ? "the platform does not have it" : remoteFields(object.spec ?? {}, shown(record));
}

/** Members of specs that do not describe the object itself. */
const OURS = new Set(["lifecycle", "connectionRef", "externalId", "variables", "deploy", "runState"]);
/** Whole records and secrets, which are never shown. */
const HIDDEN = new Set(["record", "targetSecret"]);

/** Returns every field of either side: those of the spec first. Only a field that both have can differ. */
export function remoteFields(spec: Json, record: Json) {
  const wanted = new Map(leaves(spec, "", OURS));
  const found = new Map(leaves(record, "", HIDDEN));
  const paths = [...wanted.keys(), ...[...found.keys()].filter((path) => !wanted.has(path))];
  return paths.map((path) => {
    const [ours, theirs] = [wanted.get(path), found.get(path)];
    return {
      path,
      wanted: ours === undefined ? undefined : textOf(ours),
      found: theirs === undefined ? undefined : textOf(theirs),
      differs: ours !== undefined && theirs !== undefined && !covers(theirs, ours),
    };
  });
}

/** Reports whether a record has everything that a spec says of it; in lists it may have members that specs lack. */
function covers(record: Json, spec: Json): boolean {
  if (isList(spec) && isList(record)) {
    return spec.length === record.length && spec.every((one, at) => covers(record[at] ?? null, one));
  }
  if (isObject(spec) && isObject(record)) {
    return Object.entries(spec).every(([name, value]) => {
      const shownThere = record[name];
      return value === undefined || shownThere === undefined || covers(shownThere, value);
    });
  }
  return textOf(spec) === textOf(record);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function leaves(value: Json, path: string, without: ReadonlySet<string>): readonly (readonly [string, Json])[] {
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      inner === undefined || (path === "" && (without.has(name) || name.endsWith("Ref")))
        ? []
        : leaves(inner, path === "" ? name : `${path}.${name}`, without),
    );
  }
  return [[path, value]];
}

function textOf(value: Json): string {
  return withoutCredentials(typeof value === "string" ? value : JSON.stringify(value));
}

/** Converts a record to JSON, without hidden members: they may hold numbers that JSON does not. */
function shown(record: object): Json {
  const members = Object.entries(record).filter(([name]) => !HIDDEN.has(name));
  return parseJson(JSON.stringify(Object.fromEntries(members)));
}
