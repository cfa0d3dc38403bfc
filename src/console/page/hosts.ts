/** The names under which the page answers. */
import { isIP } from "node:net";

/**
 * A site that somebody visits can lead its own name to loopback and then read what answers there, as to the browser it
 * is the same site (DNS rebinding). It cannot do so under a name that it does not own: addresses, localhost, Services.
 * @param host the header Host. @returns whether to answer
 */
export function isOwnHost(host: string | undefined): boolean {
  const name = (host ?? "").toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  const address = /^\[(.*)\]$/.exec(name)?.[1] ?? name;
  return isIP(address) !== 0 || name === "localhost" || /[^.]\.(localhost|svc|svc\.cluster\.local)$/.test(name);
}
