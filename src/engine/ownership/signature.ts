/**
 * Signs the record of an id in an annotation. After a crash between the annotation and the first status of a new
 * object, only the annotation has the id, and the documented surface has no lookup. Anyone who may edit the object can
 * write annotations, so the record is signed with the connection's token: whoever can read the token can do the same on
 * the platform without the operator.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

import { parseJson } from "../../kube/api/json.ts";
import type { Json, JsonObject } from "../../kube/api/types.ts";
import type { Uuid } from "../contract/kind.ts";

/** What a signature covers. */
export interface Signed {
  /** The uid of the custom resource: a copied manifest carries the signature of another one. */
  readonly uid: string;
  readonly id: Uuid;
  readonly parentId: Uuid | undefined;
}

/**
 * Signs a record.
 * @param kept data to read back with the record; everyone who may read the object can read it
 * @returns 22 characters of base64url, followed by "." and the encoded `kept`, if any
 */
export function sign(token: string, sealed: Signed, kept?: JsonObject): string {
  return bound(token, sealed, kept && Buffer.from(JSON.stringify(kept)).toString("base64url"));
}

/**
 * Returns the data that was kept with a record.
 * @returns undefined if the signature is invalid, e.g. because the token has been rotated since
 */
export function verify(token: string, sealed: Signed, given = ""): { readonly kept: Json | undefined } | undefined {
  const at = given.indexOf(".");
  const kept = at < 0 ? undefined : given.slice(at + 1);
  if (!sameSignature(bound(token, sealed, kept), given)) return undefined;
  return { kept: kept === undefined ? undefined : parseJson(Buffer.from(kept, "base64url").toString()) };
}

function bound(token: string, { uid, id, parentId }: Signed, kept: string | undefined): string {
  const parts = ["seal", uid, id, parentId ?? null, ...(kept === undefined ? [] : [kept])];
  const proof = signatureOf(token, parts);
  return kept === undefined ? proof : `${proof}.${kept}`;
}

/** @returns 22 characters of base64url that only a holder of the token can make of these parts */
export function signatureOf(token: string, parts: readonly (string | null)[]): string {
  return createHmac("sha256", token).update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}

/** Compares two signatures in constant time. */
export function sameSignature(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
