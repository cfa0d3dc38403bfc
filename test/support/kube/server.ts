import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { listen } from "../programs/free-port.ts";

export type KubeServer = Awaited<ReturnType<typeof kubeServer>>;

/** Starts a server on loopback, for answers that a real API server never sends. @param handle answers each request */
export async function kubeServer(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer({ keepAliveTimeout: 60_000 }, handle);
  let connections = 0;
  server.on("connection", () => (connections += 1));
  const port = await listen(server);
  const dir = await mkdtemp(join(tmpdir(), "kube-server-"));
  const kubeconfigPath = join(dir, "kubeconfig");
  const setToken = (token: string): Promise<void> => writeFile(kubeconfigPath, kubeconfig(port, token));
  await setToken("first");
  return {
    /** A kubeconfig for it, with the token "first". */
    kubeconfigPath,
    /** The number of connections that were opened. */
    connections: () => connections,
    /** Rewrites the kubeconfig with another token. */
    setToken,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function kubeconfig(port: number, token: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    // client-node accepts plain HTTP only with this member.
    clusters: [
      { name: "c", cluster: { server: `http://127.0.0.1:${String(port)}/base`, "insecure-skip-tls-verify": true } },
    ],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace: "here" } }],
    "current-context": "x",
  });
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
