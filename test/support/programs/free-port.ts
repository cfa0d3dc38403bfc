import { once } from "node:events";
import { createServer } from "node:net";

import { listen } from "./listen.ts";

/**
 * @returns a currently free port of loopback, for a server whose address is needed before it starts
 */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await once(server.close(), "close");
  return port;
}
