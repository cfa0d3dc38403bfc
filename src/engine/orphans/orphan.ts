/** An entry of the orphan ledger: an object that stays on the platform after its resource is deleted. */
import { z } from "zod";

import { isUuid } from "../../api/fields.ts";
import { parseJson } from "../../kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import { tenantOf } from "../contract/keys.ts";
import { nonEmptyText } from "../contract/status.ts";
import { sameCode, type InstallationKey } from "../ownership/installation-key.ts";

const id = z.string().refine(isUuid);
const name = z.string().min(1).max(253);

const orphan = z.object({
  v: z.literal(1),
  id,
  /** The uid of kube-system. */
  installation: z.string().max(128),
  /** The tenant: the scope of the id. */
  host: z.string().min(1).max(512),
  organizationId: z.string().min(1).max(128),
  /** Of the custom resource. */
  kind: z.string().regex(/^[A-Z][A-Za-z]{0,62}$/),
  namespace: name,
  /** "" where it could not be read. */
  namespaceUid: z.string().max(128),
  name,
  parentId: id.optional(),
  /** spec.name, where the kind has one. */
  externalName: z.string().max(1024).optional(),
  at: z.iso.datetime(),
  /** Retain, Stop, or the reason why it could not be deleted. */
  why: z.string().regex(/^[A-Z][A-Za-z]{0,62}$/),
  /** The kind's memory, which the platform cannot return. */
  memory: z.record(z.string(), z.json()).optional(),
  /** Of all of the above, with the key of the installation; "" where it was not stored. */
  signature: z.string().max(64),
});

export type Orphan = Readonly<Omit<z.output<typeof orphan>, "memory">> & { readonly memory?: JsonObject | undefined };

/**
 * Identifies the resource that an entry belongs to. The namespace's uid and the signature are compared separately.
 */
export type OrphanKey = Pick<
  Orphan,
  "installation" | "host" | "organizationId" | "kind" | "namespace" | "name" | "parentId" | "externalName"
>;

/** Returns the key as text. */
export function orphanKeyText(key: OrphanKey): string {
  const { installation, kind, namespace, name: own, parentId, externalName } = key;
  return JSON.stringify([installation, tenantOf(key), kind, namespace, own, parentId ?? null, externalName ?? null]);
}

/** Returns the name on the platform that a spec asks for: another name is another object. */
export function externalNameOf({ spec }: KubeObject): string | undefined {
  const { data } = named.safeParse(spec);
  return nonEmptyText(data?.name);
}

const named = z.object({ name: z.string().optional() });

/**
 * @returns the entry with its signature. Without a stored key it has none, and counts only in the namespace that it
 * names
 */
export function signed(entry: Omit<Orphan, "signature">, key: InstallationKey): Orphan {
  return { ...entry, signature: key.isStored ? key.code("orphan", partsOf(entry)) : "" };
}

/** Reports whether an entry was signed with this key and is unchanged since. */
export function isSigned(entry: Orphan, key: InstallationKey): boolean {
  return sameCode(key.code("orphan", partsOf(entry)), entry.signature);
}

function partsOf(entry: Omit<Orphan, "signature">): readonly (string | null)[] {
  const { id: own, namespaceUid, at, why, memory } = entry;
  const remembered = memory === undefined ? null : JSON.stringify(memory);
  return [orphanKeyText(entry), own, namespaceUid, at, why, remembered];
}

/** Returns the entry as it is stored. */
export function writeOrphan(entry: Orphan): string {
  return JSON.stringify(entry);
}

/** Parses an entry as it is stored. @returns undefined for an invalid entry */
export function readOrphan(stored: string): Orphan | undefined {
  try {
    return orphan.safeParse(parseJson(stored)).data;
  } catch {
    return undefined;
  }
}
