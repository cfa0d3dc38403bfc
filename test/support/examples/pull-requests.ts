/** A code host with open pull requests, with the API that Argo CD's generator for GitHub uses. */
import { once } from "node:events";
import { createServer } from "node:http";

import { listen } from "../programs/free-port.ts";

interface PullRequest {
  readonly number: number;
  readonly branch: string;
  readonly commit: string;
  readonly labels: readonly string[];
}

export type CodeHost = Awaited<ReturnType<typeof startCodeHost>>;

/** Starts it on loopback. */
export async function startCodeHost() {
  const server = createServer((request, response) => {
    const isList = request.url?.startsWith("/api/v3/repos/acme/web/pulls?") === true;
    response.writeHead(isList ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isList ? host.open.map(shown) : {}));
  });
  const port = await listen(server);
  const open: readonly PullRequest[] = [];
  const host = {
    url: `http://127.0.0.1:${port}/`,
    /** The open pull requests. */
    open,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
  return host;
}

/** Returns a pull request as in GitHub's API ("List pull requests"), with the members that the generator reads. */
function shown({ number, branch, commit, labels }: PullRequest): object {
  return {
    number,
    title: `Change ${String(number)}`,
    user: { login: "somebody" },
    head: { ref: branch, sha: commit },
    base: { ref: "main" },
    labels: labels.map((name) => ({ name })),
  };
}
