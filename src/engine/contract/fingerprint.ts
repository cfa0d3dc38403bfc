/** What stands for secret values in memory. */
/**
 * Represents secret values in memory. Never a plain hash, which can be guessed: `digest` is keyed with the connection's
 * token, `key` says which key that was, `sources` which versions of which objects were read.
 */
export type Fingerprint = {
  readonly key: string;
  readonly digest: string;
  readonly sources: string;
};

/**
 * Reports whether two fingerprints represent the same content. Under one key the digests decide, so a Secret that was
 * only touched is no change. After a rotation of the token digests cannot be compared, and the sources decide.
 */
export function sameContent(left: Fingerprint | undefined, right: Fingerprint | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.key === right.key ? left.digest === right.digest : left.sources === right.sources;
}

/**
 * Returns the fingerprint to remember of content that was written: the current one, while the content is the same.
 * Otherwise, after a rotation of the token, content would be sent again whose Secret was touched since.
 */
export function refreshed<Known extends Fingerprint | undefined>(known: Known, now: Fingerprint): Known | Fingerprint {
  if (known === undefined || !sameContent(known, now)) return known;
  return known.key === now.key && known.sources === now.sources ? known : { ...now };
}
