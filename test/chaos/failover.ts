/** One failover: two replicas, and the one that leads is taken away, or the lease is. */
import { setTimeout as sleep } from "node:timers/promises";

import { microTime } from "../../src/kube/api/clock.ts";
import { LEASE_NAME } from "../../src/operator/config/names.ts";
import { cluster, comes } from "../support/env/cluster.ts";
import type { RunningOperator } from "../support/env/operator.ts";
import { COMMIT, defaults, deploying, NEXT_COMMIT, tree } from "../support/kube/manifests.ts";
import { callsOf } from "./effects.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import type { Failover, Way } from "./failover-plan.ts";
import { type LeaseLog, type Made, openLeaseLog, type Renewal, SEEN_LATE_MS, SOON_MS } from "./lease-log.ts";
import { doubleActions } from "./lifecycle/actions.ts";
import { duplicates } from "./lifecycle/invariants.ts";
import { isReady, waitAsUser } from "./lifecycle/life.ts";
import type { Call, Decision } from "./tap/call.ts";

export interface Outcome {
  readonly violations: readonly string[];
  readonly figure: string;
}

/** What comes back does so when the other one leads. Who misses a deletion may write for 7 s more, beside that one. */
const AWAY_MS: Readonly<Partial<Record<Way, number>>> = {
  freeze: 30_000,
  partition: 20_000,
  "delete-unnoticed": 6_000,
  "delete-behind": 6_000,
};

const HANG: Decision = { do: "hang" };
/** Both write what they are about to do before either sees that the other did. */
const TOGETHER: Decision = { do: "slow", ms: 1_000 };
/**
 * The second sees what the first has created, and comes to what is next while the first one's request for it travels.
 */
const BEHIND: Decision = { do: "slow", ms: 150 };
const TRAVELS: Decision = { do: "slow", ms: 1_500 };
/** As long as a request of one leader travels on a busy machine; the other one may take it for lost afterwards. */
const LANDING_MS = 5_000;

/** Has it happen on a bed of its own, while a person goes on ordering. */
export async function failOver({ seed, way }: Failover): Promise<Outcome> {
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
  // What a person says became of a create has to be believed where the platform has no list.
  await env.apply(...defaults(env, { allowUnverifiedIds: surface === "documented" }), ...tree(env, "shop"));
  await using replicas = keepReplicas(env, env.operator);
  await replicas.add();
  await env.waitFor("PlatformApplication", "shop", { status: "True" }, SOON_MS);

  // At any moment of the deployment that follows.
  await env.patch("PlatformApplication", "shop", deploying(NEXT_COMMIT));
  await sleep((seed * 37) % 400);
  const leader = await leases.holder();
  const lost = await takeAway(way, env, leader, leases);
  const order = async () => env.apply(...tree(env, "later"));
  const isUnnoticed = way === "delete-unnoticed" || way === "delete-behind";
  if (!isUnnoticed) await order();
  const taken = await leases.next({ k: lost.k, ...(way === "delete" ? {} : { notBy: leader.pid }) });
  // Two of them take it that they lead.
  if (isUnnoticed) await order();
  await lost.comeBack();
  await env.waitFor("PlatformApplication", "shop", { status: "True" }, SOON_MS);
  // A leader that ends may have been creating it.
  await waitAsUser(env, "PlatformApplication", "later", isReady, SOON_MS);
  if (taken.pid !== leader.pid) await replicas.ended(leader.pid);
  // Somebody leads in the end.
  await leases.next({ k: env.calls.length });

  const renewed = leases.last(leader.pid, { k: taken.k - 1 }) ?? leader;
  return {
    violations: [
      ...duplicates(env),
      ...doubleActions(env, 0),
      ...deployedOtherwise(env),
      ...strayCalls({ env, leases, replicas, way }, leader, taken),
    ],
    figure: figureOf(way, { leader, renewed, lostAt: lost.at, taken }),
  };
}

interface Loss {
  /** The last call before it. */
  readonly k: number;
  readonly at: number;
  /** Lets the leader come back when it is time for it. */
  comeBack(): Promise<void>;
}

/** Takes the leader away, or its lease. */
async function takeAway(way: Way, env: ChaosEnv, leader: Renewal, leases: LeaseLog): Promise<Loss> {
  const at = Date.now();
  const back = await begin(way, env, leader, leases);
  const awayMs = AWAY_MS[way];
  return {
    k: env.calls.length,
    at,
    comeBack: async () => {
      if (awayMs !== undefined) await sleep(Math.max(0, awayMs - (Date.now() - at)));
      back();
      if (way !== "kill") await sleep(1_500);
    },
  };
}

