import { isDeepStrictEqual } from "node:util";

import { abortableSleep, createBackoff } from "../api/clock.ts";
import { KubeError, isKube } from "../api/errors.ts";
import { stringMember } from "../api/json.ts";
import { keyOf, parseObject } from "../api/objects.ts";
import { objectPath } from "../api/paths.ts";
import { type KubeClient, mergePatch } from "../api/transport.ts";
import type { Clock, Json, JsonObject, KubeObject, ResourceType } from "../api/types.ts";
import type { Store } from "../watch/store.ts";
import { diffMerge } from "./merge-patch.ts";

/** The largest patch that is sent; etcd refuses objects of 1.5 MiB, and a much smaller patch is wrong already. */
const MAX_PATCH_BYTES = 512 * 1024;

/** The number of refusals of one outcome that are retried. The next refusal is thrown, so that the worker is free. */
const MAX_REFUSALS = 3;

/** The age in milliseconds up to which an answer of the API server counts as current. */
const CONFIRMED_MS = 1_000;

export interface WriterOptions {
  readonly client: KubeClient;
  readonly store: Store;
  /** The types that may be written, by kind. */
  readonly types: readonly ResourceType[];
  readonly clock: Clock;
  readonly random: () => number;
}

/** The writer of the operator's custom resources. Every answer enters the cache before the promise resolves. */
export type Writer = ReturnType<typeof createWriter>;

