/** Sends SIGTERM during a call to an operator that holds the lease. */
import { describe, it } from "vitest";

import type { Surface } from "../../simulator/base/operations.ts";
import { INTENT } from "../../src/api/names.ts";
import { LEASE_NAME } from "../../src/config/names.ts";
import { recordedIn } from "../../src/engine/contract/status.ts";
import { member } from "../../src/kube/api/json.ts";
import { cluster, comes } from "../support/env/cluster.ts";
import type { Exit } from "../support/env/operator.ts";
import {
  application,
  COMMIT,
  defaults,
  deploying,
  environment,
  NEXT_COMMIT,
  project,
  secret,
} from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { effects } from "./effects.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { doubleActions } from "./lifecycle/actions.ts";
import { duplicates, inventory, leaks, loggedErrors } from "./lifecycle/invariants.ts";
import { isWrite } from "./lifecycle/plan.ts";

const KINDS = ["PlatformApplication", "PlatformEnvironment", "PlatformProject"] as const;
/** The limit of the time from SIGTERM to the exit. */
const STOP_MS = 10_000;
/** The delay of the call during which SIGTERM is sent. */
const CALL_DELAY_MS = 300;
/** The time limit of a step; a busy machine takes a minute for a second of work. */
const TIMEOUT_MS = 120_000;

/** One part of a tree's lifecycle: an action of the user and its result. */
interface Chapter {
  readonly name: "creation" | "redeploy" | "deletion";
  /** Returns the operations with an effect on the platform, in order. */
  readonly operations: (surface: Surface) => readonly string[];
  readonly act: (env: ChaosEnv, tree: string) => Promise<void>;
  readonly complete: (env: ChaosEnv, tree: string) => Promise<void>;
}

const waitReady: Chapter["complete"] = async (env, tree) => {
  await env.waitFor("PlatformApplication", tree, { status: "True" }, TIMEOUT_MS);
};

const CREATION: Chapter = {
  name: "creation",
  operations: () => [
    "createProject",
    "createEnvironment",
    "createApplication",
    "importEnvironmentVariable",
    "deployApplication",
  ],
  act: async (env, tree) => {
    const deleted = { lifecycle: { deletionPolicy: "Delete" } };
    const variables = [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "values", key: "TOKEN" } } }];
    const parents = [project(tree, deleted), environment(env, tree, tree, deleted)];
    await env.apply(...parents, application(tree, tree, { variables, ...deleted }));
  },
  complete: waitReady,
};
const REDEPLOY: Chapter = {
  name: "redeploy",
  operations: () => ["deployApplication"],
  act: (env, tree) => env.patch("PlatformApplication", tree, deploying(NEXT_COMMIT)),
  complete: waitReady,
};
const DELETION: Chapter = {
  name: "deletion",
  // On the documented surface, which deletes nothing, the finalizers are released.
  operations: (surface) => (surface === "full" ? ["deleteApplication", "deleteEnvironment", "deleteProject"] : []),
  act: async (env, tree) => {
    for (const kind of KINDS) await env.remove(kind, tree);
  },
  complete: async (env, tree) => {
    for (const kind of KINDS) await env.waitGone(kind, tree, TIMEOUT_MS);
  },
};
const LIFECYCLE: readonly Chapter[] = [CREATION, REDEPLOY, DELETION];

/** Reports whether to send SIGTERM during a call, by its name and its number within the chapter. */
type CallMatcher = (what: string, nth: number) => boolean;
/** Returns a matcher for a chapter of a round; undefined to run it without a stop. */
type StopPlan = (chapter: Chapter, round: number) => CallMatcher | undefined;

/** The number of equal reads to stop at; further ones are polls. */
const READS = 2;
/** The calls of every start, which have a test of their own. */
const STARTUP = /^kube (LIST|WATCH) /;

/**
 * Matches in each round the first call of each chapter that no earlier round reached, until a chapter has no such call,
 * as the order of calls differs from run to run.
 */
function everyCall(except?: RegExp): StopPlan {
  const reached = new Set<string>();
  const complete = new Set<Chapter>();
  return (chapter) => {
    if (complete.has(chapter)) return undefined;
    complete.add(chapter);
    return (what, nth) => {
      const key = `${chapter.name}: ${what} #${nth}`;
      if (reached.has(key) || (nth > READS && !isWrite(what)) || except?.test(what) === true) return false;
      reached.add(key);
      complete.delete(chapter);
      return true;
    };
  };
}

/** Stops the operator by SIGTERM. */
function stopsOf(env: ChaosEnv) {
  const steps: string[] = [];
  let longestMs = 0;

  const stop = async (): Promise<Exit> => {
    const operator = await env.launched();
    const since = performance.now();
    const exit = await operator.stop();
    longestMs = Math.max(longestMs, performance.now() - since);
    return exit;
  };

  const stopAt = (matches: CallMatcher) => {
    const counts = new Map<string, number>();
    let reached: string | undefined;
    const { promise: exited, resolve } = Promise.withResolvers<Exit>();
    env.interceptor = {
      decide: ({ what }) => {
        const name = what.replaceAll(/shop-\d+/g, "shop");
        const nth = (counts.get(name) ?? 0) + 1;
        counts.set(name, nth);
        if (!matches(name, nth)) return { do: "forward" };
        env.interceptor = {};
        reached = name;
        steps.push(name);
        void stop().then(resolve);
        return { do: "slow", ms: CALL_DELAY_MS };
      },
    };
    return { exited, reached: () => reached };
  };

  return {
    /** The calls during which SIGTERM was sent. */
    steps,
    longestMs: () => Math.ceil(longestMs),
    /**
     * Calls `act`, and sends SIGTERM during the first matching call unless `complete` resolves first.
     * @returns whether the operator exited @throws Error unless it exited with 0, without intents and lease
     */
    during: async (
      matches: CallMatcher | undefined,
      act: () => Promise<void>,
      complete: () => Promise<void>,
    ): Promise<boolean> => {
      const { exited, reached } = stopAt(matches ?? (() => false));
      await act();
      await Promise.race([exited, complete()]);
      env.interceptor = {};
      const step = reached();
      if (step === undefined) return false;
      const { code, signal } = await exited;
      const left = [...(await openIntents(env)), ...(await heldLease(env))];
      if (code === 0 && left.length === 0) return true;
      throw new Error(`SIGTERM during ${step}: exited with ${code ?? signal}, left behind: ${left.join(", ")}`);
    },
  };
}

