/**
 * The key of the installation (docs/project/architecture.md §7): 32 random bytes in the Secret platform-operator-key of the
 * operator's namespace. It keys the fingerprints of values in the status, the signatures of records and of the entries of
 * the orphan ledger, and what proves a delivery to the receiver. Users of the cluster may edit all of these; only the operator can read the key.
 */
import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from "node:crypto";

/** What the key is used for. Equal parts under two purposes have different codes. */
export type KeyPurpose = "fingerprint" | "record" | "orphan" | "receiver-path" | "receiver-secret";

export interface InstallationKey {
  /** Tells keys apart without revealing them: 8 characters of base64url. */
  readonly id: string;
  /**
   * Whether the Secret holds the key. A key that only this process has signs nothing that is stored: no later process
   * could verify it.
   */
  readonly isStored: boolean;
  /** Returns 22 characters of base64url (HMAC-SHA256, 132 bits) that only a holder of the key can make of these parts. */
  readonly code: (purpose: KeyPurpose, parts: readonly unknown[]) => string;
}

/** The length of a key in bytes. */
export const KEY_BYTES = 32;

/** Returns the key with these bytes. @param bytes KEY_BYTES or more */
export function installationKey(bytes: Uint8Array, isStored = true): InstallationKey {
  const secret = createSecretKey(bytes);
  const code = (purpose: string, parts: readonly unknown[]): string =>
    createHmac("sha256", secret)
      .update(JSON.stringify([purpose, ...parts]))
      .digest("base64url")
      .slice(0, 22);
  return { id: code("id", []).slice(0, 8), isStored, code };
}

/** Returns a key that ends with the process, for an installation whose Secret cannot be read. */
export function temporaryKey(): InstallationKey {
  return installationKey(randomBytes(KEY_BYTES), false);
}

/** Compares two codes in constant time. */
export function sameCode(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
