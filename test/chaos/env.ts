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
import { expect } from "vitest";

import type { Surface } from "../../simulator/base/operations.ts";
import type { Speed } from "../../simulator/base/time.ts";
import { startSimulator } from "../../simulator/simulator.ts";
import { isKube } from "../../src/kube/api/errors.ts";
import { endpointOf } from "../control-plane/access.ts";
import type { RunningOperator } from "../support/env/operator.ts";
import { withdrawRights } from "../support/env/rights.ts";
import { createStage, type StageOptions } from "../support/env/stage.ts";
import { certificate } from "../support/kube/tls.ts";
import { exposures } from "./exposures.ts";
import { createRefusals } from "./refusals.ts";
import { type Call, createSequence, type Interceptor } from "./tap/call.ts";
import { kubeName, platformName } from "./tap/names.ts";
import { openTap } from "./tap/tap.ts";

/** The poll interval of settled objects. A run is over when three polls change nothing. */
export const POLL_MS = 500;

export interface ChaosEnvOptions extends StageOptions {
  readonly surface: Surface;
  /** The platform's speed; 100 by default. */
  readonly speed?: Speed;
  /** Whether the platform refuses a sibling's name; true by default. */
  readonly uniqueNames?: boolean;
  /** Used from the first call on; forwards everything by default. */
  readonly interceptor?: Interceptor;
  /** The loopback port through which the operator reaches the API server itself instead of the tap. */
  readonly untapped?: number;
  /** The tap offers HTTP/1.1 alone; by default watches use HTTP/2. */
  readonly isHttp1?: boolean;
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

export type ChaosEnv = Awaited<ReturnType<typeof openChaosEnv>>;

/** Returns an environment with a running operator. */
export async function openChaosEnv(options: ChaosEnvOptions) {
  const stage = createStage("env", { ...options, windows: { pollMs: POLL_MS, ...options.windows } });
  const { namespace, operatorNamespace, client } = stage;
  const sequence = createSequence();
  const refusals = createRefusals(options.mayBeRefused);
  const operators: RunningOperator[] = [];
  let launched: Promise<RunningOperator> | undefined;
  const last = (): RunningOperator => operators.at(-1) ?? missing();
  const tapped = {
    sequence,
    interceptor: (): Interceptor => refusals.recording(env.interceptor),
    pids: () => operators.map(({ pid }) => pid),
    crash: () => {
      process.kill(last().pid, "SIGKILL");
    },
  };
  const { server, ca } = await endpointOf(stage.facts);
  const { untapped, isHttp1 } = options;
  const kube = await openTap({ ...tapped, side: "kube", target: { url: server, ca }, name: kubeName, isHttp1 });
  await stage.open(
    untapped === undefined ? { server: kube.url, ca: certificate } : { server: `https://127.0.0.1:${untapped}`, ca },
  );
  const simulator = await startSimulator({ surface: options.surface, speed: options.speed ?? 100 });
  simulator.sim.settings.uniqueNames = options.uniqueNames ?? true;
  const platform = await openTap({
    ...tapped,
    side: "platform",
    target: { url: simulator.url },
    name: platformName(() => simulator),
  });

  const launch = async (): Promise<RunningOperator> => {
    launched = stage.start(["--log-level=trace", ...(options.args ?? ["--leader-elect=false"])]);
    const started = await launched;
    operators.push(started);
    return started;
  };
  const start = async (): Promise<void> => void (await launch());

  const env = {
    ...stage.within(namespace),
    namespace,
    operatorNamespace,
    /** The platform; its URL is the tap's. */
    platform: { ...simulator, url: platform.url },
    client,
    /** All calls of the operator to both servers so far, including those that were not forwarded. */
    calls: sequence.calls,
    /** What the test did as the user about unknown results. */
    userActions: [] as UserAction[],
    interceptor: options.interceptor ?? {},
    /** The process that was started last, once it listens. */
    get operator(): RunningOperator {
      return last();
    },
    /** Waits for the process that was started last: its first calls may come before it listens. */
    launched: async (): Promise<RunningOperator> => (await launched) ?? missing(),
    /** The logs of all processes of the operator. */
    logs: () => operators.flatMap((operator) => operator.logs()),
    start,
    /** Starts a further process. */
    startAnother: launch,
    /** Sends SIGKILL unless the process has ended. */
    kill: async (): Promise<void> => void (await last().kill()),
    /**
     * Waits until a tap kills the operator, then starts it again. Returns without it if the signal aborts first.
     * @throws Error after 30 s without a signal
     */
    restartAfterCrash: async (signal = AbortSignal.timeout(30_000)): Promise<void> => {
      const { promise: aborted, resolve } = Promise.withResolvers<"aborted">();
      signal.addEventListener("abort", () => {
        resolve("aborted");
      });
      if ((await Promise.race([last().exited, aborted])) !== "aborted") await start();
      else if (signal.reason instanceof Error && signal.reason.name === "TimeoutError") throw signal.reason;
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      // SIGKILL, as a process that is stopped handles no other signal.
      await Promise.all(operators.map((operator) => operator.kill()));
      await Promise.all([kube.close(), platform.close(), simulator.close()]);
      await withdrawRights(client, operatorNamespace);
      for (const name of [...stage.namespaces, operatorNamespace]) {
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
