/** Reads values from Secrets and ConfigMaps, and makes the fingerprints that represent them in memory. */
import { hash } from "node:crypto";

import type { Json, KeyValues } from "../../kube/api/types.ts";
import type { Reader } from "../../kube/watch/readers.ts";
import { refusedSecret, type SecretRules } from "../connections/secrets.ts";
import type { Fingerprint, Ms, ValueRequest, StatusReason } from "../contract/kind.ts";
import type { InstallationKey } from "../ownership/installation-key.ts";

export type ResolvedValues =
  | {
      readonly is: "found";
      readonly values: ReadonlyMap<string, string>;
      /** For requests without a key: all values, by key. */
      readonly all: ReadonlyMap<string, ReadonlyMap<string, string>>;
      readonly sources: string;
    }
  | { readonly is: "missing"; readonly why: StatusReason }
  /** The spec refers to a Secret that it may not refer to. */
  | { readonly is: "refused"; readonly why: StatusReason };

/** Where values are read, and which of them may be. */
export interface ValueSource {
  readonly namespace: string;
  /** The age at which a read value is read again. */
  readonly maxAgeMs: Ms;
  readonly rules: SecretRules;
}

/**
 * Reads every requested value; each Secret and ConfigMap once.
 * @returns the values by field, or why the first one that is missing, refused or no text is. `sources` names the versions that
 * were read.
 * @throws KubeError
 */
export async function resolveValues(
  reader: Reader,
  { namespace, maxAgeMs, rules }: ValueSource,
  requests: readonly ValueRequest[],
): Promise<ResolvedValues> {
  const objects = new Map<string, KeyValues | undefined>();
  const values = new Map<string, string>();
  const all = new Map<string, ReadonlyMap<string, string>>();
  const versions = new Set<string>();
  for (const request of requests) {
    const id = `${request.from}/${request.name}`;
    const refusal = (secret?: KeyValues) =>
      request.from === "Secret" ? refusedSecret(request, secret, rules) : undefined;
    const unread = refusal();
    if (unread !== undefined) return { is: "refused", why: unread };
    if (!objects.has(id)) {
      const reading =
        request.from === "Secret"
          ? reader.secret(namespace, request.name, maxAgeMs)
          : reader.configMap(namespace, request.name, maxAgeMs);
      objects.set(id, await reading);
    }
    const object = objects.get(id);
    if (object === undefined) return { is: "missing", why: missing(namespace, request) };
    const why = refusal(object);
    if (why !== undefined) return { is: "refused", why };
    if (request.key === undefined) {
      const found = valuesOf(object, request.takes);
      if (typeof found === "string") return { is: "missing", why: notText(namespace, { ...request, key: found }) };
      all.set(request.field, found);
    } else {
      const value = object.get(request.key);
      if (value === null) return { is: "missing", why: notText(namespace, request) };
      if (value === undefined) return { is: "missing", why: missing(namespace, request, request.key) };
      values.set(request.field, value);
    }
    versions.add(`${id}@${object.uid}/${object.resourceVersion}`);
  }
  return { is: "found", values, all, sources: [...versions].toSorted().join(" ") };
}

/**
 * @param takes whether a value is used: the values of other keys are not read, and empty
 * @returns all values, or the key of the first one that is no text
 */
function valuesOf(
  { keys, get }: KeyValues,
  takes: NonNullable<ValueRequest["takes"]> = () => true,
): ReadonlyMap<string, string> | string {
  const found = new Map<string, string>();
  for (const key of keys) {
    const value = takes(key) ? get(key) : "";
    if (value === null) return key;
    if (value !== undefined) found.set(key, value);
  }
  return found;
}

/** @param key the missing key of an object that exists */
function missing(namespace: string, request: ValueRequest, key?: string): StatusReason {
  const what = `${request.from} "${request.name}"`;
  const message =
    key !== undefined
      ? `${what} in namespace "${namespace}" has no key "${key}", which ${request.field} refers to. Add the key or fix the reference.`
      : `${what} does not exist in namespace "${namespace}", but ${request.field} refers to it. Create it or fix the reference.`;
  return { reason: "DependencyNotReady", message };
}

/** The platform takes values as text; other bytes would reach it altered. */
function notText(namespace: string, { from, name, key, field }: ValueRequest): StatusReason {
  const message = `Key "${key}" of ${from} "${name}" in namespace "${namespace}", which ${field} refers to, is not UTF-8 text; encode it as base64.`;
  return { reason: "DependencyNotReady", message };
}

/**
 * Returns the fingerprint of content that may hold secrets. The digest is keyed with the key of the installation, so
 * that a reader of a status cannot try out values.
 */
export function fingerprintOf(content: Json, sources: string, key: InstallationKey): Fingerprint {
  return {
    key: key.id,
    digest: key.code("fingerprint", [content]),
    sources: hash("sha256", sources, "base64url").slice(0, 12),
  };
}