type Stops = ReturnType<typeof stopsOf>;

async function openIntents(env: ChaosEnv): Promise<readonly string[]> {
  const objects = await Promise.all(KINDS.map((kind) => env.list(kind)));
  return objects.flat().flatMap((object) => {
    const intent = object.metadata.annotations?.[INTENT] ?? recordedIn(object, "intent");
    return intent === undefined ? [] : [`${object.kind} ${JSON.stringify(intent)}`];
  });
}

/** Returns the lease if it has a holder. */
async function heldLease(env: ChaosEnv): Promise<readonly string[]> {
  const lease = await cluster(() => env.client, env.operatorNamespace).get("Lease", LEASE_NAME);
  const holder = member(lease.spec, "holderIdentity");
  return holder === "" ? [] : [`the lease of ${JSON.stringify(holder)}`];
}

/** Starts the operator and waits until it leads. */
async function restart(env: ChaosEnv): Promise<void> {
  await env.start();
  await comes(async () => ((await heldLease(env)).length > 0 ? true : undefined), TIMEOUT_MS);
}

/** Runs the lifecycle of one tree per round until the plan has no more stops. @returns the completed chapters */
async function runRounds(env: ChaosEnv, stops: Stops, plan: StopPlan): Promise<readonly Chapter[]> {
  const completed: Chapter[] = [];
  for (let round = 0; ; round += 1) {
    const tree = `shop-${round}`;
    const chapters = LIFECYCLE.map((chapter) => ({ chapter, matches: plan(chapter, round) }));
    if (chapters.every(({ matches }) => matches === undefined)) return completed;
    for (const { chapter, matches } of chapters) {
      if (chapter === REDEPLOY && matches === undefined) continue;
      const complete = (): Promise<void> => chapter.complete(env, tree);
      if (await stops.during(matches, () => chapter.act(env, tree), complete)) await restart(env);
      await complete();
      completed.push(chapter);
    }
  }
}

function summary(stops: Stops): string {
  return `${stops.steps.length} stops, ${stops.longestMs()} ms at most, 0 open intents, lease released`;
}

/** Returns an environment with leader election, a connection and a Secret. */
async function fixture(surface: Surface): Promise<ChaosEnv> {
  const env = await openChaosEnv({ surface, args: [], speed: 400, windows: { pollMs: 5_000 } });
  await env.apply(...defaults(env), secret("values", { TOKEN: "s3cret" }));
  await env.waitFor("PlatformConnection", "default", { status: "True" }, TIMEOUT_MS);
  return env;
}

describe.concurrent("[A7] SIGTERM", () => {
  it.for(["full", "documented"] as const)(
    "during each call of a lifecycle leaves no duplicate, no intent and no lease, %s surface",
    { timeout: 3_600_000 },
    async (surface, { expect, task }) => {
      await using env = await fixture(surface);
      const before = inventory(env);
      const stops = stopsOf(env);
      const chapters = await runRounds(env, stops, everyCall(STARTUP));
      const writes = LIFECYCLE.flatMap(({ operations }) => operations(surface)).map(
        (operation) => `platform ${operation} shop`,
      );
      expect(stops.steps).toEqual(expect.arrayContaining(writes));
      expect(effects(env)).toEqual(chapters.flatMap(({ operations }) => operations(surface)));
      expect([...duplicates(env), ...leaks(env, before, surface), ...loggedErrors(env)]).toEqual([]);
      expect(stops.longestMs()).toBeLessThan(STOP_MS);
      figure(task, summary(stops));
    },
  );

  it(
    "during each call after a start leaves no duplicate, no intent and no lease",
    { timeout: 3_600_000 },
    async ({ expect, task }) => {
      await using env = await fixture("full");
      const stops = stopsOf(env);
      await CREATION.act(env, "shop");
      await waitReady(env, "shop");
      await env.operator.stop();
      const plan = everyCall();
      for (let round = 0; ; round += 1) {
        const matches = plan(REDEPLOY, round);
        if (matches === undefined) break;
        await env.patch("PlatformApplication", "shop", deploying(round % 2 === 0 ? NEXT_COMMIT : COMMIT));
        await stops.during(
          matches,
          () => env.start(),
          () => waitReady(env, "shop"),
        );
      }
      expect([...duplicates(env), ...doubleActions(env, 0), ...(await openIntents(env)), ...loggedErrors(env)]).toEqual(
        [],
      );
      expect(stops.longestMs()).toBeLessThan(STOP_MS);
      figure(task, summary(stops));
    },
  );
});
