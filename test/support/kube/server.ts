import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A server on loopback with scripted answers, for answers that a real API server never sends. */
export interface KubeServer {
  /** A kubeconfig for it, with the token "first". */
  readonly kubeconfigPath: string;
  /** The number of connections that were opened. */
  connections(): number;
  /** Rewrites the kubeconfig with another token. */
  setToken(token: string): Promise<void>;
  stop(): Promise<void>;
}

/** @param handle answers each request. */
export async function kubeServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<KubeServer> {
  const server = createServer({ keepAliveTimeout: 60_000 }, handle);
  let connections = 0;
  server.on("connection", () => (connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const dir = await mkdtemp(join(tmpdir(), "kube-server-"));
  const kubeconfigPath = join(dir, "kubeconfig");
  const setToken = (token: string): Promise<void> => writeFile(kubeconfigPath, kubeconfig(port, token));
  await setToken("first");
  return {
    kubeconfigPath,
    connections: () => connections,
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
