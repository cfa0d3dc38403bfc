/** Runs one failover: two replicas, of which the leader loses its process, its connection or the lease. */
import { setTimeout as sleep } from "node:timers/promises";

import { LEASE_NAME } from "../../src/config/names.ts";
import { microTime } from "../../src/kube/api/clock.ts";
import { cluster, comes } from "../support/env/cluster.ts";
import type { RunningOperator } from "../support/env/operator.ts";
import { COMMIT, defaults, deploying, NEXT_COMMIT, tree } from "../support/kube/manifests.ts";
import { deployments } from "./effects.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import type { Failover, Way } from "./failover-plan.ts";
import { type CallByPid, type LeaseLog, openLeaseLog, type Renewal, TAP_DELAY_MS, TIMEOUT_MS } from "./lease-log.ts";
import { doubleActions } from "./lifecycle/actions.ts";
import { isReady, waitAsUser } from "./lifecycle/chapters.ts";
import { duplicates } from "./lifecycle/invariants.ts";
import type { Call, Decision } from "./tap/call.ts";

/** The duration of a fault: until the other process leads, or less than the 7 s in which both may write. */
const FAULT_MS: Readonly<Partial<Record<Way, number>>> = {
  freeze: 30_000,
  partition: 20_000,
  "delete-unnoticed": 6_000,
  "delete-behind": 6_000,
};

const HANG: Decision = { do: "hang" };
/** Both processes write their intents before either sees the other's. */
const SLOW_PATCH: Decision = { do: "slow", ms: 1_000 };
/** The second process sees the created objects, and decides on the deployment while the first one's is in flight. */
const SLOW_LIST: Decision = { do: "slow", ms: 150 };
const SLOW_DEPLOY: Decision = { do: "slow", ms: 1_500 };
/** Longer than a request of one leader takes on a busy machine, as the other may then treat it as lost. */
const LANDING_MS = 5_000;

export async function failOver({ seed, way }: Failover) {
  const surface = seed % 2 === 0 ? "full" : "documented";
  const isDeleted = way.startsWith("delete");
  await using env = await openChaosEnv({
    surface,
    args: [],
    ...(isDeleted ? { windows: { landingMs: LANDING_MS } } : {}),
  });
  const leases = openLeaseLog();
  env.interceptor = leases.interceptor;
  await leases.next({ k: 0 });
  // The documented surface cannot verify the id that resolves an unknown create.
  await env.apply(...defaults(env, { allowUnverifiedIds: surface === "documented" }), ...tree(env, "shop"));
  await using replicas = keepReplicas(env, env.operator);
  await replicas.add();
  await env.waitFor("PlatformApplication", "shop", { status: "True" }, TIMEOUT_MS);

  // The seed chooses a moment of this deployment.
  await env.patch("PlatformApplication", "shop", deploying(NEXT_COMMIT));
  await sleep((seed * 37) % 400);
  const leader = await leases.holder();
  const fault = await inject(way, env, leader, leases);
  const applyLater = async () => env.apply(...tree(env, "later"));
  const isUnnoticed = way === "delete-unnoticed" || way === "delete-behind";
  if (!isUnnoticed) await applyLater();
  const taken = await leases.next({ k: fault.k, ...(way === "delete" ? {} : { notBy: leader.pid }) });
  // Now two processes lead.
  if (isUnnoticed) await applyLater();
  await fault.end();
  await env.waitFor("PlatformApplication", "shop", { status: "True" }, TIMEOUT_MS);
  // The old leader may have been creating one of them when it exited.
  await waitAsUser(env, "PlatformEnvironment", "later", isReady, TIMEOUT_MS);
  await waitAsUser(env, "PlatformApplication", "later", isReady, TIMEOUT_MS);
  if (taken.pid !== leader.pid) await replicas.exited(leader.pid);
  await leases.next({ k: env.calls.length });

  const renewed = leases.last(leader.pid, { k: taken.k - 1 }) ?? leader;
  const after = (at: number) => `${((taken.at - at) / 1_000).toFixed(1)} s`;
  const holder = taken.pid === leader.pid ? "the same" : "another";
  return {
    violations: [
      ...duplicates(env),
      ...doubleActions(env, 0),
      ...wrongDeployments(env),
      ...forbiddenCalls({ env, leases, replicas, way }, leader, taken),
    ],
    figure: isDeleted
      ? `${after(fault.at)} until ${holder} process holds the deleted lease`
      : `takeover ${after(renewed.at)} after the last renewal, ${after(fault.at)} after the fault`,
  };
}

async function inject(way: Way, env: ChaosEnv, leader: Renewal, leases: LeaseLog) {
  const at = Date.now();
  const revert = await begin(way, env, leader, leases);
  const durationMs = FAULT_MS[way];
  return {
    /** The last call before the fault. */
    k: env.calls.length,
    at,
    /** Waits for the fault's duration, then ends it. */
    end: async (): Promise<void> => {
      if (durationMs !== undefined) await sleep(Math.max(0, durationMs - (Date.now() - at)));
      revert();
      if (way !== "kill") await sleep(1_500);
    },
  };
}

