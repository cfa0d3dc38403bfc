/**
 * Proof that an id in an annotation is our own record. Between the annotation and the first status of a new object a
 * crash leaves nothing else, and on the documented surface nothing can be looked up. Annotations can be written by
 * whoever may edit the object, so the record is sealed with the connection's token: who can read that can do as much
 * on the platform without us.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

import { parseJson } from "../../kube/api/json.ts";
import type { Json, JsonObject } from "../../kube/api/types.ts";
import type { Uuid } from "../contract/kind.ts";

/** What a seal binds together. */
export interface Signed {
  /** The uid of the custom resource: a copied manifest carries somebody else's seal. */
  readonly uid: string;
  readonly id: Uuid;
  readonly parentId: Uuid | undefined;
}

/**
 * @param kept what is to be read back with the record; everybody who may read the object can read it
 * @returns 22 characters of base64url, with something kept followed by "." and that
 */
export function sign(token: string, sealed: Signed, kept?: JsonObject): string {
  return bound(token, sealed, kept && Buffer.from(JSON.stringify(kept)).toString("base64url"));
}

/**
 * What was kept with a record.
 * @returns undefined unless this is a seal that we would make now: one made with a token that was rotated since is none
 */
export function verify(token: string, sealed: Signed, given = ""): { readonly kept: Json | undefined } | undefined {
  const at = given.indexOf(".");
  const kept = at < 0 ? undefined : given.slice(at + 1);
  if (!sameSignature(bound(token, sealed, kept), given)) return undefined;
  return { kept: kept === undefined ? undefined : parseJson(Buffer.from(kept, "base64url").toString()) };
}

function bound(token: string, { uid, id, parentId }: Signed, kept: string | undefined): string {
  const parts = ["seal", uid, id, parentId ?? null, ...(kept === undefined ? [] : [kept])];
  const proof = signature(token, parts);
  return kept === undefined ? proof : `${proof}.${kept}`;
}

/** @returns 22 characters of base64url that only somebody with the token can make of these parts */
export function signature(token: string, parts: readonly (string | null)[]): string {
  return createHmac("sha256", token).update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}

/** Compares two signatures without telling by the time that it takes where they differ. */
export function sameSignature(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
