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
import { doubleActions, duplicates } from "./lifecycle/oracles.ts";
import type { Answer, Call, Director } from "./tap/call.ts";

const WAYS = ["kill", "freeze", "partition"] as const;
type Way = (typeof WAYS)[number];

/** Longer than a lease lasts, so that the other one leads by then. */
const AWAY_MS = 20_000;
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
    const leader = bed.operator;
    await bed.apply(...defaults(bed), ...tree(bed, "shop"));
    await using replicas = keepReplicas(bed, leader);
    await replicas.add();
    await bed.waitFor("PlatformApplication", "shop", { status: "True" }, SOON_MS);

    // At any moment of the deployment that follows.
    await bed.patch("PlatformApplication", "shop", { spec: { deploy: { gitCommitId: NEXT_COMMIT } } });
    await sleep((seed * 37) % 400);
    const from = Date.now();
    const comeBack = leave(way, bed, leader, leases);
    await bed.apply(...tree(bed, "later"));
    await leases.heldByOther(leader.pid);
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
    const since = leases.firstByOther(leader.pid);
    const calls = bed.calls.filter(({ side, pid, k }) => side === "platform" && pid === leader.pid && k > since);
    expect(
      calls.map(({ what }) => what),
      "calls of the platform by the one that lost the lease",
    ).toEqual([]);
    figure(task, `${tookOver.toFixed(1)} s to take over`);
  });
});

/** Takes the leader away. @returns what brings it back */
function leave(way: Way, bed: Bed, leader: RunningOperator, leases: LeaseLog): () => void {
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

interface LeaseLog {
  readonly director: Director;
  held(): Promise<void>;
  /** Waits until another process has held it. */
  heldByOther(pid: number): Promise<void>;
  /** The number of the call by which another process took the lease first. */
  firstByOther(pid: number): number;
}

/** Follows who writes the lease, as the API server confirmed it. */
function leaseLog(): LeaseLog {
  const taken: { readonly k: number; readonly pid: number | undefined }[] = [];
  const answered = ({ what, method, k, pid }: Call, { status, body }: Answer): void => {
    if (!what.includes(" leases") || method === "GET" || status >= 300) return;
    const holder = member(member(parseJson(body.toString()), "spec"), "holderIdentity");
    if (typeof holder === "string" && holder !== "") taken.push({ k, pid });
  };
  const byOther = (first: number) => taken.find(({ pid }) => pid !== undefined && pid !== first);
  const until = async (there: () => boolean): Promise<void> => {
    for (let waited = 0; !there(); waited += 50) {
      if (waited > SOON_MS) throw new Error(`nobody took the lease ${LEASE}`);
      await sleep(50);
    }
  };
  return {
    director: { answered },
    held: () => until(() => taken.length > 0),
    heldByOther: (pid) => until(() => byOther(pid) !== undefined),
    firstByOther: (pid) => byOther(pid)?.k ?? Infinity,
  };
}