/** Begins a fault. @returns a function that ends it */
async function begin(way: Way, env: ChaosEnv, { pid }: Renewal, leases: LeaseLog): Promise<() => void> {
  const lease = cluster(() => env.client, env.operatorNamespace);
  const nothing = () => {};
  // A leader that has given up a call has closed its connection, and the call has no pid.
  const isByLeader = (call: Call) => call.pid === pid || call.pid === undefined;
  const intercept = (decide: (call: Call) => Decision | undefined): (() => void) => {
    env.interceptor = { ...leases.interceptor, decide: (call) => decide(call) ?? { do: "forward" } };
    return () => {
      env.interceptor = leases.interceptor;
    };
  };
  /** Deletes the lease while the leader's calls about leases hang. */
  const unnoticed = async (decide: (call: Call) => Decision | undefined): Promise<() => void> => {
    const revert = intercept((call) => (isByLeader(call) && call.what.includes(" leases") ? HANG : decide(call)));
    await lease.remove("Lease", LEASE_NAME);
    return revert;
  };
  switch (way) {
    case "kill":
      process.kill(pid, "SIGKILL");
      return nothing;
    case "freeze":
      process.kill(pid, "SIGSTOP");
      return () => process.kill(pid, "SIGCONT");
    case "partition":
      return intercept((call) => (call.side === "kube" && isByLeader(call) ? HANG : undefined));
    case "delete":
      await lease.remove("Lease", LEASE_NAME);
      return nothing;
    case "delete-unnoticed":
      return unnoticed(({ method, side }) => (side === "kube" && method === "PATCH" ? SLOW_PATCH : undefined));
    case "delete-behind":
      return unnoticed((call) => {
        if (call.what.startsWith("platform deployApplication")) return SLOW_DEPLOY;
        return call.what.startsWith("platform listApplications") && !isByLeader(call) ? SLOW_LIST : undefined;
      });
    case "edit":
      await lease.patch("Lease", LEASE_NAME, {
        spec: { holderIdentity: "a-stranger", renewTime: microTime(new Date()) },
      });
      return nothing;
    default:
      return way satisfies never;
  }
}

/** Each commit is deployed once, even if the user applied it while no process or two processes led. */
function wrongDeployments(env: ChaosEnv): readonly string[] {
  const deployed = deployments(env);
  return [`shop ${COMMIT}`, `shop ${NEXT_COMMIT}`, `later ${COMMIT}`].flatMap((expected) => {
    const { length } = deployed.filter((deployment) => deployment === expected);
    return length === 1 ? [] : [`O3 ${expected} was deployed ${length} times`];
  });
}

interface Run {
  readonly env: ChaosEnv;
  readonly leases: LeaseLog;
  readonly replicas: Replicas;
  readonly way: Way;
}

/** Returns the calls of the platform that the calling process was not allowed to make. */
function forbiddenCalls({ env, leases, replicas, way }: Run, leader: Renewal, taken: Renewal): readonly string[] {
  const calls = env.calls
    .filter(({ side }) => side === "platform")
    .map((call) => ({ call, pids: replicas.pids(call) }));
  const made: readonly CallByPid[] = calls.flatMap(({ call: { k, what, method, at }, pids }) =>
    pids.map((pid) => ({ k, what, method, at, pid })),
  );
  // A leader whose lease was deleted leads until it reads the lease.
  const late = way.startsWith("delete") ? [] : made.filter(({ pid, k }) => pid === leader.pid && k > taken.k);
  return [
    ...calls.flatMap(({ call, pids }) => (pids.length === 0 ? [`${call.what}, by an unknown process`] : [])),
    ...late.map(({ what }) => `${what}, by the process that lost the lease`),
    ...leases.violations(made),
  ];
}

type Replicas = ReturnType<typeof keepReplicas>;

/** Replaces each process that exits, as a Deployment does. */
function keepReplicas(env: ChaosEnv, first: RunningOperator) {
  const starting = new Set<Promise<void>>();
  const exits: { readonly pid: number; readonly at: number }[] = [];
  let isDisposed = false;
  const add = (): Promise<void> => {
    const started = env.startAnother().then(follow);
    starting.add(started);
    return started.finally(() => starting.delete(started));
  };
  const follow = ({ pid, exited }: RunningOperator): void => {
    const replace = async (): Promise<void> => {
      await exited;
      exits.push({ pid, at: Date.now() });
      if (!isDisposed) await add();
    };
    // If the start fails, the test's own waits time out.
    void replace().catch(() => undefined);
  };
  follow(first);
  return {
    add,
    /** Waits until a process has exited. @throws Error after TIMEOUT_MS */
    exited: async (pid: number): Promise<void> => {
      const exit = await comes(() => Promise.resolve(exits.find((one) => one.pid === pid)), TIMEOUT_MS);
      if (exit === undefined) throw new Error("the process that lost the lease keeps running");
    },
    /** Returns the processes that may have made a call; for a closed connection, those that exited about then. */
    pids: ({ pid, at }: Call): readonly number[] => {
      if (pid !== undefined) return [pid];
      return exits.filter((exit) => Math.abs(exit.at - at) < TAP_DELAY_MS).map((exit) => exit.pid);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      isDisposed = true;
      await Promise.allSettled(starting);
    },
  };
}
