import { once } from "node:events";
import { createServer } from "node:net";

/**
 * @returns a currently free port of loopback, for a server whose address is needed before it starts
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await once(server.close(), "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
