/** Compares the platform's record of an object with its spec. */
import type { KindName } from "../../kinds/index.ts";
import { unlessMissing } from "../../kinds/shared/answers.ts";
import { isObject, parseJson } from "../../kube/api/json.ts";
import type { Json, KubeObject } from "../../kube/api/types.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import type { Platform } from "../../platform/index.ts";
import { withoutCredentials } from "../../text/text.ts";
import type { Access } from "../base/access.ts";
import { offers } from "../base/surface.ts";

/** One field on both sides; undefined where a side does not have it. */
export type RemoteField = Readonly<ReturnType<typeof remoteFields>[number]>;

/** Reads one object by its id on the platform. Members are spelled as in specs. */
type Read = (platform: Platform, id: string) => Promise<object | undefined>;

interface Reads {
  /** The operation beyond the specification, and its read. */
  readonly op: OperationName;
  readonly full: Read;
  /** The read that the specification has. */
  readonly documented?: Read;
}

/** How the objects of each kind are read; undefined where the platform has or shows no such objects. */
const READS: Readonly<Record<KindName, Reads | undefined>> = {
  ClusterPlatformConnection: undefined,
  PlatformConnection: undefined,
  PlatformProject: {
    op: "getProject",
    full: ({ projects }, id) => projects.get(id),
    documented: async ({ projects }, id) => (await projects.list()).find((one) => one.id === id),
  },
  PlatformEnvironment: { op: "getEnvironment", full: ({ environments }, id) => environments.get(id) },
  PlatformApplication: {
    op: "getApplication",
    full: async ({ applications }, id) => ({ ...(await applications.get(id)), ...(await applications.status(id)) }),
    documented: ({ applications }, id) => applications.status(id),
  },
  PlatformDatabase: { op: "getDatabase", full: ({ databases }, id) => databases.get(id) },
  PlatformBlueprint: undefined,
  PlatformVariableSet: undefined,
  PlatformCluster: { op: "getClusterStatus", full: ({ clusters }, id) => clusters.status(id) },
  PlatformBinding: undefined,
  PlatformCatalog: undefined,
  PlatformOperation: undefined,
  PlatformWebhook: { op: "getWebhook", full: ({ webhooks }, id) => webhooks.get(id) },
};
const BY_KIND: ReadonlyMap<string, Reads | undefined> = new Map(Object.entries(READS));

/** The kinds that can be read. */
export const READABLE: readonly string[] = [...BY_KIND].flatMap(([kind, reads]) => (reads === undefined ? [] : [kind]));

/** Reads one object and compares it with its spec. @returns why it cannot, in a clause, if so @throws ApiError */
export async function remoteOf(
  access: Access,
  object: KubeObject,
  id: string,
): Promise<readonly RemoteField[] | string> {
  const reads = BY_KIND.get(object.kind);
  const read = reads !== undefined && (await offers(access, reads.op)) ? reads.full : reads?.documented;
  if (read === undefined) return "this platform does not show it";
  const record = await unlessMissing(read(access.platform, id));
  return record === undefined ? "the platform does not have it" : remoteFields(object.spec ?? {}, shown(record));
}

/** Members of specs that do not describe the object itself. */
const OURS = new Set(["lifecycle", "connectionRef", "externalId", "variables", "deploy", "runState"]);
/** Whole records and secrets, which are never shown. */
const HIDDEN = new Set(["record", "targetSecret"]);

/** Returns every field of either side: those of the spec first. */
export function remoteFields(spec: Json, record: Json) {
  const wanted = new Map(leaves(spec, "", OURS));
  const found = new Map(leaves(record, "", HIDDEN));
  const paths = [...wanted.keys(), ...[...found.keys()].filter((path) => !wanted.has(path))];
  return paths.map((path) => ({ path, wanted: wanted.get(path), found: found.get(path) }));
}

function leaves(value: Json, path: string, without: ReadonlySet<string>): readonly (readonly [string, string])[] {
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      inner === undefined || (path === "" && (without.has(name) || name.endsWith("Ref")))
        ? []
        : leaves(inner, path === "" ? name : `${path}.${name}`, without),
    );
  }
  return [[path, textOf(value)]];
}

function textOf(value: Json): string {
  return withoutCredentials(typeof value === "string" ? value : JSON.stringify(value));
}

/** Converts a record to JSON, without hidden members: they may hold numbers that JSON does not. */
function shown(record: object): Json {
  const members = Object.entries(record).filter(([name]) => !HIDDEN.has(name));
  return parseJson(JSON.stringify(Object.fromEntries(members)));
}
