/** The operator sees an earlier time (Sieve: "stale"): what it changes on the platform goes by what is. */
import { describe, expect, it, vi } from "vitest";

import { FINALIZER } from "../../src/api/names.ts";
import { effort } from "../support/env/effort.ts";
import { COMMIT, defaults, deploying, NEXT_COMMIT, project, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { type ChaosEnv, openChaosEnv } from "./env.ts";
import { changesSince, type Past, present, timeMachine, type TimeMachine } from "./past.ts";

/** On a machine that does much else a create may land late; that is another class. */
const PATIENT = { landingMs: 20_000 };
const DELETE = { lifecycle: { deletionPolicy: "Delete" } };

/** What the past and the present differ in. */
const STALE = ["platformprojects/again", "platformprojects/late", "platformprojects/shop", "platformapplications/shop"];

/**
 * A past in which one object is under deletion, one not created yet, one to be changed and one to be deployed; since
 * then the first two have become namesakes with other uids, and the others are done.
 */
async function history(env: ChaosEnv): Promise<Past> {
  await env.apply(...defaults(env), project("again", DELETE), ...tree(env, "shop"));
  await env.waitFor("PlatformProject", "again", { status: "True" }, 60_000);
  await env.waitFor("PlatformApplication", "shop", { status: "True" }, 60_000);
  await env.kill();
  await env.remove("PlatformProject", "again");
  expect((await env.get("PlatformProject", "again")).metadata.finalizers).toEqual([FINALIZER]);
  await env.apply(project("late"));
  await env.patch("PlatformApplication", "shop", deploying(NEXT_COMMIT));
  await env.patch("PlatformProject", "shop", { spec: { description: "old words" } });
  const past = await present(env);
  await env.patch("PlatformProject", "again", { metadata: { finalizers: null } });
  await env.remove("PlatformProject", "late");
  await env.apply(project("again", DELETE), project("late"));
  await env.patch("PlatformProject", "shop", { spec: { description: "new words" } });
  return past;
}

/** Runs the operator until all of it is done. */
async function catchUp(env: ChaosEnv): Promise<void> {
  await env.start();
  for (const name of ["again", "late", "shop"]) await env.waitFor("PlatformProject", name, { status: "True" }, 60_000);
  await env.waitFor("PlatformApplication", "shop", { status: "True" }, 60_000);
  await env.patch("PlatformApplication", "shop", deploying(COMMIT));
  await env.waitFor("PlatformApplication", "shop", { status: "True" }, 60_000);
}

/** Until the operator has gone to the API server about each of what is stale. */
async function noticed(env: ChaosEnv, since: number): Promise<void> {
  await vi.waitFor(
    () => {
      const calls = new Set(env.calls.filter(({ k }) => k > since).map(({ what }) => what));
      expect(STALE.filter((one) => !calls.has(`kube GET ${one}`))).toEqual([]);
    },
    { timeout: 20_000, interval: 50 },
  );
}

/** The first is the deeper one: what is known of the connection lets the operator act at once. */
const ways: readonly (readonly [string, (env: ChaosEnv, machine: TimeMachine, past: Past) => Promise<void>])[] = [
  [
    "while it runs",
    (_, machine, past) => {
      machine.travel(past);
      return Promise.resolve();
    },
  ],
  [
    "after a restart",
    async (env, machine, past) => {
      await env.kill();
      machine.travel(past);
      await env.start();
    },
  ],
];

describe("[B1] time travel", () => {
  it.concurrent.for(ways.slice(0, effort.cases(1, 2)))(
    "%s changes nothing on the word of an old list",
    async ([, go], { task, expect }) => {
      await using env = await openChaosEnv({ surface: "full", windows: PATIENT });
      const past = await history(env);
      const machine = timeMachine();
      env.interceptor = machine;
      await catchUp(env);
      const since = env.calls.length;
      await go(env, machine, past);
      await noticed(env, since);
      machine.back();
      await env.apply(project("next"));
      await env.waitFor("PlatformProject", "next", { status: "True" }, 60_000);
      expect(changesSince(env, since)).toEqual(["createProject next"]);
      // What the past had replaced is followed as before.
      for (const name of ["again", "late", "shop"]) {
        await env.patch("PlatformProject", name, { spec: { description: "today's words" } });
        await env.waitFor("PlatformProject", name, { status: "True" }, 60_000);
      }
      const names = [...env.platform.world().projects.values()].map(({ name }) => name);
      expect(names.toSorted()).toEqual(["again", "late", "next", "shop"]);
      figure(task, "0 changes of the platform by a cache of an earlier time");
    },
  );
});
