/** [D3] Two replicas; the one that leads is killed, frozen or cut off from the API server, and may come back. */
import { setTimeout as sleep } from "node:timers/promises";

import { describe, it } from "vitest";

import { LEASE } from "../../src/app/rbac.ts";
import { member, parseJson } from "../../src/kube/json.ts";
import { effort } from "../support/effort.ts";
import { figure } from "../support/figure.ts";
import { defaults, NEXT_COMMIT, tree } from "../support/manifests.ts";
import type { RunningOperator } from "../support/operator.ts";
import { type Bed, openBed } from "./bed.ts";
import { doubleActions } from "./lifecycle/actions.ts";
import { duplicates } from "./lifecycle/oracles.ts";
import type { Answer, Call, Director } from "./tap/call.ts";

const WAYS = ["kill", "freeze", "partition"] as const;
type Way = (typeof WAYS)[number];

/** Longer than a lease lasts, so that the other one leads by then. */
const AWAY_MS = 20_000;
/** After its last renewal a leader has so long to renew it again; what is called later is called by nobody who leads. */
const RENEW_DEADLINE_MS = 10_000;
/** How late the tap of a busy machine may see a call; still before a lease of 15 s can be another's. */
const SEEN_LATE_MS = 2_000;
/** A machine that has much else to do takes a minute for what is done in three seconds. */
const SOON_MS = 180_000;

const plans = Array.from({ length: effort.cases(3, 100) }, (_, index) => ({
  seed: effort.seed * 1_000 + index,
  way: WAYS[index % WAYS.length] ?? "kill",
}));

describe.concurrent("[D3] a failover", () => {
  it.for(plans)("$seed by $way", async ({ seed, way }, { expect, task }) => {
    await using bed = await openBed({ surface: seed % 2 === 0 ? "full" : "documented", args: [] });
    const leases = leaseLog();
    bed.director = leases.director;
    await leases.held();
    await bed.apply(...defaults(bed), ...tree(bed, "shop"));
    await using replicas = keepReplicas(bed, bed.operator);
    await replicas.add();
    await bed.waitFor("PlatformApplication", "shop", { status: "True" }, SOON_MS);

    await leases.known();
    // At any moment of the deployment that follows.
    await bed.patch("PlatformApplication", "shop", { spec: { deploy: { gitCommitId: NEXT_COMMIT } } });
    await sleep((seed * 37) % 400);
    const from = Date.now();
    const leader = leases.holder();
    const comeBack = leave(way, bed, leader, leases);
    await bed.apply(...tree(bed, "later"));
    await leases.heldByOther(leader);
    const tookOver = (Date.now() - from) / 1_000;
    if (way !== "kill") {
      await sleep(Math.max(0, AWAY_MS - (Date.now() - from)));
      comeBack();
      await sleep(1_500);
    }
    for (const name of ["shop", "later"]) {
      await bed.waitFor("PlatformApplication", name, { status: "True" }, SOON_MS);
    }

    expect([...duplicates(bed), ...doubleActions(bed, 0)]).toEqual([]);
    const since = leases.firstByOther(leader);
    const calls = bed.calls.filter(({ side, pid, k }) => side === "platform" && pid === leader.pid && k > since);
    expect(
      calls.map(({ what }) => what),
      "calls of the platform by the one that lost the lease",
    ).toEqual([]);
    expect(leases.overstepped(bed.calls), "calls of the platform after the renew deadline of who made them").toEqual(
      [],
    );
    figure(task, `${tookOver.toFixed(1)} s to take over`);
  });
});

/** Takes the leader away. @returns what brings it back */
function leave(way: Way, bed: Bed, leader: Holder, leases: LeaseLog): () => void {
  const signal = (name: NodeJS.Signals) => process.kill(leader.pid, name);
  switch (way) {
    case "kill":
      signal("SIGKILL");
      return () => {};
    case "freeze":
      signal("SIGSTOP");
      return () => signal("SIGCONT");
    case "partition":
      // It still reaches the platform.
      bed.director = {
        ...leases.director,
        decide: ({ side, pid }) => (side === "kube" && pid === leader.pid ? { do: "hang" } : { do: "pass" }),
      };
      return () => {
        bed.director = leases.director;
      };
    default:
      return way satisfies never;
  }
}

