import { once } from "node:events";
import type { Server } from "node:net";

/** Makes a server listen on loopback. @param port 0, the default, takes a free one @returns the port */
export async function listen(server: Server, port = 0): Promise<number> {
  await once(server.listen(port, "127.0.0.1"), "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
