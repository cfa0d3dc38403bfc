/** An API server with scripted answers, and a user at the command line: for failures that a real one rarely has. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

import type { JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { kubeconfigText } from "../../control-plane/access.ts";
import { startScriptedServer } from "../kube/scripted-server.ts";
import { cli, type CliOptions } from "./cli.ts";

/**
 * Starts it until the test ends. Watches stay open without an event.
 * @param answer returns the status of a failure, or the body of an answer
 */
export async function startScriptedCluster(answer: (method: string, url: URL) => number | JsonObject | KubeObject) {
  const arrived: string[] = [];
  const server = await startScriptedServer();
  server.script((response) => {
    const { method = "", url = "" } = response.req;
    const at = new URL(url, server.url);
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
  const directory = await mkdtemp(join(tmpdir(), "scripted-cluster-"));
  const kubeconfig = join(directory, "kubeconfig");
  // client-node accepts plain HTTP only with this member.
  const cluster = { server: server.url, "insecure-skip-tls-verify": true };
  await writeFile(kubeconfig, kubeconfigText({ x: { cluster, user: { token: "token" } } }));
  onTestFinished(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });
  return {
    /** Method and path of all requests so far, in order, without watches. */
    arrived,
    /** Runs a command in the namespace "shop". */
    run: (argv: readonly string[], options?: CliOptions) =>
      cli([...argv, `--kubeconfig=${kubeconfig}`, "--namespace=shop"], options),
  };
}

export function listBody(objects: readonly KubeObject[] = []): JsonObject {
  return {
    metadata: { resourceVersion: "10" },
    items: objects.map((object) => ({ ...object, metadata: { ...object.metadata } })),
  };
}
