/**
 * The environment of one run: a namespace, a simulated platform, and the operator as a child process of the real build
 * under its own ServiceAccount. Every call of the operator goes through a tap that can fail it or kill the operator.
 *
 *     await using env = await openChaosEnv({ surface: "full" });
 *     await env.apply(...defaults(env), ...tree(env, "shop"));
 *     env.interceptor = { decide };             // may return { do: "crash", phase: "after" }
 *     await env.restartAfterCrash();
 *     await env.waitFor("PlatformApplication", "shop", { status: "True" });
 *
 * The operator's times are scaled down (FAST). It runs without a lease by default, as a killed operator's lease would
 * have to expire first. Disposal throws if the API server answered the operator with 403.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";

import { expect, inject } from "vitest";

import type { Surface } from "../../simulator/base/operations.ts";
import type { Speed } from "../../simulator/base/time.ts";
import { startSimulator, type Simulator } from "../../simulator/simulator.ts";
import type { Windows } from "../../src/engine/contract/windows.ts";
import type { ConnectedClient } from "../../src/kube/api/client.ts";
import { isKube } from "../../src/kube/api/errors.ts";
import { DEADLINES_VARIABLE, WINDOWS_VARIABLE } from "../../src/operator/config/config.ts";
import type { Deadlines } from "../../src/platform/client/caller.ts";
import { endpointOf, kubeconfigOf } from "../control-plane/access.ts";
import type { ControlPlaneFacts } from "../control-plane/control-plane.ts";
import { type Cluster, cluster, clientAt, createNamespace } from "../support/env/cluster.ts";
import { FAST } from "../support/env/env.ts";
import { type LogLine, type RunningOperator, startOperator } from "../support/env/operator.ts";
import { grantRights, withdrawRights } from "../support/env/rights.ts";
import { certificate } from "../support/kube/tls.ts";
import { exposures } from "./exposures.ts";
import { createRefusals } from "./refusals.ts";
import { type Call, createSequence, type Interceptor } from "./tap/call.ts";
import { kubeName, platformName } from "./tap/names.ts";
import { openTap } from "./tap/tap.ts";

/** The poll interval of settled objects. A run is over when three polls change nothing. */
export const POLL_MS = 500;

export interface ChaosEnvOptions {
  readonly surface: Surface;
  /** The platform's speed; 100 by default. */
  readonly speed?: Speed;
  /** Whether the platform refuses a sibling's name; true by default. */
  readonly uniqueNames?: boolean;
  /** Engine times that differ from FAST, in milliseconds. */
  readonly windows?: Partial<Windows>;
  readonly deadlines?: Partial<Deadlines>;
  /** Further namespaces that it watches, by suffix: "b" is `${env.namespace}-b`. */
  readonly more?: readonly string[];
  /** Further flags of the operator. */
  readonly args?: readonly string[];
  /** The test's own control plane if it changes it; the shared one by default. */
  readonly controlPlane?: ControlPlaneFacts;
  /** Used from the first call on; forwards everything by default. */
  readonly interceptor?: Interceptor;
  /** Reports whether 403 is allowed: an API server that starts has not loaded its roles yet. */
  readonly mayBeRefused?: (call: Call) => boolean;
}

/** An action of the user on an object with an unknown result. */
export interface UserAction {
  readonly kind: string;
  readonly name: string;
  /** The action to repeat; undefined if the user resolved a create. */
  readonly repeats: "deploy" | "stop" | undefined;
}

export interface ChaosEnv extends Cluster, AsyncDisposable {
  readonly namespace: string;
  readonly operatorNamespace: string;
  /** The platform; its URL is the tap's. */
  readonly platform: Simulator;
  /** All calls of the operator to both servers so far, including those that were not forwarded. */
  readonly calls: readonly Call[];
  interceptor: Interceptor;
  /** The process that was started last. */
  readonly operator: RunningOperator;
  /** The logs of all processes of the operator. */
  logs(): readonly LogLine[];
  start(): Promise<void>;
  /** Starts a further process, with other flags than `args` if given. */
  startAnother(args?: readonly string[]): Promise<RunningOperator>;
  /** A further namespace by its suffix in `ChaosEnvOptions.more`. */
  at(suffix: string): Cluster & { readonly namespace: string };
  /** Sends SIGKILL unless the process has ended. */
  kill(): Promise<void>;
  /**
   * Waits until a tap kills the operator, then starts it again. Returns without it if the signal aborts first.
   * @throws Error after 30 s without a signal
   */
  restartAfterCrash(signal?: AbortSignal): Promise<void>;
  /** What the test did as the user about unknown results. */
  readonly userActions: UserAction[];
  /** A client with the cluster admin's rights. */
  readonly client: ConnectedClient;
}

