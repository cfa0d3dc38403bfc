/**
 * Validates namespaces, hosts and endpoints. Where a pattern cannot express the rule, a wider pattern serves the schema
 * of the chart's values; it accepts everything that the operator does. Patterns have no flags and no lookaround, as
 * JSON Schema and Go's regular expressions have none.
 */
import { isIP } from "node:net";

import { z } from "zod";

/** A DNS-1123 label. */
export const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

const HOST = /^(\*\.)?[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:\d{1,5})?$/;

const { ipv4, ipv6, cidrv4 } = z.regexes;
const bare = ({ source }: RegExp): string => source.replaceAll(/^\^|\$$/g, "");
const BITS_OF_IPV6 = /(12[0-8]|1[01]\d|[1-9]?\d)/;

/** Host names, *.suffixes, addresses and blocks; IPv6 without embedded IPv4 addresses. */
export const PLATFORM_HOST_PATTERN = new RegExp(
  `^(${bare(HOST)}|${bare(cidrv4)}|${bare(ipv6)}(/${BITS_OF_IPV6.source})?)$`,
);

/** @returns whether it is a host name, a *.suffix, an address or a CIDR block */
export function isPlatformHost(text: string): boolean {
  return isBlock(text) || HOST.test(text);
}

function isBlock(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const most = isIP(address) === 6 ? 128 : 32;
  return (
    isIP(address) !== 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
  );
}

/** A name whose last label begins with a digit is parsed as an IPv4 address (URL Standard: "ends in a number"). */
const NAME = /([A-Za-z0-9_-]+\.)*[A-Za-z_][A-Za-z0-9_-]*\.?/;
const PORT = /(\d{1,4}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])/;
const AUTHORITY = `(${NAME.source}|${bare(ipv4)}|\\[${bare(ipv6)}\\])(:${PORT.source})?`;

/** http or https URLs without user, query and fragment. */
export const ENDPOINT_PATTERN = new RegExp(`^https?://${AUTHORITY}(/[^\\s?#]*)?$`);

/** @returns whether it is an http or https URL without user, query and fragment */
export function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}
