const DECIMAL = /^(0|[1-9]\d*)$/;

/**
 * Compares two resource versions of one resource type as decimal numbers of any length (KEP-5504).
 * @returns negative when `a` is older, 0 when equal, positive when newer; undefined when they cannot be compared.
 */
export function compareVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Reports whether `a` is certainly older than `b`. */
export function isOlder(a: string, b: string): boolean {
  const order = compareVersions(a, b);
  return order !== undefined && order < 0;
}
