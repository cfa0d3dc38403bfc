/**
 * Runs the container of a real Pod as a process, with the command line, environment and ServiceAccount that the API
 * server has. Replaces only the paths of the program and the credentials, and the addresses of its servers.
 */
import { dirname } from "node:path";

import { z } from "zod";

import { NODE, PROGRAM, TOKEN_FOLDER } from "../../scripts/image.ts";
import { kubeconfigFor, kubectl } from "../control-plane/access.ts";
import type { ControlPlaneFacts } from "../control-plane/control-plane.ts";
import { comes } from "../support/env/cluster.ts";
import type { ExactCommand } from "../support/env/operator.ts";
import type { Ended } from "../support/programs/cli.ts";
import { runToEnd } from "../support/programs/programs.ts";

const Variable = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z.object({ fieldRef: z.object({ fieldPath: z.string() }) }).optional(),
});
/** The part of a Pod (v1) that defines its process. */
export const Pod = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  spec: z.object({
    serviceAccountName: z.string(),
    containers: z.tuple([
      z.object({
        image: z.string(),
        command: z.array(z.string()),
        args: z.array(z.string()),
        env: z.array(Variable).default([]),
      }),
    ]),
  }),
});
export type Pod = z.infer<typeof Pod>;

const Pods = z.object({ items: z.array(Pod) });

/** @returns the Pods that match a selector */
export async function podsOf(at: ControlPlaneFacts, namespace: string, selector: string): Promise<readonly Pod[]> {
  const text = await kubectl(at, ["get", "pods", "-n", namespace, "-l", selector, "-o", "json"]);
  return Pods.parse(JSON.parse(text)).items;
}

/**
 * @param old a Pod that has to be gone
 * @returns the only Pod of a release's Deployment. @throws Error when there is not exactly one within a minute
 */
export async function onlyPodOf(at: ControlPlaneFacts, release: string, namespace: string, old?: Pod): Promise<Pod> {
  const selector = `app.kubernetes.io/name=platform-operator,app.kubernetes.io/instance=${release}`;
  const pod = await comes(async () => {
    const pods = await podsOf(at, namespace, selector);
    return pods.length === 1 && pods[0]?.metadata.name !== old?.metadata.name ? pods[0] : undefined;
  }, 60_000);
  if (pod === undefined) throw new Error("the release does not have exactly one Pod");
  return pod;
}

/**
 * @param program the bundle that replaces the image's
 * @returns the command for this machine, with a token of the Pod's ServiceAccount
 */
export async function commandOf(at: ControlPlaneFacts, pod: Pod, program: string): Promise<ExactCommand> {
  const { metadata, spec } = pod;
  const [{ command, args, env }] = spec.containers;
  const kubeconfig = await kubeconfigFor(at, metadata.namespace, spec.serviceAccountName);
  const [node, ...rest] = command.map((part) =>
    part.replace(PROGRAM, program).replace(TOKEN_FOLDER, dirname(kubeconfig)),
  );
  if (node !== NODE || rest.at(-1) !== program) throw new Error(`the image cannot run ${command.join(" ")}`);
  return {
    flags: rest.slice(0, -1),
    program,
    args: [...args.map(onLoopback), `--kubeconfig=${kubeconfig}`],
    env: Object.fromEntries(env.map(({ name, value, valueFrom }) => [name, value ?? fieldOf(pod, valueFrom)])),
  };
}

/**
 * Waits for a Pod that runs to completion, such as that of `helm test`, and runs it like a kubelet: runs its command, and
 * writes its phase. @throws Error when it does not appear
 */
export async function runPodNamed(
  at: ControlPlaneFacts,
  namespace: string,
  name: string,
  program: string,
): Promise<Ended> {
  const running = ["get", "pods", "-n", namespace, "-o", "json", "--field-selector", "status.phase=Running"];
  const pod = await comes(async () => {
    const { items } = Pods.parse(JSON.parse(await kubectl(at, running)));
    return items.find(({ metadata }) => metadata.name === name);
  }, 30_000);
  if (pod === undefined) throw new Error(`there is no running Pod ${name}`);
  const { flags, args, env } = await commandOf(at, pod, program);
  const ended = await runToEnd(process.execPath, [...flags, program, ...args], {
    env: { PATH: process.env["PATH"], ...env },
  });
  const patch = JSON.stringify({ status: { phase: ended.code === 0 ? "Succeeded" : "Failed" } });
  await kubectl(at, ["patch", "pod", name, "-n", namespace, "--subresource=status", "--type=merge", "-p", patch]);
  return ended;
}

/** Replaces a port, which may be in use on this machine, by a free one. */
function onLoopback(arg: string): string {
  return arg.replace(/^(--[a-z-]+-bind-address=)(?:127\.0\.0\.1)?:\d+$/, "$1127.0.0.1:0");
}

function fieldOf({ metadata }: Pod, from: z.infer<typeof Variable>["valueFrom"]): string {
  const path = from?.fieldRef.fieldPath;
  if (path === "metadata.name") return metadata.name;
  if (path === "metadata.namespace") return metadata.namespace;
  throw new Error(`no support for a variable from ${path ?? "nothing"}`);
}
