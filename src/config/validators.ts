/** Validates namespaces, hosts and proxies. */
import { isIP } from "node:net";

/** A DNS-1123 label. */
export const NAMESPACE_PATTERN = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** A host name or a *.suffix. */
export const HOST = /^(\*\.)?[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:\d{1,5})?$/;

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

/** A proxy as a flag or a variable of the environment names it. */
export interface ProxyAddress {
  /** Scheme, host and port. */
  readonly url: string;
  /** "user:password", decoded. */
  readonly credentials: string | undefined;
}

/**
 * Parses the URL of a proxy; a text without a scheme is http, as curl reads it.
 * @returns the proxy, or the problem; the problem does not quote the text, which may contain a password
 */
export function parseProxy(text: string): ProxyAddress | { readonly problem: string } {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  const problem =
    "must be the http or https URL of a proxy, e.g. http://proxy.example.com:3128, optionally with user:password@";
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") return { problem };
  if (url.pathname !== "/") return { problem };
  const parts = [url.username, url.password].map(decoded);
  if (parts.includes(undefined)) return { problem: `${problem}, where a % in the password is written %25` };
  return { url: url.origin, credentials: url.username === "" ? undefined : parts.join(":") };
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** @returns whether it is an entry of NO_PROXY: a host name, a .suffix, a *.suffix, an address, a CIDR block or * */
export function isBypass(text: string): boolean {
  return text === "*" || isPlatformHost(text.replace(/^\./, "*."));
}
