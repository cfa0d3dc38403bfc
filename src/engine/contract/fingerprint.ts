/** What stands for secret values in memory. */
/**
 * What stands for secret values in memory: never a plain hash (they can be guessed). `digest` is keyed with the
 * connection's token, `key` tells which key that was, `sources` which versions of which objects were read.
 */
export type Fingerprint = {
  readonly key: string;
  readonly digest: string;
  readonly sources: string;
};

/**
 * Whether two fingerprints stand for the same content. Under one key the digests decide, so a Secret that was only
 * touched is no change; after a rotation of the token, under which digests cannot be compared, the sources decide.
 */
export function sameContent(left: Fingerprint | undefined, right: Fingerprint | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.key === right.key ? left.digest === right.digest : left.sources === right.sources;
}

/**
 * What to remember of content that was written: the fingerprint that stands for it now, while the content is the
 * same. Else a new token, under which only sources can be compared, would send everything again whose Secret was
 * touched since.
 */
export function refreshed<Known extends Fingerprint | undefined>(known: Known, now: Fingerprint): Known | Fingerprint {
  if (known === undefined || !sameContent(known, now)) return known;
  return known.key === now.key && known.sources === now.sources ? known : { ...now };
}
