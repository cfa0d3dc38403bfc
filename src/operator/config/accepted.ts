/**
 * What the operator takes for a namespace, a host, an endpoint. Where that is more than a pattern can say, there is one
 * beside it for the schema of the chart's values: it lets nothing through that the operator refuses. Patterns have no
 * flags and no lookaround, as JSON Schema and the regular expressions of Go have none.
 */
import { isIP } from "node:net";

import { z } from "zod";

/** A DNS-1123 label. */
export const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

const HOST = /^(\*\.)?[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:\d{1,5})?$/;

const { ipv4, ipv6, cidrv4 } = z.regexes;
const bare = ({ source }: RegExp): string => source.replaceAll(/^\^|\$$/g, "");
const BITS_OF_IPV6 = /(12[0-8]|1[01]\d|[1-9]?\d)/;

/** Host names, *.suffixes, addresses and blocks; of IPv6 those without an address of IPv4 in them. */
export const PLATFORM_HOST_PATTERN = new RegExp(
  `^(${bare(HOST)}|${bare(cidrv4)}|${bare(ipv6)}(/${BITS_OF_IPV6.source})?)$`,
);

/** @returns whether it is a host name, a *.suffix, an address or a CIDR block. */
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

/** A name whose last part begins with a digit is read as an address of IPv4 (URL Standard: "ends in a number"). */
const NAME = /([A-Za-z0-9_-]+\.)*[A-Za-z_][A-Za-z0-9_-]*\.?/;
const PORT = /(\d{1,4}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])/;
const AUTHORITY = `(${NAME.source}|${bare(ipv4)}|\\[${bare(ipv6)}\\])(:${PORT.source})?`;

/** URLs by http or https without user, query and fragment. */
export const ENDPOINT_PATTERN = new RegExp(`^https?://${AUTHORITY}(/[^\\s?#]*)?$`);

/** @returns whether it is a URL by http or https without user, query and fragment. */
export function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}
