/** SIGTERM in the middle of things, to an operator that holds the lease. */
import { describe, it } from "vitest";

import type { Surface } from "../../simulator/base/operations.ts";
import { INTENT } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import { LEASE_NAME } from "../../src/operator/config/names.ts";
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
import { duplicates, inventory, leaks, unexpectedErrors } from "./lifecycle/invariants.ts";
import { isWrite } from "./lifecycle/plan.ts";

const KINDS = ["PlatformApplication", "PlatformEnvironment", "PlatformProject"] as const;
/** What a stop may take. */
const STOP_MS = 10_000;
/** How late the call is answered during which the operator is told to stop. */
const ANSWERED_MS = 300;
/** A machine that has much else to do takes a minute for what is done in a second. */
const SOON_MS = 120_000;

/** What a user does to a tree, and what comes of it. */
interface Chapter {
  readonly name: "creation" | "redeploy" | "deletion";
  /** What it does on the platform of a surface, in order. */
  readonly does: (surface: Surface) => readonly string[];
  readonly act: (env: ChaosEnv, tree: string) => Promise<void>;
  readonly over: (env: ChaosEnv, tree: string) => Promise<void>;
}

const isReady: Chapter["over"] = async (env, tree) => {
  await env.waitFor("PlatformApplication", tree, { status: "True" }, SOON_MS);
};

const CREATION: Chapter = {
  name: "creation",
  does: () => [
    "createProject",
    "createEnvironment",
    "createApplication",
    "importEnvironmentVariable",
    "deployApplication",
  ],
  act: async (env, tree) => {
    const gone = { lifecycle: { deletionPolicy: "Delete" } };
    const variables = [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "values", key: "TOKEN" } } }];
    const parents = [project(tree, gone), environment(env, tree, tree, gone)];
    await env.apply(...parents, application(tree, tree, { variables, ...gone }));
  },
  over: isReady,
};
const REDEPLOY: Chapter = {
  name: "redeploy",
  does: () => ["deployApplication"],
  act: (env, tree) => env.patch("PlatformApplication", tree, deploying(NEXT_COMMIT)),
  over: isReady,
};
const DELETION: Chapter = {
  name: "deletion",
  // The documented surface cannot take anything away: it is let go.
  does: (surface) => (surface === "full" ? ["deleteApplication", "deleteEnvironment", "deleteProject"] : []),
  act: async (env, tree) => {
    for (const kind of KINDS) await env.remove(kind, tree);
  },
  over: async (env, tree) => {
    for (const kind of KINDS) await env.waitGone(kind, tree, SOON_MS);
  },
};
const LIFE: readonly Chapter[] = [CREATION, REDEPLOY, DELETION];

/** Whether the operator shall be told to stop during a call, the how many-th of its name in the chapter. */
type Meant = (what: string, nth: number) => boolean;
/** Asked in each chapter of each round. @returns undefined when the operator shall not be told to stop there */
type Choice = (chapter: Chapter, round: number) => Meant | undefined;

/** What is read a third time is looked at until it changes. */
const LOOKS = 2;
/** Every start has these; what comes of a stop there has a test of its own. */
const STARTING = /^kube (LIST|WATCH) /;

/**
 * In each round the first call of each chapter that was not met yet, until a chapter has no such call any more: what
 * comes when differs from run to run.
 */
function everyCall(except?: RegExp): Choice {
  const met = new Set<string>();
  const complete = new Set<Chapter>();
  return (chapter) => {
    if (complete.has(chapter)) return undefined;
    complete.add(chapter);
    return (what, nth) => {
      const key = `${chapter.name}: ${what} #${nth}`;
      if (met.has(key) || (nth > LOOKS && !isWrite(what)) || except?.test(what) === true) return false;
      met.add(key);
      complete.delete(chapter);
      return true;
    };
  };
}

/** Stops the operator of a bed. */
interface Stops {
  /** During which calls it was told to stop. */
  readonly steps: readonly string[];
  /** How long the longest took. */
  longestMs(): number;
  /**
   * Acts, and tells the operator to stop during the first call from then on that is meant, if one comes before all is
   * over.
   * @returns whether the operator has ended @throws Error when it did not end as it should
   */
  during(isMeant: Meant | undefined, act: () => Promise<void>, over: () => Promise<void>): Promise<boolean>;
}

function stopsOf(env: ChaosEnv): Stops {
  const steps: string[] = [];
  let longestMs = 0;

  /** Watches for the call. @returns what tells whether it came, and how the operator ended then */
  const arm = (isMeant: Meant) => {
    const counts = new Map<string, number>();
    let met: string | undefined;
    const { promise: exited, resolve } = Promise.withResolvers<Exit>();
    env.interceptor = {
      decide: ({ what }) => {
        const name = what.replaceAll(/shop-\d+/g, "shop");
        const nth = (counts.get(name) ?? 0) + 1;
        counts.set(name, nth);
        if (!isMeant(name, nth)) return { do: "forward" };
        env.interceptor = {};
        met = name;
        steps.push(name);
        const since = performance.now();
        process.kill(env.operator.pid, "SIGTERM");
        void env.operator.exited.then((exit) => {
          longestMs = Math.max(longestMs, performance.now() - since);
          resolve(exit);
        });
        return { do: "slow", ms: ANSWERED_MS };
      },
    };
    return { exited, met: () => met };
  };

  return {
    steps,
    longestMs: () => Math.ceil(longestMs),
    during: async (isMeant, act, over) => {
      const { exited, met } = arm(isMeant ?? (() => false));
      await act();
      await Promise.race([exited, over()]);
      env.interceptor = {};
      const step = met();
      if (step === undefined) return false;
      const { code, signal } = await exited;
      const left = [...(await open(env)), ...(await held(env))];
      if (code === 0 && left.length === 0) return true;
      throw new Error(`told to stop during ${step}: ended with ${code ?? signal}, left behind: ${left.join(", ")}`);
    },
  };
}

