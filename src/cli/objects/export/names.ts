/** Names of Kubernetes objects made of names of the platform. Pure. */

/** What needs a name: by preference the first of these, which others may want as well. */
export interface Nameless {
  /** Id on the platform. */
  readonly id: string;
  /** Names of the platform, the short one first, e.g. ["API", "staging API"]. */
  readonly wishes: readonly string[];
}

/** Longest name: that of a DNS label, so that it fits wherever a name is used. */
const LONGEST = 63;
/** How much of an id makes a name unique, in characters. */
const ID_PART = 8;

/** @returns the text as a DNS-1123 label, at most `longest` characters; empty when nothing of it can be used. */
export function dnsLabel(text: string, longest = LONGEST): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const label = plain.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-+/, "");
  return label.slice(0, longest).replace(/-+$/, "");
}

/**
 * Names each by the first of its wishes that nobody else has, so that things of one name are told apart in the same
 * way.
 * @param taken names that are in use already
 * @returns names by id, all different
 */
export function namesFor(things: readonly Nameless[], taken: ReadonlySet<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const used = new Set(taken);
  const levels = Math.max(0, ...things.map(({ wishes }) => wishes.length));
  for (let level = 0; level < levels; level += 1) {
    const left = things.filter(({ id }) => !names.has(id));
    const wanted = Map.groupBy(left, ({ wishes }) => dnsLabel(wishes[level] ?? ""));
    for (const [label, [only, ...others]] of wanted) {
      if (label === "" || only === undefined || others.length > 0 || used.has(label)) continue;
      names.set(only.id, label);
      used.add(label);
    }
  }
  for (const { id, wishes } of things.filter((thing) => !names.has(thing.id))) {
    const name = unused(dnsLabel(wishes[0] ?? "", LONGEST - ID_PART - 1), id, used);
    names.set(id, name);
    used.add(name);
  }
  return names;
}

/** Told apart by a part of the id, by all of it where that is in use. */
function unused(label: string, id: string, used: ReadonlySet<string>): string {
  const short = [label === "" ? "id" : label, id.slice(0, ID_PART)].join("-");
  return used.has(short) ? `id-${id}` : short;
}
