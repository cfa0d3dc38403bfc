/**
 * Which addresses are public: those of the IANA special-purpose registries that are not globally reachable are not, nor
 * those beyond the global unicast space of IPv6 (https://www.iana.org/assignments/iana-ipv4-special-registry,
 * …/iana-ipv6-special-registry, …/ipv6-address-space).
 */
import { BlockList, isIP } from "node:net";

const SPECIAL = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private use
  "100.64.0.0/10", // shared address space
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // in no registry: Azure's agent on each of its machines
  "169.254.0.0/16", // link-local, and the metadata of clouds
  "172.16.0.0/12", // private use
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private use
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
  "::/3", // loopback, unspecified, local translation (64:ff9b:1::/48), discard (100::/64), dummy (100:0:0:1::/64)
  "2001::/23", // protocol assignments, of which no server has an address
  "2001:db8::/32", // documentation
  "3fff::/20", // documentation
  "4000::/2", // segment routing (5f00::/16)
  "8000::/1", // unique-local (fc00::/7), link-local (fe80::/10), site-local (fec0::/10), multicast (ff00::/8)
] as const;

/** The IPv6 addresses that stand for an IPv4 address, and how they hold it: its first group, and whether inverted. */
const EMBEDDING: readonly (readonly [block: string, ...held: (readonly [group: number, inverted?: boolean])[]])[] = [
  ["::/96", [6]], // IPv4-compatible (RFC 4291 §2.5.5.1)
  ["::ffff:0:0/96", [6]], // IPv4-mapped (RFC 4291 §2.5.5.2)
  ["::ffff:0:0:0/96", [6]], // IPv4-translated, of SIIT (RFC 2765 §2.1)
  ["64:ff9b::/96", [6]], // NAT64 and DNS64 (RFC 6052 §2.1)
  ["2002::/16", [1]], // 6to4 (RFC 3056 §2)
  ["2001::/32", [2], [6, true]], // Teredo: its server and its client (RFC 4380 §4)
];

const CIDR = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i;

/** Reports whether an entry is an address or a CIDR block. */
export function isBlock(entry: string): boolean {
  return isIP(CIDR.exec(entry)?.[1] ?? "") !== 0;
}

/** Returns a function that reports whether an address is in one of the blocks. An address alone is a block. */
export function inBlocks(blocks: readonly string[]): (address: string) => boolean {
  // Apart, as Node takes an IPv4 address for a part of ::/3.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const block of blocks) {
    const [, address = "", bits] = CIDR.exec(block) ?? [];
    const family = familyOf(address);
    lists[family].addSubnet(address, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  return (address) => lists[familyOf(address)].check(address, familyOf(address));
}

const isSpecial = inBlocks(SPECIAL);
const embedding = EMBEDDING.map(([block, ...held]) => ({ isOf: inBlocks([block]), held }));

/**
 * Reports whether an address is public or in one of the blocks that are allowed besides. An IPv6 address that stands
 * for an IPv4 address counts as the IPv4 address: a name in a network with NAT64 has such an address for each IPv4
 * address.
 */
export function isPublic(address: string, isAllowed: (address: string) => boolean = () => false): boolean {
  if (isAllowed(address)) return true;
  const embedded = embeddedIn(address);
  return embedded.length > 0 ? embedded.every((inner) => isPublic(inner, isAllowed)) : !isSpecial(address);
}

/** Returns the IPv4 addresses that an IPv6 address stands for; none for any other. */
function embeddedIn(address: string): readonly string[] {
  if (isIP(address) !== 6) return [];
  const { held = [] } = embedding.find(({ isOf }) => isOf(address)) ?? {};
  const groups = groupsOf(address);
  return held.map(([first, inverted = false]) =>
    [groups[first] ?? 0, groups[first + 1] ?? 0]
      .map((group) => (inverted ? group ^ 0xffff : group))
      .flatMap((group) => [group >> 8, group & 0xff])
      .join("."),
  );
}

/** Returns the eight groups of an IPv6 address, which may have a zone. */
function groupsOf(address: string): readonly number[] {
  // A URL has the address in its one form (RFC 5952): groups in hexadecimal, the longest run of zeros left out.
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, "")}]`);
  const [before = [], after = []] = hostname
    .slice(1, -1)
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
