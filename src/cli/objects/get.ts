import { ageOf } from "../../console/tree/labels.ts";
/** The command `get`: lists the custom resources, and with --remote compares them with the platform. */
import { conditionView, summarize } from "../../console/tree/summary.ts";
import { createKinds } from "../../kinds/index.ts";
import { unlessMissing } from "../../kinds/shared/answers.ts";
import { isObject, parseJson } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { Json, KubeObject } from "../../kube/api/types.ts";
import { withoutCredentials } from "../../text/text.ts";
import type { Access } from "../base/access.ts";
import { command, type Call } from "../base/command.ts";
import { CliError, EXIT } from "../base/exit.ts";
import { explain, isExpected } from "../base/explain.ts";
import { ALL_NAMESPACES } from "../base/globals.ts";
import { print, type View } from "../base/render.ts";
import { offers } from "../base/surface.ts";
import { fullName, kindNamed, shortTarget } from "../base/targets.ts";
import { fitWidth } from "./shared/drawing.ts";
import { listObjects } from "./shared/listing.ts";

export const getCommand = command({
  asks: "platform",
  args: [{ name: "kind", about: "a kind, e.g. papp; defaults to all kinds", optional: true }],
  flags: {
    remote: { type: "switch", about: "compare the spec with the platform; -o wide does not truncate values" },
    ...ALL_NAMESPACES,
  },
  formats: ["table", "wide", "json", "yaml", "name"],
  details: "The exit code is 1 if no kind can be listed, or if an object of the platform cannot be read.",
  run: async (call) => {
    const { flags, report } = call;
    const kind = call.args.kind === undefined ? undefined : kindNamed(call.args.kind);
    const cluster = await call.cluster();
    const namespace = flags["all-namespaces"] ? "" : cluster.namespace;
    const objects = await listObjects({ cluster, namespace, report, kinds: kind === undefined ? undefined : [kind] });
    if (!flags.remote) {
      await print(call, localView(call.host.clock.now(), namespace === ""), objects);
      return EXIT.ok;
    }
    if (kind !== undefined && !READABLE.includes(kind)) {
      throw new CliError(`--remote does not support ${kind}. It supports: ${READABLE.join(", ")}.`);
    }
    const readable = objects.filter((object) => READABLE.includes(object.kind));
    const { rows, failures } = await remoteRows(call, readable);
    await print(call, REMOTE, rows);
    return failures === 0 ? EXIT.ok : EXIT.failed;
  },
});

function localView(now: Date, everywhere: boolean): View<KubeObject> {
  return {
    columns: {
      ...(everywhere ? { NAMESPACE: ({ metadata }: KubeObject) => metadata.namespace } : {}),
      NAME: (object) => shortTarget(keyOf(object)),
      READY: (object) => conditionView(object, "Ready")?.status,
      STATE: (object) => summarize(object).state,
      REASON: (object) => conditionView(object, "Ready")?.reason,
      AGE: ({ metadata }) => ageOf(metadata.creationTimestamp, now),
    },
    wide: {
      "REMOTE-ID": (object) => summarize(object).externalId,
      MESSAGE: (object) => conditionView(object, "Ready")?.message,
    },
    name: (object) => fullName(keyOf(object)),
  };
}

type RemoteRow = RemoteField & { readonly object: KubeObject };

/** A commit fits into a cell; a list, as of ports, does not. */
const CELL = 40;

const REMOTE: View<RemoteRow> = {
  columns: {
    NAME: ({ object }) => shortTarget(keyOf(object)),
    FIELD: "path",
    DIFFERS: ({ differs, found }) => (found === undefined ? "unknown" : differs ? "yes" : "no"),
    WANTED: ({ wanted }) => wanted && fitWidth(wanted, CELL),
    PLATFORM: ({ found }) => fitWidth(found ?? "not shown", CELL),
  },
  wide: {
    WANTED: "wanted",
    PLATFORM: ({ found }) => found ?? "not shown",
    NAMESPACE: ({ object }) => object.metadata.namespace,
  },
  name: ({ object }) => fullName(keyOf(object)),
  data: (row) => ({
    kind: row.object.kind,
    namespace: row.object.metadata.namespace,
    name: row.object.metadata.name,
    field: row.path,
    wanted: row.wanted ?? null,
    platform: row.found ?? null,
    differs: row.differs,
  }),
};

/**
 * Compares objects with the platform. An object that cannot be read is reported, and the next object is read.
 * @returns the fields of all objects, and the number of objects whose read failed
 */
export async function remoteRows(
  call: Pick<Call, "connection" | "connect" | "report">,
  objects: readonly KubeObject[],
) {
  const accessOf = sharedAccess(call);
  const rows: RemoteRow[] = [];
  let failures = 0;
  for (const object of objects) {
    const omit = (why: string): void => {
      call.report(`${shortTarget(keyOf(object))} is omitted: ${why}`);
    };
    const id = summarize(object).externalId;
    if (id === "") {
      omit("it is not on the platform yet.");
      continue;
    }
    try {
      const remote = await remoteOf(await accessOf(object), object, id);
      if (typeof remote === "string") omit(`${remote}.`);
      else rows.push(...remote.map((field) => ({ ...field, object })));
    } catch (error) {
      if (!isExpected(error)) throw error;
      omit(explain(error).message);
      failures += 1;
    }
  }
  return { rows, failures };
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

/** One field of the spec and of the platform; `wanted` or `found` is undefined if that side does not have it. */
type RemoteField = Readonly<ReturnType<typeof remoteFields>[number]>;

/** The read of each kind that the platform shows. */
const READS = new Map(
  Object.entries(createKinds()).flatMap(([kind, { remote }]) =>
    remote === undefined ? [] : [[kind, remote] as const],
  ),
);

/** The kinds that can be read. */
const READABLE: readonly string[] = [...READS.keys()];

/** Reads one object and compares it with its spec. @returns the fields, or why it cannot @throws ApiError */
async function remoteOf(access: Access, object: KubeObject, id: string): Promise<readonly RemoteField[] | string> {
  const remote = READS.get(object.kind);
  const isOffered = remote !== undefined && (await offers(access, remote.operation));
  const reading = isOffered ? remote.read(access.platform, id) : remote?.documented?.(access.platform, id);
  if (reading === undefined) return "this platform does not show it";
  const record = await unlessMissing(reading);
  return record === undefined ? "not found on the platform" : remoteFields(object.spec ?? {}, shown(record));
}

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
