/**
 * A world of its own for one run: a namespace, a simulated platform, and the operator as a child process of the real
 * build under its own ServiceAccount, whose every call goes through a tap that can fail it or kill the operator there.
 *
 *     await using bed = await openBed({ surface: "full" });
 *     await bed.apply(...defaults(bed), ...tree(bed, "shop"));
 *     bed.interceptor = crashAt(bed, { what: "platform createProject shop", nth: 1, phase: "after" });
 *     await bed.revive();                       // waits for the crash, then starts the operator again
 *     await bed.waitFor("PlatformApplication", "shop", { status: "True" });
 *
 * The operator's times are scaled down as on a stage (FAST). It runs without a lease unless `args` say otherwise, as
 * that of a killed one would have to run out first. The end of a bed throws where the API server refused the operator
 * anything.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";

import { expect, inject } from "vitest";

import type { Surface } from "../../simulator/base/operations.ts";
import type { Speed } from "../../simulator/base/time.ts";
import { startSimulator, type Simulator } from "../../simulator/simulator.ts";
import type { Windows } from "../../src/engine/contract/windows.ts";
import { createKubeClient, type ConnectedClient } from "../../src/kube/api/client.ts";
import { systemClock } from "../../src/kube/api/clock.ts";
import { isKube } from "../../src/kube/api/errors.ts";
import { DEADLINES_VARIABLE, WINDOWS_VARIABLE } from "../../src/operator/config/config.ts";
import type { Deadlines } from "../../src/platform/client/caller.ts";
import { endpointOf, kubeconfigOf } from "../control-plane/access.ts";
import type { ControlPlaneFacts } from "../control-plane/control-plane.ts";
import { type Cluster, cluster } from "../support/env/cluster.ts";
import { FAST } from "../support/env/env.ts";
import { type LogLine, type RunningOperator, startOperator } from "../support/env/operator.ts";
import { grantRights, withdrawRights } from "../support/env/rights.ts";
import { certificate } from "../support/kube/tls.ts";
import { exposures } from "./exposures.ts";
import { createRefusals } from "./refusals.ts";
import { type Call, createSequence, type Interceptor } from "./tap/call.ts";
import { kubeName, platformName } from "./tap/names.ts";
import { openTap } from "./tap/tap.ts";

/** How often what is settled is looked at: a run is over when nothing came of three looks. */
export const POLL_MS = 500;

export interface ChaosEnvOptions {
  readonly surface: Surface;
  /** How fast the platform works; 100 unless told. */
  readonly speed?: Speed;
  /** Whether the platform refuses a name that a sibling has; it does unless told. */
  readonly uniqueNames?: boolean;
  /** Engine times that differ from FAST, in milliseconds. */
  readonly windows?: Partial<Windows>;
  readonly deadlines?: Partial<Deadlines>;
  /** Further flags of the operator. */
  readonly args?: readonly string[];
  /** Of the test's own, where it does something to the control plane itself; the shared one unless told. */
  readonly controlPlane?: ControlPlaneFacts;
  /** Decides from the first call on; lets everything pass when left out. */
  readonly interceptor?: Interceptor;
  /** Whether 403 is no violation for a call: an API server that starts has not read its roles yet. */
  readonly mayBeRefused?: (call: Call) => boolean;
}

/** What a person was asked about. */
export interface Unknown {
  readonly kind: string;
  readonly name: string;
  /** What shall be done once more; undefined where the question was what a create has come to. */
  readonly order: "deploy" | "stop" | undefined;
}

export interface ChaosEnv extends Cluster, AsyncDisposable {
  readonly namespace: string;
  readonly operatorNamespace: string;
  /** Its url is the tap's. */
  readonly platform: Simulator;
  /** All calls of the operator so far, of both sides, those that were not forwarded included. */
  readonly calls: readonly Call[];
  /** Decides about calls from now on; lets everything pass at first. */
  interceptor: Interceptor;
  /** The process that was started last. */
  readonly operator: RunningOperator;
  /** All that the operator logged in all its lives. */
  logs(): readonly LogLine[];
  start(): Promise<void>;
  /** Another process beside the first, as a second replica. */
  startAnother(): Promise<RunningOperator>;
  /** SIGKILL, unless it is dead already. */
  kill(): Promise<void>;
  /**
   * Waits until the operator was killed by a tap, then starts it again. Ends without it when the signal comes before.
   * @throws Error after 30 s
   */
  revive(signal?: AbortSignal): Promise<void>;
  /** What the operator said of that nobody can know what became of a request, and what a test then answered. */
  readonly unknowns: Unknown[];
  /** Of the cluster's admin. */
  readonly client: ConnectedClient;
}

