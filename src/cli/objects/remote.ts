/** What the platform says of an object, beside what its spec wants. */
import { isObject } from "../../kube/json.ts";
import type { Json, KubeObject } from "../../kube/types.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Platform } from "../../platform/index.ts";
import type { Surface } from "./surface.ts";

/** One field on both sides; undefined where a side says nothing of it. */
export interface RemoteField {
  readonly path: string;
  readonly wanted: string | undefined;
  readonly found: string | undefined;
}

/** Reads of one kind, by the id on the platform. Members are spelled as in specs. */
type Read = (platform: Platform, id: string) => Promise<object | undefined>;

type Reads = Readonly<Record<Surface, Read | undefined>>;

/** The kinds whose objects the platform shows, per surface. */
const READS: Readonly<Record<string, Reads>> = {
  PlatformProject: {
    Documented: async ({ projects }, id) => (await projects.list()).find((one) => one.id === id),
    Full: ({ projects }, id) => projects.get(id),
  },
  PlatformEnvironment: { Documented: undefined, Full: ({ environments }, id) => environments.get(id) },
  PlatformApplication: {
    Documented: ({ applications }, id) => applications.status(id),
    Full: async ({ applications }, id) => ({ ...(await applications.get(id)), ...(await applications.status(id)) }),
  },
  PlatformDatabase: { Documented: undefined, Full: ({ databases }, id) => databases.get(id) },
  PlatformCluster: { Documented: undefined, Full: ({ clusters }, id) => clusters.status(id) },
  PlatformWebhook: { Documented: undefined, Full: ({ webhooks }, id) => webhooks.get(id) },
};

/** The kinds that can be read. */
export const READABLE: readonly string[] = Object.keys(READS);

export type Remote =
  | { readonly is: "found"; readonly fields: readonly RemoteField[] }
  | { readonly is: "unseen"; readonly why: string };

/** Reads one object and compares it with its spec. @throws ApiError */
export async function remoteOf(platform: Platform, surface: Surface, object: KubeObject, id: string): Promise<Remote> {
  const read = READS[object.kind]?.[surface];
  if (read === undefined) return { is: "unseen", why: "this platform does not show it" };
  try {
    const record = await read(platform, id);
    if (record === undefined) return { is: "unseen", why: "the platform does not have it" };
    return { is: "found", fields: fieldsOf(object.spec ?? {}, shown(record)) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure.is !== "NotFound") throw error;
    return { is: "unseen", why: "the platform does not have it" };
  }
}

/** Members of specs that say nothing of the object itself. */
const OURS: ReadonlySet<string> = new Set([
  "lifecycle",
  "connectionRef",
  "externalId",
  "variables",
  "deploy",
  "runState",
]);
/** Whole answers as they came, which are never shown. */
const HIDDEN: ReadonlySet<string> = new Set(["record", "targetSecret"]);

/** Every field of one side or the other: what the spec wants first, and what is told besides. */
export function fieldsOf(spec: Json, record: Json): readonly RemoteField[] {
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
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replaceAll(/(:\/\/)[^/@\s"]*@/g, "$1•••@");
}

/** As JSON: what a record holds besides is not for people. */
function shown(record: object): Json {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]: [string, unknown]): [string, Json][] => {
      if (HIDDEN.has(name) || value === undefined) return [];
      const json: unknown = JSON.parse(JSON.stringify(value));
      return isJson(json) ? [[name, json]] : [];
    }),
  );
}

function isJson(value: unknown): value is Json {
  return value === null || ["string", "number", "boolean", "object"].includes(typeof value);
}