/** @returns what brings the leader back */
async function begin(way: Way, env: ChaosEnv, { pid }: Renewal, leases: LeaseLog): Promise<() => void> {
  const lease = cluster(() => env.client, env.operatorNamespace);
  const nothing = () => {};
  // Who gave up on a call has closed its connection, which then tells nobody: near its deadline a leader soon does.
  const isIts = (call: Call) => call.pid === pid || call.pid === undefined;
  const direct = (decide: (call: Call) => Decision | undefined): (() => void) => {
    env.interceptor = { ...leases.interceptor, decide: (call) => decide(call) ?? { do: "forward" } };
    return () => {
      env.interceptor = leases.interceptor;
    };
  };
  /** Deletes the lease while the leader gets no answer about it. */
  const unnoticed = async (decide: (call: Call) => Decision | undefined): Promise<() => void> => {
    const back = direct((call) => (isIts(call) && call.what.includes(" leases") ? HANG : decide(call)));
    await lease.remove("Lease", LEASE_NAME);
    return back;
  };
  switch (way) {
    case "kill":
      process.kill(pid, "SIGKILL");
      return nothing;
    case "freeze":
      process.kill(pid, "SIGSTOP");
      return () => process.kill(pid, "SIGCONT");
    case "partition":
      return direct((call) => (call.side === "kube" && isIts(call) ? HANG : undefined));
    case "delete":
      await lease.remove("Lease", LEASE_NAME);
      return nothing;
    case "delete-unnoticed":
      return unnoticed(({ method, side }) => (side === "kube" && method === "PATCH" ? TOGETHER : undefined));
    case "delete-behind":
      return unnoticed((call) => {
        if (call.what.startsWith("platform deployApplication")) return TRAVELS;
        return call.what.startsWith("platform listApplications") && !isIts(call) ? BEHIND : undefined;
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

/** Each order of a person is carried out once, also where it came while nobody led, or two took it that they do. */
function deployedOtherwise(env: ChaosEnv): readonly string[] {
  const { services } = env.platform.world();
  const deployed = callsOf(env)
    .flatMap(({ effects }) => effects)
    .flatMap((effect) =>
      "deployed" in effect ? [`${services.get(effect.deployed)?.name ?? ""} ${effect.commit ?? ""}`] : [],
    );
  return [`shop ${COMMIT}`, `shop ${NEXT_COMMIT}`, `later ${COMMIT}`].flatMap((each) => {
    const { length } = deployed.filter((one) => one === each);
    return length === 1 ? [] : [`O3 ${each} was deployed ${length} times`];
  });
}

/** Where it happened. */
interface Scene {
  readonly env: ChaosEnv;
  readonly leases: LeaseLog;
  readonly replicas: Replicas;
  readonly way: Way;
}

/** Calls of the platform by those who may make none. */
function strayCalls({ env, leases, replicas, way }: Scene, leader: Renewal, taken: Renewal): readonly string[] {
  const calls = env.calls.filter(({ side }) => side === "platform").map((call) => ({ call, by: replicas.made(call) }));
  const made: readonly Made[] = calls.flatMap(({ call: { k, what, method, at }, by }) =>
    by.map((pid) => ({ k, what, method, at, pid })),
  );
  // Who did not see that its lease was deleted leads until it looks.
  const afterwards = way.startsWith("delete") ? [] : made.filter(({ pid, k }) => pid === leader.pid && k > taken.k);
  return [
    ...calls.flatMap(({ call, by }) => (by.length === 0 ? [`${call.what}, by nobody known`] : [])),
    ...afterwards.map(({ what }) => `${what}, by the one that lost the lease`),
    ...leases.overstepped(made),
  ];
}

/** Moments of a failover. */
interface Times {
  readonly leader: Renewal;
  readonly renewed: Renewal;
  readonly lostAt: number;
  readonly taken: Renewal;
}

function figureOf(way: Way, { leader, renewed, lostAt, taken }: Times): string {
  const after = (at: number) => `${((taken.at - at) / 1_000).toFixed(1)} s`;
  if (way.startsWith("delete")) {
    return `${after(lostAt)} until a deleted lease is held by ${taken.pid === leader.pid ? "the same" : "another"} process`;
  }
  return `${after(renewed.at)} to take over from the last renewal, ${after(lostAt)} from the loss`;
}

interface Replicas extends AsyncDisposable {
  add(): Promise<void>;
  /** Waits for the end of a process. @throws Error when it goes on */
  ended(pid: number): Promise<void>;
  /** The processes that may have made a call: the connection of one that has just ended does not tell whose it was. */
  made(call: Call): readonly number[];
}

/** Does what a Deployment does: who ends is replaced, as who was frozen does when it finds that another one leads. */
function keepReplicas(env: ChaosEnv, first: RunningOperator): Replicas {
  const starting = new Set<Promise<void>>();
  const ends: { readonly pid: number; readonly at: number }[] = [];
  let over = false;
  const add = (): Promise<void> => {
    const started = env.startAnother().then(follow);
    starting.add(started);
    return started.finally(() => starting.delete(started));
  };
  const follow = ({ pid, exited }: RunningOperator): void => {
    const replace = async (): Promise<void> => {
      await exited;
      ends.push({ pid, at: Date.now() });
      if (!over) await add();
    };
    // One that cannot be started is missed by what the test waits for.
    void replace().catch(() => undefined);
  };
  follow(first);
  return {
    add,
    ended: async (pid) => {
      const end = await comes(() => Promise.resolve(ends.find((one) => one.pid === pid)), SOON_MS);
      if (end === undefined) throw new Error("the one that lost the lease goes on");
    },
    made: ({ pid, at }) => {
      if (pid !== undefined) return [pid];
      return ends.filter((end) => Math.abs(end.at - at) < SEEN_LATE_MS).map((end) => end.pid);
    },
    [Symbol.asyncDispose]: async () => {
      over = true;
      await Promise.allSettled(starting);
    },
  };
}