/** @returns the writer of the kinds in `options.types`; a second writer would leave the cache behind its writes */
export function createWriter(options: WriterOptions) {
  const { client, clock, random, store } = options;
  const types = new Map(options.types.map((type) => [type.kind, type]));
  /**
   * The objects that the API server's answers confirmed, each with the time of the last such request, in milliseconds.
   */
  const answeredAt = new WeakMap<KubeObject, number>();

  const typeOf = (object: KubeObject): ResourceType => {
    const type = types.get(object.kind);
    if (type === undefined) throw new KubeError("Invalid", 0, `the writer does not know the kind ${object.kind}`);
    return type;
  };

  /** Stores the object of an answer. A patch that removes the last finalizer deletes the object. */
  const storeAnswer = (type: ResourceType, answer: Json, askedAt: number): KubeObject => {
    const object = parseObject(type, answer);
    if (object === undefined) throw new KubeError("BadResponse", 200, `the answer is no ${type.kind}`);
    answeredAt.set(object, askedAt);
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0) store.remove(object);
    else store.upsert(object);
    return object;
  };

  /** Reads an object again into the store. @returns undefined when it is gone, also when another one has its name */
  const refresh = async (object: KubeObject, signal?: AbortSignal): Promise<KubeObject | undefined> => {
    const type = typeOf(object);
    const askedAt = clock.monotonic();
    try {
      const answer = await client.request({ method: "GET", path: objectPath(type, keyOf(object)), signal });
      const live = storeAnswer(type, answer, askedAt);
      return live.metadata.uid === object.metadata.uid ? live : undefined;
    } catch (error) {
      if (!isKube(error, "NotFound")) throw error;
      store.remove(object);
      return undefined;
    }
  };

  const patch = async (
    object: KubeObject,
    body: JsonObject,
    subresource?: "status",
    signal?: AbortSignal,
  ): Promise<KubeObject> => {
    const type = typeOf(object);
    if (Buffer.byteLength(JSON.stringify(body)) > MAX_PATCH_BYTES) {
      throw new KubeError("Invalid", 0, `a patch of a ${type.kind} exceeds 512 KiB`);
    }
    const askedAt = clock.monotonic();
    const request = mergePatch(objectPath(type, keyOf(object), subresource), body, { signal });
    return storeAnswer(type, await client.request(request), askedAt);
  };

  /**
   * Patches an object. After "Conflict" or "NotFound" it reads the object into the store again, and ignores an error of
   * that read.
   */
  const patchChecked = async (object: KubeObject, body: JsonObject, subresource?: "status"): Promise<KubeObject> => {
    try {
      return await patch(object, body, subresource);
    } catch (error) {
      if (isKube(error, "Conflict", "NotFound")) await refresh(object).catch(() => undefined);
      throw error;
    }
  };

  return {
    /**
     * Merge-patches metadata of the main resource, checked against `object.metadata.resourceVersion`.
     * Used for intents and finalizers. `null` deletes an annotation.
     * @throws KubeError "Conflict" when the object changed meanwhile, "NotFound" when it is gone.
     */
    patchChecked: async (
      object: KubeObject,
      change: {
        readonly annotations?: Readonly<Record<string, string | null>>;
        readonly finalizers?: readonly string[];
      },
    ): Promise<KubeObject> => {
      const annotations = diffAnnotations(object, change.annotations);
      const before = object.metadata.finalizers ?? [];
      const finalizers = isDeepStrictEqual(before, change.finalizers ?? before) ? undefined : change.finalizers;
      if (annotations === undefined && finalizers === undefined) return object;
      const { uid, resourceVersion } = object.metadata;
      return patchChecked(object, { metadata: { uid, resourceVersion, annotations, finalizers } });
    },

    /**
     * Makes `.status` equal to `status` by a merge patch with `metadata.resourceVersion`; removed keys are sent as
     * null. Sends nothing and returns `object` when nothing differs.
     * @throws KubeError "Conflict" when the object changed meanwhile, "NotFound" when it is gone
     */
    patchStatus: async (object: KubeObject, status: JsonObject): Promise<KubeObject> => {
      const difference = diffMerge(object.status, status);
      if (difference === undefined) return object;
      const { resourceVersion } = object.metadata;
      return patchChecked(object, { metadata: { resourceVersion }, status: difference }, "status");
    },

    /**
     * Merge-patches annotations of the main resource with `metadata.uid` and no resourceVersion, and retries until the
     * API server has stored it, the object is gone (resolves with undefined) or `signal` fires (rejects).
     * @throws KubeError "Invalid" or "Forbidden" when it was refused several times: a policy forbids it, or the
     * annotations of the object leave no room
     */
    storeOutcome: async (
      object: KubeObject,
      annotations: Readonly<Record<string, string | null>>,
      signal: AbortSignal,
    ): Promise<KubeObject | undefined> => {
      const { uid } = object.metadata;
      const backoff = createBackoff({ baseMs: 500, capMs: 30_000, random });
      for (let refusals = 0; ;) {
        try {
          return await patch(object, { metadata: { uid, annotations } }, undefined, signal);
        } catch (error) {
          if (signal.aborted) throw error;
          // For another object of the same name the API server answers 422 "metadata.uid: field is immutable".
          const mayBeGone = isKube(error, "NotFound", "Conflict", "Invalid");
          // If the read fails, the patch is tried again.
          if (mayBeGone && (await refresh(object, signal).catch(() => object)) === undefined) return undefined;
          if (isKube(error, "Invalid", "Forbidden")) refusals += 1;
          if (refusals > MAX_REFUSALS) throw error;
          const minMs = error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0;
          if (!(await abortableSleep(clock, Math.max(backoff.next(), minMs), signal))) throw error;
        }
      }
    },

    /**
     * Checks that `object` is current by a read from the API server without caches. An `object` from an answer of the
     * last second needs no read.
     * @throws KubeError "Conflict" when it has another version, "NotFound" when it is gone or another object has its
     * name
     */
    confirm: async (object: KubeObject): Promise<void> => {
      const askedAt = clock.monotonic();
      if (askedAt - (answeredAt.get(object) ?? Number.NEGATIVE_INFINITY) < CONFIRMED_MS) return;
      const live = await refresh(object);
      if (live?.metadata.resourceVersion === object.metadata.resourceVersion) {
        answeredAt.set(object, askedAt);
        return;
      }
      const what = `GET ${objectPath(typeOf(object), keyOf(object))}`;
      throw live === undefined
        ? new KubeError("NotFound", 404, `${what}: gone, or a namesake has its place`)
        : new KubeError("Conflict", 409, `${what}: changed meanwhile`);
    },
  };
}

/** @returns the annotations that differ from the object's, undefined when none does */
function diffAnnotations(
  object: KubeObject,
  wanted: Readonly<Record<string, string | null>> = {},
): Readonly<Record<string, string | null>> | undefined {
  const held = object.metadata.annotations;
  const changed = Object.entries(wanted).filter(([name, value]) => (stringMember(held, name) ?? null) !== value);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
