/** Compares the specs of objects with the platform, field by field. */
import { createKinds } from "../../kinds/index.ts";
import { unlessMissing } from "../../kinds/shared/answers.ts";
import { isObject, parseJson, stringMember } from "../../kube/api/json.ts";
import type { Json, KubeObject } from "../../kube/api/types.ts";
import { printable, withoutCredentials } from "../../text/text.ts";
import type { Access } from "../base/access.ts";
import type { Call } from "../base/call.ts";
import { explain, isExpected } from "../base/explain.ts";
import { align } from "../base/render.ts";
import { offers } from "../base/surface.ts";
import { fitWidth } from "./shared/drawing.ts";

/** The comparison of one object. */
export interface RemoteComparison {
  /** Every field of either side: those that differ first. */
  readonly fields: readonly RemoteField[];
  /** Why there is no comparison. */
  readonly omitted?: string;
  /** The platform could not be read. */
  readonly isFailed: boolean;
}

/** Compares objects with the platform. An object that cannot be read does not stop the next one. */
export async function compareAll(
  call: Pick<Call, "connection" | "connect">,
  objects: readonly KubeObject[],
): Promise<readonly RemoteComparison[]> {
  const accessOf = sharedAccess(call);
  const comparisons: RemoteComparison[] = [];
  for (const object of objects) {
    try {
      comparisons.push(await compare(() => accessOf(object), object));
    } catch (error) {
      if (!isExpected(error)) throw error;
      comparisons.push({ fields: [], omitted: explain(error).message, isFailed: true });
    }
  }
  return comparisons;
}

/** Returns a function that opens each connection once, for all of its objects. */
function sharedAccess({ connection, connect }: Pick<Call, "connection" | "connect">) {
  const opened = new Map<string, Promise<Access>>();
  return async (object: KubeObject): Promise<Access> => {
    const used = await connection(object);
    const access = opened.get(used.metadata.uid) ?? connect(used);
    opened.set(used.metadata.uid, access);
    return access;
  };
}

/** The read of each kind that the platform shows. */
const READS = new Map(
  Object.entries(createKinds()).flatMap(([kind, { remote }]) =>
    remote === undefined ? [] : [[kind, remote] as const],
  ),
);

async function compare(open: () => Promise<Access>, object: KubeObject): Promise<RemoteComparison> {
  const without = (omitted: string): RemoteComparison => ({ fields: [], omitted, isFailed: false });
  const remote = READS.get(object.kind);
  if (remote === undefined) return without(`The platform shows no ${object.kind}.`);
  const id = stringMember(object.status, "externalId");
  if (id === undefined) return without("It is not on the platform yet.");
  const access = await open();
  const isOffered = await offers(access, remote.operation);
  const reading = isOffered ? remote.read(access.platform, id) : remote.documented?.(access.platform, id);
  if (reading === undefined) return without("This platform does not show it.");
  const record = await unlessMissing(reading);
  if (record === undefined) return without("The platform did not find it.");
  const fields = remoteFields(object.spec ?? {}, shown(record));
  return { fields: fields.toSorted((left, right) => Number(right.differs) - Number(left.differs)), isFailed: false };
}

/** A commit fits into a cell; a list, as of ports, does not. */
const CELL = 40;

/** @returns the lines of a table: the fields of both sides, those that differ first */
export function comparisonLines({ fields, omitted }: RemoteComparison): readonly string[] {
  if (omitted !== undefined) return [omitted];
  const rows = fields.map(({ path, wanted, found, differs }) => [
    path,
    found === undefined ? "unknown" : differs ? "yes" : "no",
    wanted === undefined ? "<none>" : fitWidth(wanted, CELL),
    fitWidth(found ?? "not shown", CELL),
  ]);
  return align(
    [["FIELD", "DIFFERS", "SPEC", "PLATFORM"], ...rows].map((row) => row.map(printable)),
    "  ",
  );
}

/** One field of the spec and of the platform; `wanted` or `found` is undefined if that side does not have it. */
type RemoteField = Readonly<ReturnType<typeof remoteFields>[number]>;

/** Members of specs that do not describe the object itself. */
const NOT_COMPARED = new Set(["lifecycle", "connectionRef", "externalId", "variables", "deploy", "runState"]);
/** Whole records and secrets, which are never shown. */
const HIDDEN = new Set(["record", "targetSecret"]);

/** Returns every field of either side: those of the spec first. Only a field that both have can differ. */
export function remoteFields(spec: Json, record: Json) {
  const wanted = new Map(leaves(spec, "", NOT_COMPARED));
  const found = new Map(leaves(record, "", HIDDEN));
  const paths = [...wanted.keys(), ...[...found.keys()].filter((path) => !wanted.has(path))];
  return paths.map((path) => {
    const [desired, observed] = [wanted.get(path), found.get(path)];
    return {
      path,
      wanted: desired === undefined ? undefined : textOf(desired),
      found: observed === undefined ? undefined : textOf(observed),
      differs: desired !== undefined && observed !== undefined && !covers(observed, desired),
    };
  });
}

/** Reports whether a record matches a spec. Members that only one of them has are ignored. */
function covers(record: Json, spec: Json): boolean {
  if (isList(spec) && isList(record)) {
    return spec.length === record.length && spec.every((one, at) => covers(record[at] ?? null, one));
  }
  if (isObject(spec) && isObject(record)) {
    return Object.entries(spec).every(([name, value]) => {
      const recorded = record[name];
      return value === undefined || recorded === undefined || covers(recorded, value);
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

/** Converts a record to JSON, without hidden members: they may hold a bigint, which JSON.stringify rejects. */
function shown(record: object): Json {
  const members = Object.entries(record).filter(([name]) => !HIDDEN.has(name));
  return parseJson(JSON.stringify(Object.fromEntries(members)));
}
