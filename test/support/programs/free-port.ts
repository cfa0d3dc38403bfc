import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Makes a server listen on loopback. @param port 0, the default, takes a free one @returns the port */
export async function listen(server: Server, port = 0): Promise<number> {
  await once(server.listen(port, "127.0.0.1"), "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** @returns a currently free port of loopback, for a server whose address is needed before it starts */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await once(server.close(), "close");
  return port;
}
