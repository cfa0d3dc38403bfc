/**
 * Argo CD's own application controller and repository server, with Redis, as processes beside a real control plane. Its
 * settings are deploy/argocd/argocd-cm.yaml and nothing else.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { endpointOf, kubectl, tokenFor } from "../../control-plane/access.ts";
import type { ControlPlaneFacts } from "../../control-plane/control-plane.ts";
import { type ArgoCd, findArgoCd } from "../../tools/argocd.ts";
import { findDebianProgram } from "../../tools/debian.ts";
import { installCrds } from "../foreign-crds.ts";
import { freePort } from "../free-port.ts";
import { listening, type RunningProgram, startProgram } from "../programs.ts";

export const ARGOCD = "argocd";
const ROOT = join(import.meta.dirname, "../../..");

export interface RunningArgoCd {
  /** The end of what its controller said. */
  words(): string;
  stop(): Promise<void>;
}

/** @throws Error when a part is missing or does not start */
export async function startArgoCd(at: ControlPlaneFacts): Promise<RunningArgoCd> {
  const programs = await findArgoCd();
  await prepare(at, programs);
  const dir = await mkdtemp(join(tmpdir(), "argocd-"));
  const running: RunningProgram[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((program) => program.stop()));
    await rm(dir, { recursive: true, force: true });
  };
  try {
    const redis = await freePort();
    running.push(
      startProgram({
        file: await findDebianProgram("redis-server"),
        args: ["--port", `${redis}`, "--bind", "127.0.0.1", "--save", "", "--dir", dir],
      }),
    );
    const [server, controller] = await serve(at, programs, dir, redis);
    running.push(server, controller);
    return { words: () => controller.words(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function serve(at: ControlPlaneFacts, { repoServer, controller }: ArgoCd, dir: string, redis: number) {
  const [port, repoMetrics, metrics] = [await freePort(), await freePort(), await freePort()];
  const env = { HOME: dir, TMPDIR: dir, KUBECONFIG: at.kubeconfigPath, ARGOCD_GPG_ENABLED: "false" };
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
      // Looks often, heals at once, and shows the health of each resource in the Application.
      ...["--app-resync", "5", "--self-heal-timeout-seconds", "1", "--persist-resource-health"],
      ...["--loglevel", "warn"],
    ],
    env,
  });
  return [repository, controlling] as const;
}

/** What lies in the namespace of an Argo CD: its CRDs, its settings, its rights in the cluster that it deploys to. */
async function prepare(at: ControlPlaneFacts, { crds }: ArgoCd): Promise<void> {
  const apply = (objects: readonly object[]): Promise<string> =>
    kubectl(at, ["apply", "-f", "-"], { input: JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }) });
  await installCrds(at, crds);
  const account = { kind: "ServiceAccount", name: "argocd-manager", namespace: ARGOCD };
  const admin = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
  await apply([
    { apiVersion: "v1", kind: "Namespace", metadata: { name: ARGOCD } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account.name, namespace: ARGOCD } },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: account.name },
      roleRef: admin,
      subjects: [account],
    },
    ...["argocd-rbac-cm", "argocd-ssh-known-hosts-cm", "argocd-tls-certs-cm", "argocd-gpg-keys-cm"].map((name) =>
      settings("ConfigMap", name),
    ),
    { ...settings("Secret", "argocd-secret"), stringData: { "server.secretkey": "nobody-logs-in-here" } },
  ]);
  await kubectl(at, ["apply", "-f", join(ROOT, "deploy/argocd/argocd-cm.yaml")]);
  const { server, ca } = await endpointOf(at);
  const config = {
    bearerToken: await tokenFor(at, ARGOCD, account.name),
    tlsClientConfig: { caData: Buffer.from(ca).toString("base64") },
  };
  await apply([
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