/** Returns an environment with a running operator. */
export async function openChaosEnv(options: ChaosEnvOptions): Promise<ChaosEnv> {
  const facts = options.controlPlane ?? inject("controlPlane");
  const id = randomUUID().slice(0, 8);
  const namespace = `env-${id}`;
  const operatorNamespace = `operator-${id}`;
  const watched = [namespace, ...(options.more ?? []).map((suffix) => `${namespace}-${suffix}`)];
  const sequence = createSequence();
  const refusals = createRefusals(options.mayBeRefused);
  const client = clientAt(facts.kubeconfigPath, "chaos-test");
  for (const name of [...watched, operatorNamespace]) {
    await createNamespace(client, name);
  }
  const token = await grantRights(client, operatorNamespace);
  const simulator = await startSimulator({ surface: options.surface, speed: options.speed ?? 100 });
  simulator.sim.settings.uniqueNames = options.uniqueNames ?? true;
  const operators: RunningOperator[] = [];
  const last = (): RunningOperator => operators.at(-1) ?? missing();
  const tapped = {
    sequence,
    interceptor: (): Interceptor => refusals.recording(env.interceptor),
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

  const launch = async (args = options.args ?? ["--leader-elect=false"]): Promise<RunningOperator> => {
    const started = await startOperator({
      program: inject("program"),
      kubeconfig,
      args: [
        `--watch-namespaces=${watched.join(",")}`,
        `--operator-namespace=${operatorNamespace}`,
        "--allow-insecure-platform",
        "--allowed-platform-hosts=127.0.0.1",
        "--log-level=trace",
        ...args,
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
  const restartAfterCrash: ChaosEnv["restartAfterCrash"] = async (signal = AbortSignal.timeout(30_000)) => {
    const { promise: aborted, resolve } = Promise.withResolvers<"aborted">();
    signal.addEventListener("abort", () => {
      resolve("aborted");
    });
    if ((await Promise.race([last().exited, aborted])) !== "aborted") await start();
    else if (signal.reason instanceof Error && signal.reason.name === "TimeoutError") throw signal.reason;
  };

  const env: ChaosEnv = {
    ...cluster(() => client, namespace),
    namespace,
    operatorNamespace,
    platform: { ...simulator, url: platform.url },
    client,
    calls: sequence.calls,
    userActions: [],
    interceptor: options.interceptor ?? {},
    get operator() {
      return last();
    },
    logs: () => operators.flatMap((operator) => operator.logs()),
    start,
    startAnother: launch,
    at: (suffix) => ({ ...cluster(() => client, `${namespace}-${suffix}`), namespace: `${namespace}-${suffix}` }),
    kill: async () => {
      await last().kill();
    },
    restartAfterCrash,
    [Symbol.asyncDispose]: async () => {
      // SIGKILL, as a process that is stopped handles no other signal.
      await Promise.all(operators.map((operator) => operator.kill()));
      await Promise.all([kube.close(), platform.close(), simulator.close()]);
      await withdrawRights(client, operatorNamespace);
      for (const name of [...watched, operatorNamespace]) {
        const deletion = client.request({ method: "DELETE", path: `/api/v1/namespaces/${name}` });
        // A test may have deleted it.
        await deletion.catch((error: unknown) => {
          if (!isKube(error, "NotFound")) throw error;
        });
      }
      await client.close();
      refusals.expectNone();
      const tokens = [...Object.values(simulator.tokens), ...simulator.sim.auth.tokens().map(({ value }) => value)];
      expect(exposures(env, tokens), "exposed tokens").toEqual([]);
    },
  };
  await start();
  return env;
}

function missing(): never {
  throw new Error("the environment has no operator yet");
}
