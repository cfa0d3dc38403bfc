/** Health checks, which the spec has in the platform's own spelling. Pure. */

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns what the platform shows of the members that the spec declares, in their order. A check that the spec lacks and
 * that the platform has differs.
 * @param isSent whether the declared value was sent: a member that the platform does not show counts as declared then
 */
export function shownAs(declared: Members, shown: Members, isSent: boolean): Members {
  const own = Object.entries(declared).map(([name, value]): [string, unknown] => {
    const there = shown[name] ?? undefined;
    if (there === undefined) return [name, isSent ? value : undefined];
    return [name, isMembers(value) && isMembers(there) ? shownAs(value, there, isSent) : there];
  });
  const others = Object.entries(shown).filter(([name, value]) => isMembers(value) && !Object.hasOwn(declared, name));
  return Object.fromEntries([...own, ...others]);
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
