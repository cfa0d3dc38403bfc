/**
 * Patterns for the schema of the chart's values. Where a pattern cannot express the rule of
 * src/config/validators.ts, it is wider and accepts everything that the operator does. Patterns have no flags
 * and no lookaround, as JSON Schema and Go's regular expressions have none.
 */
import { z } from "zod";

import { HOST, LOG_LEVELS, LOGGERS } from "../../src/config/validators.ts";

const { ipv4, ipv6, cidrv4 } = z.regexes;
const bare = ({ source }: RegExp): string => source.replaceAll(/^\^|\$$/g, "");
const BITS_OF_IPV6 = /(12[0-8]|1[01]\d|[1-9]?\d)/;

/** Host names, *.suffixes, addresses and blocks; IPv6 without embedded IPv4 addresses. */
export const PLATFORM_HOST_PATTERN = new RegExp(
  `^(${bare(HOST)}|${bare(cidrv4)}|${bare(ipv6)}(/${BITS_OF_IPV6.source})?)$`,
);

/** A name whose last label begins with a digit is parsed as an IPv4 address (URL Standard: "ends in a number"). */
const NAME = /([A-Za-z0-9_-]+\.)*[A-Za-z_][A-Za-z0-9_-]*\.?/;
const PORT = /(\d{1,4}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])/;
const AUTHORITY = `(${NAME.source}|${bare(ipv4)}|\\[${bare(ipv6)}\\])(:${PORT.source})?`;

/** http or https URLs without user, query and fragment. */
export const ENDPOINT_PATTERN = new RegExp(`^https?://${AUTHORITY}(/[^\\s?#]*)?$`);

/**
 * A level, levels of single parts, or both, e.g. "info,platform=debug": what parseLogLevels accepts, without spaces.
 */
export const LEVELS_PATTERN = ((): RegExp => {
  const level = `(${LOG_LEVELS.join("|")})`;
  const single = `(${LOGGERS.join("|")})=${level}`;
  return new RegExp(`^(${single},)*(${level}|${single})(,${single})*$`);
})();
