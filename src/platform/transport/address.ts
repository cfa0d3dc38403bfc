/**
 * The rules for targets of requests: https, an allowed host, and no address inside the cluster
 * or the machine.
 */
import { isIP } from "node:net";

import { ApiError } from "./errors.ts";
import { inBlocks, isBlock, isPublic } from "./public.ts";

export interface AddressRules {
  /**
   * Host names (`api.example.com`, `*.example.com`), optionally with a port, addresses and CIDR blocks. If empty, every
   * public host is allowed.
   */
  readonly allowedHosts: readonly string[];
  /** Allows plain http, and addresses that are not public: for the demo and tests. */
  readonly allowInsecure: boolean;
}

const PREFIX = /^(?:\/[A-Za-z0-9._~-]+)*$/;

/**
 * Builds the filter of addresses that a connection may use, literal or from DNS. A block of `allowedHosts` allows its
 * addresses, so that a platform in a private network can be reached.
 */
export function addressFilter(rules: AddressRules): (address: string) => boolean {
  const isListed = inBlocks(rules.allowedHosts.filter(isBlock));
  return (address) => rules.allowInsecure || isPublic(address, isListed);
}

/**
 * Checks the URL of a connection.
 * @param baseUrl scheme, host and optional port, nothing else
 * @param pathPrefix "" or e.g. "/api/v1"
 * @returns the prefix of all request URLs, without a slash at the end
 * @throws ApiError "Refused"
 */
export function checkedBase(baseUrl: string, pathPrefix: string, rules: AddressRules): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : refuse("the base URL cannot be read");
  if (url.protocol !== "https:" && !(rules.allowInsecure && url.protocol === "http:"))
    refuse("the base URL is not https");
  if (url.username !== "" || url.password !== "") refuse("the base URL carries credentials");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
    refuse("the base URL has more than scheme, host and port");
  if (!PREFIX.test(pathPrefix) || /\/\.{1,2}(?:\/|$)/.test(pathPrefix)) refuse("the path prefix is not a plain path");
  checkHost(url, rules, "host", "connect");
  return `${url.origin}${pathPrefix}`;
}

/**
 * Checks the URL of the proxy of a connection by the rules for platforms, except that plain http is allowed. Without
 * this check anyone who can write a connection could make the operator connect to any address.
 * @throws ApiError "Refused" of the pseudo operation "connectProxy"
 */
export function checkProxy(url: string, rules: AddressRules): void {
  checkHost(
    URL.canParse(url) ? new URL(url) : refuse("the proxy's URL cannot be read", "connectProxy"),
    rules,
    "proxy",
    "connectProxy",
  );
}

/**
 * Reports whether a host is reached without the operator's proxy.
 * @param noProxy as in the variable NO_PROXY: host names (which include their subdomains), .suffixes, *.suffixes and
 * addresses, each with or without a port, CIDR blocks, or * for all
 */
export function bypassesProxy(baseUrl: string, noProxy: readonly string[]): boolean {
  const url = URL.parse(baseUrl);
  if (url === null) return false;
  const host = hostOf(url);
  return noProxy.some((entry) => {
    const suffix = `*.${entry.replace(/^(\*?\.)/, "")}`;
    return entry === "*" || matches(entry, host, url) || matches(suffix, host, url);
  });
}

function hostOf(url: URL): string {
  return url.hostname.replaceAll(/[[\]]/g, "").replace(/\.$/, "");
}

function checkHost(url: URL, rules: AddressRules, what: "host" | "proxy", operation: string): void {
  const host = hostOf(url);
  if (isIP(host) !== 0 && !addressFilter(rules)(host)) refuse(`the ${what} is not a public address`, operation);
  const listed = rules.allowedHosts.length === 0 || rules.allowedHosts.some((entry) => matches(entry, host, url));
  if (!listed) refuse(`the ${what} is not in the operator's list of allowed platform hosts`, operation);
}

/** An entry without a port allows every port. */
function matches(entry: string, host: string, { port, protocol }: URL): boolean {
  const wanted = entry.toLowerCase();
  const usual = protocol === "https:" ? "443" : "80";
  const names = [host, `${host}:${port === "" ? usual : port}`];
  if (wanted.startsWith("*.")) return names.some((name) => name.endsWith(wanted.slice(1)));
  if (isBlock(wanted)) return isIP(host) !== 0 && inBlocks([wanted])(host);
  return names.includes(wanted);
}

function refuse(message: string, operation = "connect"): never {
  throw new ApiError(operation, { is: "Refused" }, 0, message);
}
