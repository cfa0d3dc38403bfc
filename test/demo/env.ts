/** The demo's environment: control plane, simulated platform, operator. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { startSimulator } from "../../simulator/simulator.ts";
import { kubeconfigFor, kubectl } from "../control-plane/access.ts";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { quickstart } from "../support/env/manifests.ts";
import { freePort } from "../support/programs/free-port.ts";
import type { DemoOptions } from "./options.ts";
import { installPlugin } from "./plugin.ts";
import { superviseOperator } from "./supervisor.ts";
import { startView } from "./view.ts";

const root = join(import.meta.dirname, "../..");
const OPERATOR = "platform-operator";

export type Env = Awaited<ReturnType<typeof startEnv>>;

export interface EnvOptions extends Pick<DemoOptions, "speed" | "surface"> {
  readonly say: (line: string) => void;
  /** Registers a function that has to be called at the end, the last one first. */
  readonly atEnd: (close: () => Promise<void>) => void;
  readonly signal: AbortSignal;
}

/**
 * Starts everything and applies the quickstart. Registers each part with `atEnd` at once, in case a later one fails.
 * @throws Error when something does not start, or the signal's reason when it fires
 */
export async function startEnv({ speed, surface, say, atEnd, signal }: EnvOptions) {
  const starting = startControlPlane({ crdsDir: join(root, "crds"), auditLog: false, progress: say });
  // A build of the binaries takes minutes; it ends with this process.
  const aborted = once(signal, "abort").then(() => Promise.reject(signal.reason));
  const controlPlane = await Promise.race([starting, aborted]);
  atEnd(() => controlPlane.stop());
  say(`control plane: kube-apiserver and etcd, ${controlPlane.server}`);

  const simulator = await startSimulator({ surface, speed });
  atEnd(() => simulator.close());
  say(`platform: simulated, ${simulator.url}, surface ${surface}, speed ${speed}`);
  say(`platform: control endpoint ${simulator.controlUrl}`);
  // For connections of one's own: they open nothing but this platform.
  const named = Object.entries(simulator.tokens).map(([name, token]) => `${name} ${token}`);
  say(`platform: organization ${simulator.organizationId}, tokens: ${named.join(", ")}`);

  await kubectl(controlPlane, ["apply", "-f", join(root, "deploy/rbac")]);
  const kubeconfig = await kubeconfigFor(controlPlane, OPERATOR, OPERATOR);
  signal.throwIfAborted();
  const logFile = join(controlPlane.dir, "operator.log");
  const page = `127.0.0.1:${await freePort()}`;
  const receiver = `127.0.0.1:${await freePort()}`;
  const args = [
    "--allow-insecure-platform",
    `--allowed-platform-hosts=${new URL(simulator.url).hostname}`,
    `--status-page-bind-address=${page}`,
    `--webhook-bind-address=${receiver}`,
    `--webhook-url=http://${receiver}`,
  ];
  const operator = await superviseOperator({ kubeconfig, logFile, args }, say);
  atEnd(() => operator.stop());
  say(`operator: ServiceAccount ${OPERATOR}/${OPERATOR}`);
  say(`operator: log ${logFile}`);
  const statusPage = `http://${page}`;
  say(`operator: status page ${statusPage}`);

  const view = await startView(controlPlane.kubeconfigPath, signal);
  atEnd(() => view.stop());
  signal.throwIfAborted();
  const { url: baseUrl, organizationId, clusterIds, tokens } = simulator;
  const input = quickstart({ baseUrl, organizationId, clusterId: clusterIds[0] ?? "", token: tokens.admin });
  await kubectl(controlPlane, ["apply", "-f", "-"], { input });
  say("quickstart: examples/quickstart is applied");
  return {
    controlPlane,
    simulator,
    view,
    pluginDir: await installPlugin(controlPlane.dir),
    /** The URL of the operator's status page, which a restart keeps. */
    statusPage,
  };
}

/** @returns the last warnings and errors in the operator's log */
export async function operatorWarnings({ dir }: ControlPlane, most: number): Promise<readonly string[]> {
  const log = await readFile(join(dir, "operator.log"), "utf8").catch(() => "");
  return log
    .split("\n")
    .filter((line) => line !== "" && !/"level":"(?:debug|info)"/.test(line))
    .slice(-most);
}
