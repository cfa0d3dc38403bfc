/** `cluster token` and `cluster kubeconfig`: sign in to a cluster of the platform with kubectl. */
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";

import type { ClusterToken } from "../../platform/areas/clusters.ts";
import { isUuidOfAnyCase } from "../../platform/codec/paths.ts";
import type { Access } from "../base/access.ts";
import type { Call, Entry } from "../base/command.ts";
import { CliError, UsageError } from "../base/exit.ts";
import type { Flags } from "../base/flags.ts";
import { readText } from "../base/io.ts";
import { printData } from "../base/render.ts";
import { apiCommand } from "./declare.ts";

/** The group of ExecCredential (Kubernetes: "client-go credential plugins"). */
const EXEC_GROUP = "client.authentication.k8s.io";
const READ_ONLY = {
  "read-only": {
    type: "switch",
    fallback: true,
    about: "request a read-only token; --read-only=false for one that can write",
  },
} as const satisfies Flags;

/** The id of this operation is a plain string in the spec, so a bare word is an id, not a name. */
const CLUSTER = { name: "cluster", about: "id of the cluster, or pcl/NAME of a PlatformCluster" } as const;

export const CLUSTER_ACCESS: readonly Entry[] = [
  apiCommand({
    name: "cluster token",
    about: "print a short-lived token of a cluster, as a credential plugin of kubectl",
    operations: ["getClusterToken"],
    formats: ["json", "yaml", "raw"],
    args: [CLUSTER],
    flags: READ_ONLY,
    details:
      "Prints an ExecCredential for kubectl's credential plugins; -o raw prints only the token. " +
      "The token is short-lived and is not stored.",
    run: async (call) => {
      const { id, access } = await clusterOf(call, call.args.cluster);
      const answer = await access.platform.clusters.token(id, { readOnly: call.flags["read-only"] });
      const { output } = call;
      if (output === "json" || output === "yaml") {
        await printData(call, output, execCredential(answer, (await shell()).execInfo));
      } else call.io.stdout.write(`${answer.status.token}\n`);
    },
  }),
  apiCommand({
    name: "cluster kubeconfig",
    about: "print a kubeconfig for a cluster, without a token",
    operations: [],
    args: [CLUSTER],
    flags: {
      server: { type: "text", value: "URL", required: true, about: "address of the cluster's API server" },
      "ca-file": {
        type: "text",
        value: "FILE",
        about: "certificate authority of the API server, in PEM; defaults to the system's",
      },
      name: { type: "text", value: "NAME", about: "name of the context; defaults to the cluster's id" },
      ...READ_ONLY,
    },
    details:
      "Prints a kubeconfig without a token: kubectl fetches one whenever it needs one. The platform does " +
      "not show the address and the certificate authority of a cluster, so pass them as flags.",
    run: async (call) => {
      const { server, "ca-file": caFile, name } = call.flags;
      if (!server.startsWith("https://") || !URL.canParse(server)) {
        throw new UsageError("--server takes a URL that begins with https://: kubectl sends tokens nowhere else.");
      }
      const { id, access } = await clusterOf(call, call.args.cluster);
      const authority = caFile === undefined ? {} : { "certificate-authority-data": await readAuthority(call, caFile) };
      const title = name ?? id;
      await printData(call, "yaml", {
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: title, cluster: { server, ...authority } }],
        users: [{ name: title, user: { exec: await execOf(call, id, access) } }],
        contexts: [{ name: title, context: { cluster: title, user: title } }],
        "current-context": title,
      });
    },
  }),
];

/**
 * Builds the ExecCredential from the platform's answer, in the version that kubectl requests, as kubectl accepts no
 * other; without such a request in the answer's version, else in v1.
 */
function execCredential(answer: ClusterToken, execInfo: string | undefined): object {
  const answered = answer.apiVersion?.startsWith(`${EXEC_GROUP}/`) === true ? answer.apiVersion : `${EXEC_GROUP}/v1`;
  const { token, expirationTimestamp } = answer.status;
  return {
    apiVersion: requestedVersion(execInfo) ?? answered,
    kind: "ExecCredential",
    spec: answer.spec ?? {},
    status: { token, ...(expirationTimestamp === undefined ? {} : { expirationTimestamp }) },
  };
}

/** Returns the version that kubectl requests in $KUBERNETES_EXEC_INFO. */
function requestedVersion(execInfo: string | undefined): string | undefined {
  const [, version] = /"apiVersion"\s*:\s*"(client\.authentication\.k8s\.io\/v1(?:beta1)?)"/.exec(execInfo ?? "") ?? [];
  return version;
}

async function clusterOf(call: Call, text: string): Promise<{ readonly id: string; readonly access: Access }> {
  if (text.includes("/") || isUuidOfAnyCase(text)) return call.target(text, ["PlatformCluster"]);
  return { id: text, access: await call.access() };
}

/**
 * Returns the command that kubectl runs. It names the current connection, context and kubeconfig: kubectl passes its
 * own $KUBECONFIG to a plugin, which may be the file that is printed here.
 */
async function execOf(call: Call<unknown, { readonly "read-only": boolean }>, id: string, { connection }: Access) {
  const { client, namespace } = await call.cluster();
  const { kubeconfig, ...given } = call.shared;
  const hosts = given["allowed-platform-hosts"];
  const { name, namespace: home = namespace } = connection.metadata;
  return {
    apiVersion: `${EXEC_GROUP}/v1`,
    command: call.program === "kubectl platform" ? "kubectl-platform" : call.program,
    args: [
      "cluster",
      "token",
      id,
      `--read-only=${String(call.flags["read-only"])}`,
      `--connection=${connection.kind}/${name}`,
      `--namespace=${home}`,
      `--context=${client.context}`,
      ...(kubeconfig === undefined ? [] : [`--kubeconfig=${resolve(kubeconfig)}`]),
      ...(connection.metadata.namespace === undefined ? [`--operator-namespace=${given["operator-namespace"]}`] : []),
      ...(hosts === undefined ? [] : [`--allowed-platform-hosts=${hosts}`]),
      ...(given["allow-insecure-platform"] ? ["--allow-insecure-platform"] : []),
    ],
    ...(kubeconfig === undefined ? { env: [{ name: "KUBECONFIG", value: await userKubeconfig() }] } : {}),
    interactiveMode: "Never",
    provideClusterInfo: false,
    installHint: "kubectl-platform is not on PATH; it comes with platform-operator.",
  };
}

async function userKubeconfig(): Promise<string> {
  const given = (await shell()).kubeconfig ?? "";
  const files = given.split(delimiter).filter((file) => file !== "");
  if (files.length === 0) return join(homedir(), ".kube", "config");
  return files.map((file) => resolve(file)).join(delimiter);
}

/** Returns kubectl's environment variables. The module is loaded on demand, as it has the operator's configuration. */
async function shell() {
  const { loadShell } = await import("../../config/config.ts");
  return loadShell();
}

async function readAuthority(call: Call, file: string): Promise<string> {
  const pem = await readText(call.io, file);
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) {
    throw new CliError(`${file} contains no certificate. It must be a certificate authority in PEM.`);
  }
  return Buffer.from(pem).toString("base64");
}
