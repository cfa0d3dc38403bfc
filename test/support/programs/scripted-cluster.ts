/** An API server with scripted answers, and a user at the command line: for failures that a real one rarely has. */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { cli, type CliOptions } from "./cli.ts";
import { listen } from "./free-port.ts";

/**
 * Starts it. Watches stay open without an event.
 * @param answer returns the status of a failure, or the body of an answer
 */
export async function startScriptedCluster(answer: (method: string, url: URL) => number | JsonObject) {
  const arrived: string[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    const at = new URL(url, "http://cluster");
    response.setHeader("content-type", "application/json");
    if (at.searchParams.get("watch") === "true") {
      response.flushHeaders();
      return;
    }
    arrived.push(`${method} ${at.pathname}`);
    const given = answer(method, at);
    response.statusCode = typeof given === "number" ? given : 200;
    response.end(JSON.stringify(typeof given === "number" ? { kind: "Status", code: given } : given));
  });
  const port = await listen(server);
  const directory = await mkdtemp(join(tmpdir(), "scripted-cluster-"));
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, configFor(port));
  return {
    /** Method and path of all requests so far, in order, without watches. */
    arrived,
    /** Runs a command in the namespace "shop". */
    run: (argv: readonly string[], options?: CliOptions) =>
      cli([...argv, `--kubeconfig=${kubeconfig}`, "--namespace=shop"], options),
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      await rm(directory, { recursive: true });
    },
  };
}

function configFor(port: number): string {
  // client-node accepts plain HTTP only with this member.
  const cluster = { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user: { token: "token" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

/** Returns the body of a list. */
export function listBody(objects: readonly KubeObject[] = []): JsonObject {
  return {
    metadata: { resourceVersion: "10" },
    items: objects.map((object) => ({ ...object, metadata: { ...object.metadata } })),
  };
}
