/** Chooses the names of the resources. Pure. */

/** An object that needs a name, with its preferred names, which others may want as well. */
export interface Nameless {
  /** Id on the platform. */
  readonly id: string;
  /** Preferred names, the short one first, e.g. ["API", "staging API"]. */
  readonly wishes: readonly string[];
}

/** The longest name: that of a DNS label, so that it fits everywhere. */
const LONGEST = 63;
/** The part of an id that makes a name unique, in characters. */
const ID_PART = 8;

/** @returns the text as a DNS-1123 label of at most `longest` characters; empty when no character of it is allowed */
export function dnsLabel(text: string, longest = LONGEST): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const label = plain.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-+/, "");
  return label.slice(0, longest).replace(/-+$/, "");
}

/**
 * Gives each object the first of its preferred names that no other has.
 * @param taken names that are in use already
 * @returns names by id, all different
 */
export function namesFor(things: readonly Nameless[], taken: ReadonlySet<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const used = new Set(taken);
  const give = (id: string, name: string): void => {
    names.set(id, name);
    used.add(name);
  };
  const levels = Math.max(0, ...things.map(({ wishes }) => wishes.length));
  for (let level = 0; level < levels; level += 1) {
    const left = things.filter(({ id }) => !names.has(id));
    const wanted = Map.groupBy(left, ({ wishes }) => dnsLabel(wishes[level] ?? ""));
    for (const [label, [only, ...others]] of wanted) {
      if (label !== "" && only !== undefined && others.length === 0 && !used.has(label)) give(only.id, label);
    }
  }
  for (const { id, wishes } of things.filter((thing) => !names.has(thing.id))) {
    give(id, unused(dnsLabel(wishes[0] ?? "", LONGEST - ID_PART - 1), id, used));
  }
  return names;
}

/** Adds a part of the id to a name, or all of it where that is in use. */
function unused(label: string, id: string, used: ReadonlySet<string>): string {
  const short = [label === "" ? "id" : label, id.slice(0, ID_PART)].join("-");
  return used.has(short) ? `id-${id}` : short;
}
