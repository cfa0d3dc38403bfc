/**
 * An API server in memory, as far as the operator's own client asks of one: the real store, writer and readers go over
 * it.
 */
import { KubeError } from "../../../src/kube/api/errors.ts";
import { isObject, member, stringMember } from "../../../src/kube/api/json.ts";
import { parseObject } from "../../../src/kube/api/objects.ts";
import {
  collectionPath,
  CONFIG_MAP,
  NAMESPACE as NAMESPACES,
  objectPath,
  SECRET,
} from "../../../src/kube/api/paths.ts";
import type { KubeRequest } from "../../../src/kube/api/transport.ts";
import type { Json, JsonObject, KubeObject, ResourceType } from "../../../src/kube/api/types.ts";
import { TYPES } from "../../../src/operator/config/caches.ts";
import { merged } from "../../support/engine/cluster.ts";
import type { Manifest } from "../../support/env/cluster.ts";

export const TEAM = "team";

/** What a watch would tell. */
export interface Observed {
  readonly type: "upserted" | "removed";
  readonly object: KubeObject;
}

export interface ApiServer {
  /** Answers as a kube-apiserver does. @throws KubeError */
  answer(request: KubeRequest): Json;
  /** What happened since this was last asked for. */
  news(): readonly Observed[];
  /** How often anything was stored. */
  version(): number;
  /** All custom resources. */
  all(): readonly KubeObject[];
  find(kind: string, name: string, namespace?: string): KubeObject | undefined;
  /** What a person does; the namespace is TEAM unless told. */
  create(manifest: Manifest, namespace?: string): void;
  /** A merge patch. */
  patch(kind: string, name: string, patch: JsonObject, namespace?: string): void;
  remove(kind: string, name: string, namespace?: string): void;
}

type Stored = JsonObject & { readonly kind: string; readonly metadata: JsonObject };

const types: ReadonlyMap<string, ResourceType> = new Map(
  [...TYPES, SECRET, CONFIG_MAP, NAMESPACES].map((type) => [type.kind, type]),
);