interface Replicas extends AsyncDisposable {
  add(): Promise<void>;
}

/** Does what a Deployment does: who ends is replaced, as who was frozen does when it finds that another one leads. */
function keepReplicas(bed: Bed, first: RunningOperator): Replicas {
  const starting = new Set<Promise<void>>();
  let over = false;
  const add = (): Promise<void> => {
    const started = bed.startAnother().then(follow);
    starting.add(started);
    return started.finally(() => starting.delete(started));
  };
  const follow = ({ exited }: RunningOperator): void => {
    // One that cannot be started is missed by what the test waits for.
    void exited.then(() => (over ? undefined : add())).catch(() => undefined);
  };
  follow(first);
  return {
    add,
    [Symbol.asyncDispose]: async () => {
      over = true;
      await Promise.allSettled(starting);
    },
  };
}

/** Who held the lease, by the call that said so. */
interface Holder {
  readonly pid: number;
  readonly k: number;
}

interface LeaseLog {
  readonly director: Director;
  held(): Promise<void>;
  /** Waits until it is known which process wrote it last: the first writes of one that starts belong to nobody yet. */
  known(): Promise<void>;
  /** Who holds it: where the machine starves the first leader, that is another one soon. @throws Error when nobody does */
  holder(): Holder;
  /** Waits until another process has held it since. */
  heldByOther(since: Holder): Promise<void>;
  /** The number of the call by which another process took the lease first since. */
  firstByOther(since: Holder): number;
  /** What was called on the platform by processes whose last renewal was longer ago than they may call. */
  overstepped(calls: readonly Call[]): readonly string[];
}

/** Follows who writes the lease, as the API server confirmed it. */
function leaseLog(): LeaseLog {
  const taken: Pick<Call, "k" | "pid" | "at">[] = [];
  const answered = ({ what, method, k, pid, at }: Call, { status, body }: Answer): void => {
    if (!what.includes(" leases") || method === "GET" || status >= 300) return;
    const holder = member(member(parseJson(body.toString()), "spec"), "holderIdentity");
    if (typeof holder === "string" && holder !== "") taken.push({ k, pid, at });
  };
  const byOther = (since: Holder) => taken.find(({ pid, k }) => pid !== undefined && pid !== since.pid && k > since.k);
  const until = async (there: () => boolean): Promise<void> => {
    for (let waited = 0; !there(); waited += 50) {
      if (waited > SOON_MS) throw new Error(`nobody took the lease ${LEASE}`);
      await sleep(50);
    }
  };
  return {
    director: { answered },
    held: () => until(() => taken.length > 0),
    known: () => until(() => taken.at(-1)?.pid !== undefined),
    holder: () => {
      const { pid, k } = taken.at(-1) ?? {};
      if (pid === undefined || k === undefined) throw new Error("nobody is known to lead");
      return { pid, k };
    },
    heldByOther: (since) => until(() => byOther(since) !== undefined),
    firstByOther: (since) => byOther(since)?.k ?? Infinity,
    overstepped: (calls) =>
      calls
        .filter(({ side, pid }) => side === "platform" && pid !== undefined)
        .flatMap(({ what, pid, at }) => {
          const last = (by: number | undefined) => taken.findLast((one) => one.pid === by && one.at <= at);
          // Of one that has just been started it is not known yet whose calls they are.
          const renewed = (last(pid) ?? last(undefined))?.at ?? 0;
          const late = at - renewed;
          return late > RENEW_DEADLINE_MS + SEEN_LATE_MS ? [`${what}, ${late} ms after the last renewal`] : [];
        }),
  };
}