/** @returns what is open in the ledgers */
async function open(env: ChaosEnv): Promise<readonly string[]> {
  const objects = await Promise.all(KINDS.map((kind) => env.list(kind)));
  return objects.flat().flatMap(({ kind, metadata, status }) => {
    const intent = metadata.annotations?.[INTENT] ?? member(status, "intent");
    return intent === undefined ? [] : [`${kind} ${JSON.stringify(intent)}`];
  });
}

/** @returns the lease, unless nobody holds it */
async function held(env: ChaosEnv): Promise<readonly string[]> {
  const lease = await cluster(() => env.client, env.operatorNamespace).get("Lease", LEASE_NAME);
  const holder = member(lease.spec, "holderIdentity");
  return holder === "" ? [] : [`the lease of ${JSON.stringify(holder)}`];
}

/** Starts the operator again, and waits until it leads. */
async function startAgain(env: ChaosEnv): Promise<void> {
  await env.start();
  await comes(async () => ((await held(env)).length > 0 ? true : undefined), SOON_MS);
}

/**
 * Lives a tree in each round, from its apply to its deletion, as long as the operator is to be told to stop somewhere.
 * @returns the chapters that were lived
 */
async function live(env: ChaosEnv, stops: Stops, choice: Choice): Promise<readonly Chapter[]> {
  const lived: Chapter[] = [];
  for (let round = 0; ; round += 1) {
    const tree = `shop-${round}`;
    const meant = LIFE.map((chapter) => ({ chapter, isMeant: choice(chapter, round) }));
    if (meant.every(({ isMeant }) => isMeant === undefined)) return lived;
    for (const { chapter, isMeant } of meant) {
      if (chapter === REDEPLOY && isMeant === undefined) continue;
      const over = (): Promise<void> => chapter.over(env, tree);
      if (await stops.during(isMeant, () => chapter.act(env, tree), over)) await startAgain(env);
      await over();
      lived.push(chapter);
    }
  }
}

/** What a test measured. */
function told(stops: Stops): string {
  return `${stops.steps.length} stops, ${stops.longestMs()} ms at most, 0 intents open, the lease given back`;
}

/** @returns a bed with a connection and a Secret, on which an operator leads */
async function fixture(surface: Surface): Promise<ChaosEnv> {
  const env = await openChaosEnv({ surface, args: [], speed: 400, windows: { pollMs: 5_000 } });
  await env.apply(...defaults(env), secret("values", { TOKEN: "s3cret" }));
  await env.waitFor("PlatformConnection", "default", { status: "True" }, SOON_MS);
  return env;
}

describe.concurrent("[A7] SIGTERM", () => {
  it.for(["full", "documented"] as const)(
    "at all calls of the life of a tree, %s surface",
    { timeout: 1_200_000 },
    async (surface, { expect, task }) => {
      await using env = await fixture(surface);
      const before = inventory(env);
      const stops = stopsOf(env);
      const lived = await live(env, stops, everyCall(STARTING));
      const writes = LIFE.flatMap(({ does }) => does(surface)).map((operation) => `platform ${operation} shop`);
      expect(stops.steps).toEqual(expect.arrayContaining(writes));
      expect(effects(env)).toEqual(lived.flatMap(({ does }) => does(surface)));
      expect([...duplicates(env), ...leaks(env, before, surface), ...unexpectedErrors(env)]).toEqual([]);
      expect(stops.longestMs()).toBeLessThan(STOP_MS);
      figure(task, told(stops));
    },
  );

  it("at every call from the start on", { timeout: 1_200_000 }, async ({ expect, task }) => {
    await using env = await fixture("full");
    const stops = stopsOf(env);
    await CREATION.act(env, "shop");
    await isReady(env, "shop");
    await env.operator.stop();
    const choice = everyCall();
    for (let round = 0; ; round += 1) {
      const isMeant = choice(REDEPLOY, round);
      if (isMeant === undefined) break;
      await env.patch("PlatformApplication", "shop", deploying(round % 2 === 0 ? NEXT_COMMIT : COMMIT));
      await stops.during(
        isMeant,
        () => env.start(),
        () => isReady(env, "shop"),
      );
    }
    expect([...duplicates(env), ...doubleActions(env, 0), ...(await open(env)), ...unexpectedErrors(env)]).toEqual([]);
    expect(stops.longestMs()).toBeLessThan(STOP_MS);
    figure(task, told(stops));
  });
});
