/**
 * An API server in memory with the features that the operator's client uses: resourceVersions, generations, uid
 * preconditions, finalizers, merge patches. The real store, writer and readers use it.
 */
import { timeText } from "../../../src/api/status.ts";
import { TYPES } from "../../../src/config/kinds.ts";
import { KubeError } from "../../../src/kube/api/errors.ts";
import { isObject, member, stringMember } from "../../../src/kube/api/json.ts";
import { keyOf, parseObject } from "../../../src/kube/api/objects.ts";
import {
  apiVersionOf,
  collectionPath,
  CONFIG_MAP,
  NAMESPACE as NAMESPACES,
  objectPath,
  SECRET,
} from "../../../src/kube/api/paths.ts";
import type { KubeClient, KubeRequest } from "../../../src/kube/api/transport.ts";
import type { Cache, Json, JsonObject, KubeObject, ObjectMeta, ResourceType } from "../../../src/kube/api/types.ts";
import type { Store, StoreChange } from "../../../src/kube/watch/store.ts";
import type { Manifest } from "../env/cluster.ts";
import { asJson, check, patched, raised, respecified, wire } from "./patches.ts";

export const TEAM = "team";

/** A write of the operator, as received by the API server. */
export interface Write {
  /** checked: of metadata, checked by resourceVersion; outcome: of annotations, checked by uid only. */
  readonly what: "checked" | "outcome" | "status" | "delete";
  /** "<kind>/<namespace>/<name>". */
  readonly key: string;
  /** The patch of the status; else the annotations, and finalizers if they change. */
  readonly body: JsonObject;
}

/** Called around what a fake does for a client; may hang, as a killed process does, or throw an error. */
export interface Hooks<Of> {
  before(what: Of): Promise<void>;
  after(what: Of): Promise<void>;
}

export type MemoryApiServer = ReturnType<typeof memoryApiServer>;

/**
 * @param now the wall clock @param types the types of the custom resources
 * @returns an API server with the namespaces TEAM and kube-system
 */
