/**
 * Runs Argo CD's application controller and repository server, with Redis, as processes on a real control plane. Its
 * only settings are those of deploy/argocd/argocd-cm.yaml.
 */
import { symlink } from "node:fs/promises";
import { join } from "node:path";

import { afterAll } from "vitest";

import { applyAll, endpointOf, kubectl, tokenFor } from "../../control-plane/access.ts";
import type { ControlPlaneFacts } from "../../control-plane/control-plane.ts";
import { freePort } from "../../support/programs/free-port.ts";
import { listening, type RunningProgram, startProgram } from "../../support/programs/programs.ts";
import { type ArgoCd, findArgoCd } from "../../tools/argocd.ts";
import { findDebianProgram } from "../../tools/debian.ts";
import { findGoTool } from "../../tools/go-tools.ts";
import { newFolder } from "../folder.ts";
import { installCrds } from "../foreign-crds.ts";

export const ARGOCD = "argocd";
const ROOT = join(import.meta.dirname, "../../..");

/**
 * Starts Argo CD until the tests of the file end.
 * @param options applicationSets: also start the controller of ApplicationSets, and give helm to the repository server
 * @throws Error when a part is missing or does not start
 */
export async function startArgoCd(at: ControlPlaneFacts, { applicationSets = false } = {}): Promise<void> {
  const programs = await findArgoCd();
  await prepare(at, programs);
  const dir = await newFolder("argocd");
  const running: RunningProgram[] = [];
  afterAll(() => Promise.all(running.map((program) => program.stop())));
  const redis = await freePort();
  running.push(
    startProgram({
      file: await findDebianProgram("redis-server"),
      args: ["--port", `${redis}`, "--bind", "127.0.0.1", "--save", "", "--dir", dir],
    }),
  );
  // The repository server finds helm on its PATH.
  if (applicationSets) await symlink(await findGoTool("helm"), join(dir, "helm"));
  const { repository, port, controller } = await serve(at, programs, dir, redis);
  running.push(repository, controller);
  if (applicationSets) running.push(await serveSets(at, programs, dir, port));
}

async function serve(at: ControlPlaneFacts, { repoServer, controller }: ArgoCd, dir: string, redis: number) {
  const [port, repoMetrics, metrics] = [await freePort(), await freePort(), await freePort()];
  const PATH = `${dir}:${process.env["PATH"] ?? ""}`;
  const env = { PATH, HOME: dir, TMPDIR: dir, KUBECONFIG: at.kubeconfigPath, ARGOCD_GPG_ENABLED: "false" };
  const repository = startProgram({
    file: repoServer,
    args: [
      ...["--redis", `127.0.0.1:${redis}`, "--address", "127.0.0.1", "--port", `${port}`, "--disable-tls"],
      ...["--metrics-address", "127.0.0.1", "--metrics-port", `${repoMetrics}`, "--loglevel", "warn"],
    ],
    env,
  });
  await listening(repository, port);
  const controlling = startProgram({
    file: controller,
    args: [
      ...["--kubeconfig", at.kubeconfigPath, "--namespace", ARGOCD, "--redis", `127.0.0.1:${redis}`],
      ...["--repo-server", `127.0.0.1:${port}`, "--repo-server-plaintext", "--metrics-port", `${metrics}`],
      // Refreshes often, heals at once, and reports the health of each resource in the Application.
      ...["--app-resync", "5", "--app-resync-jitter", "0", "--self-heal-timeout-seconds", "1"],
      ...["--persist-resource-health", "--loglevel", "warn"],
    ],
    env,
  });
  return { repository, port, controller: controlling };
}

async function serveSets(at: ControlPlaneFacts, { command }: ArgoCd, dir: string, repoServer: number) {
  const file = join(dir, "argocd-applicationset-controller");
  await symlink(command, file);
  return startProgram({
    file,
    args: [
      ...["--kubeconfig", at.kubeconfigPath, "--namespace", ARGOCD, "--loglevel", "warn"],
      ...["--argocd-repo-server", `127.0.0.1:${repoServer}`, "--repo-server-plaintext"],
      // Nothing connects to its servers. Any other free port could be taken by another program before it listens.
      ...["--metrics-addr", "127.0.0.1:0", "--probe-addr", "127.0.0.1:0", "--webhook-addr", "127.0.0.1:0"],
    ],
    env: { HOME: dir, TMPDIR: dir, KUBECONFIG: at.kubeconfigPath },
  });
}

/** Creates Argo CD's CRDs, its settings, and its rights in the cluster that it deploys to. */
async function prepare(at: ControlPlaneFacts, { crds }: ArgoCd): Promise<void> {
  await installCrds(at, crds);
  const account = "argocd-manager";
  const ofAccount = `--serviceaccount=${ARGOCD}:${account}`;
  await kubectl(at, ["create", "namespace", ARGOCD]);
  await kubectl(at, ["create", "serviceaccount", account, "-n", ARGOCD]);
  await kubectl(at, ["create", "clusterrolebinding", account, "--clusterrole=cluster-admin", ofAccount]);
  await applyAll(at, [
    ...["argocd-rbac-cm", "argocd-ssh-known-hosts-cm", "argocd-tls-certs-cm", "argocd-gpg-keys-cm"].map((name) =>
      settings("ConfigMap", name),
    ),
    { ...settings("Secret", "argocd-secret"), stringData: { "server.secretkey": "nobody-logs-in-here" } },
    // Exists before the controller of ApplicationSets starts: if its cache has no token, it retries after three minutes.
    { ...settings("Secret", "github-token"), stringData: { token: "unused" } },
  ]);
  await kubectl(at, ["apply", "-f", join(ROOT, "deploy/argocd/argocd-cm.yaml")]);
  const { server, ca } = await endpointOf(at);
  const config = {
    bearerToken: await tokenFor(at, ARGOCD, account),
    tlsClientConfig: { caData: Buffer.from(ca).toString("base64") },
  };
  await applyAll(at, [
    {
      ...settings("Secret", "cluster", { "argocd.argoproj.io/secret-type": "cluster" }),
      stringData: { name: "test", server, config: JSON.stringify(config) },
    },
    {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "AppProject",
      metadata: { name: "default", namespace: ARGOCD },
      spec: {
        sourceRepos: ["*"],
        destinations: [{ server: "*", namespace: "*" }],
        clusterResourceWhitelist: [{ group: "*", kind: "*" }],
      },
    },
  ]);
}

function settings(kind: string, name: string, labels: Readonly<Record<string, string>> = {}) {
  const all = { "app.kubernetes.io/part-of": "argocd", "app.kubernetes.io/name": name, ...labels };
  return { apiVersion: "v1", kind, metadata: { name, namespace: ARGOCD, labels: all } };
}