/** @returns a bed with a running operator. */
export async function openChaosEnv(options: ChaosEnvOptions): Promise<ChaosEnv> {
  const facts = options.controlPlane ?? inject("controlPlane");
  const id = randomUUID().slice(0, 8);
  const namespace = `bed-${id}`;
  const operatorNamespace = `operator-${id}`;
  const sequence = createSequence();
  const refusals = createRefusals(options.mayBeRefused);
  const client = createKubeClient({
    config: { from: "file", path: facts.kubeconfigPath },
    userAgent: "bed",
    clock: systemClock(),
  });
  for (const name of [namespace, operatorNamespace]) {
    await client.request({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
  }
  const token = await grantRights(client, operatorNamespace);
  const simulator = await startSimulator({ surface: options.surface, speed: options.speed ?? 100 });
  simulator.sim.settings.uniqueNames = options.uniqueNames ?? true;
  const operators: RunningOperator[] = [];
  const last = (): RunningOperator => operators.at(-1) ?? missing();
  const tapped = {
    sequence,
    interceptor: (): Interceptor => refusals.noting(env.interceptor),
    pids: () => operators.map(({ pid }) => pid),
    crash: () => {
      process.kill(last().pid, "SIGKILL");
    },
  };
  const { server, ca } = await endpointOf(facts);
  const kube = await openTap({ ...tapped, side: "kube", target: { url: server, ca }, name: kubeName });
  const platform = await openTap({
    ...tapped,
    side: "platform",
    target: { url: simulator.url },
    name: platformName(() => simulator),
  });
  const kubeconfig = await kubeconfigOf(facts, operatorNamespace, token, { server: kube.url, ca: certificate });

  const launch = async (): Promise<RunningOperator> => {
    const started = await startOperator({
      program: inject("program"),
      kubeconfig,
      args: [
        `--watch-namespaces=${namespace}`,
        `--operator-namespace=${operatorNamespace}`,
        "--allow-insecure-platform",
        "--allowed-platform-hosts=127.0.0.1",
        "--log-level=trace",
        ...(options.args ?? ["--leader-elect=false"]),
      ],
      env: {
        [WINDOWS_VARIABLE]: JSON.stringify({ ...FAST, pollMs: POLL_MS, ...options.windows }),
        [DEADLINES_VARIABLE]: JSON.stringify(options.deadlines ?? {}),
        NODE_COMPILE_CACHE: join(facts.dir, "compile-cache"),
      },
    });
    operators.push(started);
    return started;
  };
  const start = async (): Promise<void> => void (await launch());
  const revive: ChaosEnv["revive"] = async (signal = AbortSignal.timeout(30_000)) => {
    const { promise: given, resolve } = Promise.withResolvers<"up">();
    signal.addEventListener("abort", () => {
      resolve("up");
    });
    if ((await Promise.race([last().exited, given])) !== "up") await start();
    else if (signal.reason instanceof Error && signal.reason.name === "TimeoutError") throw signal.reason;
  };

  const env: ChaosEnv = {
    ...cluster(() => client, namespace),
    namespace,
    operatorNamespace,
    platform: { ...simulator, url: platform.url },
    client,
    calls: sequence.calls,
    unknowns: [],
    interceptor: options.interceptor ?? {},
    get operator() {
      return last();
    },
    logs: () => operators.flatMap((one) => one.logs()),
    start,
    startAnother: launch,
    kill: async () => {
      await last().kill();
    },
    revive,
    [Symbol.asyncDispose]: async () => {
      // A stopped process takes no other signal.
      await Promise.all(operators.map((one) => one.kill()));
      await Promise.all([kube.close(), platform.close(), simulator.close()]);
      await withdrawRights(client, operatorNamespace);
      for (const name of [namespace, operatorNamespace]) {
        const gone = client.request({ method: "DELETE", path: `/api/v1/namespaces/${name}` });
        // A test may have deleted it.
        await gone.catch((error: unknown) => {
          if (!isKube(error, "NotFound")) throw error;
        });
      }
      await client.close();
      refusals.expectNone();
      const tokens = [...Object.values(simulator.tokens), ...simulator.sim.auth.tokens().map(({ value }) => value)];
      expect(exposures(env, tokens), "tokens that were told").toEqual([]);
    },
  };
  await start();
  return env;
}

function missing(): never {
  throw new Error("the bed has no operator yet");
}