export function memoryApiServer(now: () => Date, types: readonly ResourceType[] = TYPES) {
  const stored = new Map<string, KubeObject>();
  const known = new Map([...types, SECRET, CONFIG_MAP, NAMESPACES].map((type) => [type.kind, type]));
  const writes: Write[] = [];
  let version = 0;
  /** What tests may replace. */
  const own: { hooks: Hooks<Write>; onChange: (change: StoreChange) => void } = {
    hooks: { before: () => Promise.resolve(), after: () => Promise.resolve() },
    /** Called for every change of a custom resource that a watch would report. */
    onChange: () => {},
  };

  const typeOf = (kind: string): ResourceType => {
    const type = known.get(kind);
    if (type === undefined) throw new RangeError(`no kind ${kind}`);
    return type;
  };
  const isCustom = ({ kind }: KubeObject): boolean => types.some((type) => type.kind === kind);
  const pathOf = (kind: string, name: string, namespace = TEAM): string =>
    objectPath(typeOf(kind), { namespace, name });

  /** Stores the object, or removes it when it is being deleted and has no finalizers left. */
  const put = (object: KubeObject): KubeObject => {
    version += 1;
    const sent = wire({ ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
    const next = parseObject(typeOf(object.kind), sent);
    if (next === undefined) throw new KubeError("Invalid", 422, `no ${object.kind}`);
    const path = objectPath(typeOf(next.kind), keyOf(next));
    const old = stored.get(path);
    const { deletionTimestamp, finalizers = [] } = next.metadata;
    const isOver = deletionTimestamp !== undefined && finalizers.length === 0;
    if (isOver) stored.delete(path);
    else stored.set(path, next);
    if (!isCustom(next)) return next;
    if (isOver) own.onChange({ type: "deleted", object: next });
    else own.onChange(old === undefined ? { type: "added", object: next } : { type: "updated", object: next, old });
    return next;
  };

  const held = (path: string): KubeObject => {
    const object = stored.get(path);
    if (object === undefined) throw new KubeError("NotFound", 404, `${path}: not found`);
    return object;
  };

  const patch = (path: string, body: JsonObject, isStatus = false): KubeObject => {
    const old = held(path);
    const next = patched(old, wire(body), isStatus);
    return next === old ? old : put(next);
  };

  const remove = (path: string, preconditions?: Json): void => {
    const old = held(path);
    check(old, preconditions, "Conflict");
    if (old.metadata.deletionTimestamp !== undefined) return;
    put(raised({ ...old, metadata: { ...old.metadata, deletionTimestamp: timeText(now()) } }));
  };

  const create = (type: ResourceType, namespace: string, { metadata, ...manifest }: JsonObject): KubeObject => {
    const given = isObject(metadata) ? metadata : {};
    const name = stringMember(given, "name") ?? "";
    const path = objectPath(type, { namespace, name });
    if (stored.has(path)) throw new KubeError("AlreadyExists", 409, `${path}: exists`);
    return put({
      ...withData(manifest),
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      ...(types.includes(type) && { status: { observedGeneration: -1 } }),
      metadata: {
        uid: `uid-${version + 1}`,
        generation: 1,
        creationTimestamp: timeText(now()),
        ...given,
        ...(type.namespaced && { namespace }),
        name,
        resourceVersion: "",
      },
    });
  };

  const answer = ({ method, path, body }: KubeRequest): Json => {
    const isStatus = path.endsWith("/status");
    const of = isStatus ? path.slice(0, -"/status".length) : path;
    switch (method) {
      case "GET":
        return asJson(held(of));
      case "PATCH":
        return asJson(patch(of, isObject(body) ? body : {}, isStatus));
      case "DELETE":
        remove(of, member(body, "preconditions"));
        return null;
      case "POST": {
        const type = [...known.values()].find((each) => collectionPath(each, TEAM) === path);
        if (type === undefined || !isObject(body)) throw new KubeError("NotFound", 404, `${path}: not found`);
        return asJson(create(type, TEAM, body));
      }
      case "PUT":
        throw new KubeError("Invalid", 405, "nothing of ours is put");
      default:
        return method satisfies never;
    }
  };

  const client: KubeClient = {
    request: async (request) => {
      const object = stored.get(request.path.replace(/\/status$/, ""));
      if (request.method === "GET" || object === undefined || !isCustom(object)) return answer(request);
      const one = writeOf(request, object);
      await own.hooks.before(one);
      const answered = answer(request);
      writes.push(one);
      await own.hooks.after(one);
      return answered;
    },
    stream: () => {
      throw new Error("changes are reported by onChange");
    },
    watchSilenceMs: () => undefined,
  };

  const find = (kind: string, name: string, namespace?: string): KubeObject | undefined =>
    stored.get(pathOf(kind, name, namespace));
  const get = (kind: string, name: string): KubeObject => held(pathOf(kind, name));
  const cache: Cache & Store = {
    // Like the real store, returns undefined for invalid names.
    get: ({ kind, namespace, name }) =>
      isNamed(known.get(kind), namespace, name) ? find(kind, name, namespace) : undefined,
    list: (kind, namespace) =>
      [...stored.values()].filter(
        (each) => each.kind === kind && (namespace === undefined || each.metadata.namespace === namespace),
      ),
    has: () => false,
    upsert: () => {},
    remove: () => {},
    replace: () => {},
    subscribe: () => () => {},
  };
  const apply = (manifest: Manifest, namespace = TEAM): void => {
    const { kind, metadata } = manifest;
    const old = find(kind, metadata.name, namespace);
    if (old === undefined) create(typeOf(kind), namespace, manifest);
    else if (kind === SECRET.kind) put({ ...old, ...withData({ stringData: manifest["stringData"] }) });
    else put(respecified(old, manifest["spec"] ?? {}));
  };

  for (const name of [TEAM, "kube-system"]) create(NAMESPACES, "", { metadata: { name } });
  return Object.assign(own, {
    types,
    answer,
    /** Sends requests, with the hooks around writes. It opens no watches. */
    client,
    /** All writes of the client to custom resources that were stored, oldest first. */
    writes,
    /** A store that reads the server's own state. A real store has it after each answer. */
    cache,
    version: () => version,
    /** All custom resources, by kind in the order of `types`. */
    all: () => types.flatMap(({ kind }) => cache.list(kind)),
    secrets: () => cache.list(SECRET.kind),
    find,
    /** @throws KubeError "NotFound" */
    get,
    /** Creates the object like a user, in TEAM by default. @throws KubeError "AlreadyExists" */
    create: (kind: string, name: string, spec: Json, meta: Partial<ObjectMeta> = {}): KubeObject =>
      create(typeOf(kind), TEAM, { spec, metadata: { ...(meta as JsonObject), name } }),
    /** Creates the object, or replaces its spec or data by the manifest's. */
    apply,
    patch: (kind: string, name: string, change: JsonObject, namespace?: string): void => {
      patch(pathOf(kind, name, namespace), change);
    },
    spec: (kind: string, name: string, spec: Json): void => void put(respecified(get(kind, name), spec)),
    annotate: (kind: string, name: string, annotations: Readonly<Record<string, string | null>>): void => {
      patch(pathOf(kind, name), { metadata: { annotations } });
    },
    /** Replaces the whole status, like a restore or an attacker. */
    status: (kind: string, name: string, status: Json | undefined): void => void put({ ...get(kind, name), status }),
    remove: (kind: string, name: string, namespace?: string): void => remove(pathOf(kind, name, namespace)),
    /** Stores a whole object unchanged, like a restore from a backup. */
    restore: (object: KubeObject): void => void put(object),
    /** Creates, changes or removes a Secret. */
    secret: (name: string, data: Readonly<Record<string, string>> | undefined, namespace?: string): void => {
      if (data !== undefined) apply({ kind: SECRET.kind, metadata: { name }, stringData: data }, namespace);
      else if (find(SECRET.kind, name, namespace) !== undefined) remove(pathOf(SECRET.kind, name, namespace));
    },
  });
}

const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function isNamed(type: ResourceType | undefined, namespace: string, name: string): boolean {
  return type !== undefined && (namespace === "") !== type.namespaced && SUBDOMAIN.test(name);
}

function writeOf({ method, path, body }: KubeRequest, { kind, metadata: { namespace = "", name } }: KubeObject): Write {
  const key = `${kind}/${namespace}/${name}`;
  if (method === "DELETE") return { what: "delete", key, body: {} };
  if (path.endsWith("/status")) return { what: "status", key, body: member(body, "status") as JsonObject };
  const metadata = member(body, "metadata");
  const finalizers = member(metadata, "finalizers");
  const isChecked = member(metadata, "resourceVersion") !== undefined;
  const change = {
    ...(member(metadata, "annotations") as JsonObject),
    ...(finalizers !== undefined && { finalizers }),
  };
  return { what: isChecked ? "checked" : "outcome", key, body: change };
}

/** Replaces `stringData` by `data`, as the API server stores a Secret. */
function withData({ stringData, ...manifest }: JsonObject): JsonObject {
  if (!isObject(stringData)) return manifest;
  const encoded = (key: string): string => Buffer.from(stringMember(stringData, key) ?? "").toString("base64");
  return { ...manifest, data: Object.fromEntries(Object.keys(stringData).map((key) => [key, encoded(key)])) };
}
