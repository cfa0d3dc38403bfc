/**
 * Proof that an id in an annotation is our own record. Between the annotation and the first status of a new object a
 * crash leaves nothing else, and on the documented surface nothing can be looked up. Annotations can be written by
 * whoever may edit the object, so the record is sealed with the connection's token: who can read that can do as much
 * on the platform without us.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

import type { Uuid } from "./kind.ts";

/** What a seal binds together. */
export interface Sealed {
  /** The uid of the custom resource: a copied manifest carries somebody else's seal. */
  readonly uid: string;
  readonly id: Uuid;
  readonly parentId: Uuid | undefined;
}

/** @returns the seal, 22 characters of base64url */
export function seal(token: string, { uid, id, parentId }: Sealed): string {
  return createHmac("sha256", token)
    .update(JSON.stringify(["seal", uid, id, parentId ?? null]))
    .digest("base64url")
    .slice(0, 22);
}

/** Whether this is the seal that we would make now. One made with a token that was rotated since is none. */
export function isSealed(token: string, sealed: Sealed, given: string | undefined): boolean {
  const expected = Buffer.from(seal(token, sealed));
  const found = Buffer.from(given ?? "");
  return found.length === expected.length && timingSafeEqual(found, expected);
}
