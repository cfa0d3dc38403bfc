/** What is recorded of an object that stays on the platform when its resource goes. */
import { z } from "zod";

import { isUuid } from "../../api/ids.ts";
import { parseJson } from "../../kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import { text } from "../contract/status.ts";
import { sameSignature, signature } from "../ownership/signature.ts";
import { tenantOf } from "../ownership/tenant.ts";

const id = z.string().refine(isUuid);
const name = z.string().min(1).max(253);

const orphan = z.object({
  v: z.literal(1),
  id,
  /** The uid of kube-system. */
  installation: z.string().max(128),
  /** The tenant: where the id means something. */
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
  /** The kind's memory, which the platform cannot tell back. */
  memory: z.record(z.string(), z.json()).optional(),
  /** Of all of the above, with the connection's token; "" where there was none. */
  signature: z.string().max(64),
});

export type Orphan = Readonly<Omit<z.output<typeof orphan>, "memory">> & { readonly memory?: JsonObject | undefined };

/** Names the resource that an entry belongs to. The namespace's uid and the signature are compared apart from it. */
export type OrphanKey = Pick<
  Orphan,
  "installation" | "host" | "organizationId" | "kind" | "namespace" | "name" | "parentId" | "externalName"
>;

/** The key as text, to compare and to look it up by. */
export function orphanKeyText(key: OrphanKey): string {
  const { installation, kind, namespace, name: own, parentId, externalName } = key;
  return JSON.stringify([installation, tenantOf(key), kind, namespace, own, parentId ?? null, externalName ?? null]);
}

/** The name on the platform that a spec asks for: another one is another object. */
export function externalNameOf({ spec }: KubeObject): string | undefined {
  const { data } = named.safeParse(spec);
  return text(data?.name);
}

const named = z.object({ name: z.string().optional() });

/** @returns the entry with its signature; without a token it has none, and is only good for the namespace that it names */
export function signed(entry: Omit<Orphan, "signature">, token: string | undefined): Orphan {
  return { ...entry, signature: token === undefined || token === "" ? "" : signature(token, partsOf(entry)) };
}

/** Whether an entry was signed with this token, and is as it was then. */
export function isSigned(entry: Orphan, token: string): boolean {
  return token !== "" && entry.signature !== "" && sameSignature(signature(token, partsOf(entry)), entry.signature);
}

function partsOf(entry: Omit<Orphan, "signature">): readonly (string | null)[] {
  const { id: own, namespaceUid, at, why, memory } = entry;
  const remembered = memory === undefined ? null : JSON.stringify(memory);
  return ["orphan", orphanKeyText(entry), own, namespaceUid, at, why, remembered];
}

/** The entry as it is stored. */
export function writeOrphan(entry: Orphan): string {
  return JSON.stringify(entry);
}

/** @returns undefined for what is no entry */
export function readOrphan(stored: string): Orphan | undefined {
  try {
    return orphan.safeParse(parseJson(stored)).data;
  } catch {
    return undefined;
  }
}
