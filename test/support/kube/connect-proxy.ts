import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";

import { listen } from "../programs/free-port.ts";

export type ConnectProxy = Awaited<ReturnType<typeof connectProxy>>;

/**
 * Starts a forward proxy on loopback that only opens tunnels (CONNECT).
 * @param target the port on loopback to which every tunnel leads, whatever its requested target
 */
export async function connectProxy(target: number) {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  let credentials: string | undefined;
  let status = 200;
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
  });
  server.on("connect", (request, near) => {
    asked.push(request.url ?? "");
    const wanted = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
    if (wanted !== undefined && request.headers["proxy-authorization"] !== wanted) {
      near.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="proxy"\r\n\r\n');
      return;
    }
    if (status !== 200) {
      near.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const far = connect(target, "127.0.0.1", () => {
      near.write("HTTP/1.1 200 Connection established\r\n\r\n");
      near.pipe(far).pipe(near);
    });
    far.on("error", () => near.destroy()).on("close", () => near.destroy());
    near.on("error", () => far.destroy()).on("close", () => far.destroy());
  });
  const port = await listen(server.unref());
  return {
    url: `http://127.0.0.1:${port}`,
    /** The requested targets in order, e.g. "platform.example.com:443". */
    asked,
    open: () => sockets.size,
    /** Requires credentials from now on, as "user:password"; none if absent. */
    protect: (wanted?: string): void => {
      credentials = wanted;
    },
    /** Answers each request for a tunnel with this status from now on. */
    refuse: (wanted: number): void => {
      status = wanted;
    },
    stop: async () => {
      if (!server.listening) return;
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
