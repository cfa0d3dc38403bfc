/** A code host with open pull requests, with the API that Argo CD's generator for GitHub uses. */
import { startScriptedServer } from "../kube/scripted-server.ts";

interface PullRequest {
  readonly number: number;
  readonly branch: string;
  readonly commit: string;
  readonly labels: readonly string[];
}

export type CodeHost = Awaited<ReturnType<typeof startCodeHost>>;

/** Starts it on loopback. */
export async function startCodeHost() {
  const server = await startScriptedServer();
  server.script((response) => {
    const isList = response.req.url?.startsWith("/api/v3/repos/acme/web/pulls?") === true;
    response.writeHead(isList ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isList ? host.open.map(shown) : {}));
  });
  const open: readonly PullRequest[] = [];
  const host = {
    url: `${server.url}/`,
    /** The open pull requests. */
    open,
    close: (): Promise<void> => server.stop(),
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
