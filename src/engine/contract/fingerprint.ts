/** What represents secret values in the status, and whether two of them are the same content. */
/**
 * Represents secret values in the status. Never a plain hash, which can be guessed: `digest` is keyed with the key of
 * the installation, `key` says which key that was, `sources` which versions of which objects were read.
 */
export type Fingerprint = {
  readonly key: string;
  readonly digest: string;
  readonly sources: string;
};

/**
 * Reports whether two fingerprints represent the same content. Under one key the digests decide, so a Secret that was
 * only touched is no change. Digests of two keys cannot be compared: after the loss of the installation's key, and in
 * another installation, the sources decide.
 */
export function sameContent(left: Fingerprint | undefined, right: Fingerprint | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.key === right.key ? left.digest === right.digest : left.sources === right.sources;
}

/**
 * Reports whether the content is known to differ because its sources changed. With the same sources, another version of
 * the operator made the known fingerprint.
 */
export function isChangedAtSource(known: Fingerprint | undefined, now: Fingerprint): boolean {
  return known !== undefined && known.key === now.key && known.digest !== now.digest && known.sources !== now.sources;
}

/**
 * Returns the fingerprint to remember of content that was written: the known one, or, after the loss of the key, the
 * current one while the content is the same, so that later values are compared by their digests again.
 */
export function refreshed<Known extends Fingerprint | undefined>(known: Known, now: Fingerprint): Known | Fingerprint {
  return known === undefined || known.key === now.key || !sameContent(known, now) ? known : { ...now };
}