/** @param now the wall clock. @returns an API server with the namespaces TEAM and kube-system */
export function memoryApiServer(now: () => Date): ApiServer {
  const stored = new Map<string, Stored>();
  let version = 0;
  let news: Observed[] = [];

  const tell = (type: Observed["type"], object: Stored): void => {
    const resource = TYPES.find(({ kind }) => kind === object.kind);
    const parsed = resource === undefined ? undefined : parseObject(resource, object);
    if (parsed !== undefined) news.push({ type, object: parsed });
  };

  /** Stores what is new; what has been let go of by everybody ends. */
  const put = (path: string, object: Stored): Stored => {
    version += 1;
    const next: Stored = wire({ ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
    const finalizers = member(next.metadata, "finalizers");
    const isGoing = member(next.metadata, "deletionTimestamp") !== undefined;
    const isOver = isGoing && (!Array.isArray(finalizers) || finalizers.length === 0);
    if (isOver) stored.delete(path);
    else stored.set(path, next);
    tell(isOver ? "removed" : "upserted", next);
    return next;
  };

  const born = (type: ResourceType, manifest: JsonObject, namespace: string | undefined): Stored => {
    const { stringData, ...rest } = manifest;
    const data = isObject(stringData) ? { data: base64(stringData) } : {};
    return {
      ...rest,
      ...data,
      kind: type.kind,
      ...(TYPES.includes(type) ? { status: { observedGeneration: -1 } } : {}),
      metadata: {
        ...(isObject(manifest["metadata"]) ? manifest["metadata"] : {}),
        ...(namespace === undefined ? {} : { namespace }),
        uid: `uid-${version + 1}`,
        generation: 1,
        creationTimestamp: seconds(now()),
      },
    };
  };

  const held = (path: string): Stored => {
    const object = stored.get(path);
    if (object === undefined) throw new KubeError("NotFound", 404, `${path}: not found`);
    return object;
  };

  const patch = (path: string, body: JsonObject, isStatus: boolean): Stored => {
    const old = held(path);
    check(old, member(body, "metadata"));
    const { metadata: _, ...meta } = isObject(body["metadata"]) ? { ...body["metadata"], metadata: null } : {};
    const change = isStatus
      ? { status: body["status"] }
      : { ...body, status: undefined, metadata: { ...meta, resourceVersion: undefined } };
    const next = merged(old, wire(change)) as Stored;
    if (JSON.stringify(next) === JSON.stringify(old)) return old;
    const isNewSpec = JSON.stringify(next["spec"]) !== JSON.stringify(old["spec"]);
    return put(path, isNewSpec ? raised(next) : next);
  };

  const remove = (path: string, preconditions: Json | undefined): void => {
    const old = held(path);
    check(old, preconditions, "Conflict");
    if (old.metadata["deletionTimestamp"] !== undefined) return;
    put(path, raised({ ...old, metadata: { ...old.metadata, deletionTimestamp: seconds(now()) } }));
  };

  const typeOf = (kind: string): ResourceType => {
    const type = types.get(kind);
    if (type === undefined) throw new RangeError(`no kind ${kind}`);
    return type;
  };
  const pathOf = (kind: string, name: string, namespace = TEAM): string =>
    objectPath(typeOf(kind), { namespace, name });
  const asObject = (object: Stored): KubeObject | undefined => parseObject(typeOf(object.kind), object);

  const create = (type: ResourceType, namespace: string, manifest: JsonObject): Stored => {
    const name = stringMember(member(manifest, "metadata"), "name") ?? "";
    const path = objectPath(type, { namespace, name });
    if (stored.has(path)) throw new KubeError("AlreadyExists", 409, `${path}: exists`);
    return put(path, born(type, manifest, type.namespaced ? namespace : undefined));
  };

  for (const name of [TEAM, "kube-system"]) create(NAMESPACES, "", { metadata: { name } });
  return {
    answer: ({ method, path, body }) => {
      const isStatus = path.endsWith("/status");
      const of = isStatus ? path.slice(0, -"/status".length) : path;
      switch (method) {
        case "GET":
          return held(of);
        case "PATCH":
          return patch(of, isObject(body) ? body : {}, isStatus);
        case "DELETE":
          remove(of, member(body, "preconditions"));
          return null;
        case "POST": {
          const type = [...types.values()].find((each) => collectionPath(each, TEAM) === path);
          if (type === undefined || !isObject(body)) throw new KubeError("NotFound", 404, `${path}: not found`);
          return create(type, TEAM, body);
        }
        case "PUT":
          throw new KubeError("Invalid", 405, "nothing of ours is put");
        default:
          return method satisfies never;
      }
    },
    news: () => {
      const told = news;
      news = [];
      return told;
    },
    version: () => version,
    all: () =>
      TYPES.flatMap(({ kind }) => [...stored.values()].filter((each) => each.kind === kind)).flatMap(
        (each) => asObject(each) ?? [],
      ),
    find: (kind, name, namespace) => {
      const object = stored.get(pathOf(kind, name, namespace));
      return object === undefined ? undefined : asObject(object);
    },
    create: (manifest, namespace = TEAM) => {
      create(typeOf(manifest.kind), namespace, manifest);
    },
    patch: (kind, name, change, namespace) => {
      patch(pathOf(kind, name, namespace), change, false);
    },
    remove: (kind, name, namespace) => {
      remove(pathOf(kind, name, namespace), undefined);
    },
  };
}

/** What a request says about uid and resourceVersion holds, or it is refused. */
function check({ metadata }: Stored, said: Json | undefined, otherUid: "Invalid" | "Conflict" = "Invalid"): void {
  const uid = stringMember(said, "uid");
  const resourceVersion = stringMember(said, "resourceVersion");
  if (uid !== undefined && uid !== metadata["uid"])
    throw new KubeError(otherUid, otherUid === "Invalid" ? 422 : 409, "uid");
  if (resourceVersion !== undefined && resourceVersion !== metadata["resourceVersion"]) {
    throw new KubeError("Conflict", 409, "the object has been modified");
  }
}

/** The API server raises the generation with the spec and with the mark of deletion. */
function raised(object: Stored): Stored {
  const generation = object.metadata["generation"];
  return { ...object, metadata: { ...object.metadata, generation: Number(generation) + 1 } };
}

/** As JSON travels: without undefined members. */
function wire<T extends JsonObject>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function base64(data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      Buffer.from(typeof value === "string" ? value : "").toString("base64"),
    ]),
  );
}

function seconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
