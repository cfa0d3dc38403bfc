import { execFile } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { parse } from "yaml";
import { z } from "zod";

import type { ControlPlaneFacts } from "./control-plane.ts";

const run = promisify(execFile);

/** The admin's kubeconfig. */
const Kubeconfig = z.object({
  clusters: z.tuple([z.object({ cluster: z.looseObject({ "certificate-authority-data": z.string() }) })]),
  users: z.tuple([z.object({ user: z.unknown() })]),
});

export interface KubectlOptions {
  /** Given on standard input, for `apply -f -`. */
  readonly input?: string;
}

/**
 * Runs kubectl and gives back its standard output. Throws when it ends with an error, with its words in the message
 * (no arguments with secrets, please: they are in it too).
 */
export async function kubectl(at: ControlPlaneFacts, args: readonly string[], more: KubectlOptions = {}) {
  const running = run(at.kubectlPath, ["--kubeconfig", at.kubeconfigPath, ...args], {
    // Nothing of the user's own configuration, and the cache of discovery dies with the control plane.
    env: { PATH: process.env["PATH"], HOME: at.dir },
    maxBuffer: 64 * 1024 * 1024,
  });
  running.child.stdin?.on("error", () => {}).end(more.input ?? "");
  return (await running).stdout;
}

/** Applies objects as the cluster's admin. */
export async function applyAll(at: ControlPlaneFacts, items: readonly unknown[]): Promise<void> {
  await kubectl(at, ["apply", "-f", "-"], { input: JSON.stringify({ apiVersion: "v1", kind: "List", items }) });
}

/** A token of an existing ServiceAccount, by the TokenRequest API. */
export async function tokenFor(at: ControlPlaneFacts, namespace: string, serviceAccount: string): Promise<string> {
  return (await kubectl(at, ["create", "token", serviceAccount, "-n", namespace, "--duration=24h"])).trim();
}

/** `kubeconfigOf` a new token of an existing ServiceAccount. */
export async function kubeconfigFor(at: ControlPlaneFacts, namespace: string, serviceAccount: string): Promise<string> {
  return kubeconfigOf(at, namespace, await tokenFor(at, namespace, serviceAccount));
}

/** Where an API server is reached: its URL and the authority of its certificate, PEM. */
export interface Endpoint {
  readonly server: string;
  readonly ca: string;
}

/** Where the control plane itself is reached. */
export async function endpointOf(at: ControlPlaneFacts): Promise<Endpoint> {
  const { cluster } = (await adminOf(at)).clusters[0];
  return { server: at.server, ca: Buffer.from(cluster["certificate-authority-data"], "base64").toString() };
}

async function adminOf({ kubeconfigPath }: ControlPlaneFacts): Promise<z.infer<typeof Kubeconfig>> {
  return Kubeconfig.parse(parse(await readFile(kubeconfigPath, "utf8")));
}

/**
 * Writes a kubeconfig with a token and gives back its path. It lies in the control plane's folder, readable by this
 * user alone, and goes with it. `through` is another way to the same API server.
 */
export async function kubeconfigOf(
  at: ControlPlaneFacts,
  namespace: string,
  token: string,
  through?: Endpoint,
): Promise<string> {
  const { server, ca } = through ?? (await endpointOf(at));
  const cluster = { server, "certificate-authority-data": Buffer.from(ca).toString("base64") };
  const path = join(await mkdtemp(join(at.dir, "kubeconfig-")), "kubeconfig");
  const text = kubeconfigText({ "service-account": { cluster, user: { token }, namespace } });
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

interface Context {
  readonly cluster: unknown;
  readonly user: unknown;
  readonly namespace?: string;
}

/** A kubeconfig with these contexts, the first of which is the current one. */
export function kubeconfigText(contexts: Readonly<Record<string, Context>>): string {
  const all = Object.entries(contexts);
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: all.map(([name, { cluster }]) => ({ name, cluster })),
    users: all.map(([name, { user }]) => ({ name, user })),
    contexts: all.map(([name, { namespace }]) => ({ name, context: { cluster: name, user: name, namespace } })),
    "current-context": all[0]?.[0],
  });
}

/**
 * Writes a kubeconfig with a context for the admin of each cluster, the first of which is the current one.
 * @param clusters the control planes by the names of their contexts
 */
export async function writeContexts(
  path: string,
  clusters: Readonly<Record<string, ControlPlaneFacts>>,
): Promise<void> {
  const contexts = Object.entries(clusters).map(async ([name, at]) => {
    const admin = await adminOf(at);
    return [name, { ...admin.clusters[0], ...admin.users[0] }] as const;
  });
  await writeFile(path, kubeconfigText(Object.fromEntries(await Promise.all(contexts))), { mode: 0o600 });
}
