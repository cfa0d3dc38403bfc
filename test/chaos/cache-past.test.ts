/** The operator sees an earlier time (Sieve: "stale"): what it changes on the platform goes by what is. */
import { describe, expect, it, vi } from "vitest";

import { FINALIZER } from "../../src/api/names.ts";
import { effort } from "../support/env/effort.ts";
import { COMMIT, defaults, deploying, NEXT_COMMIT, project, tree } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";
import { type Bed, openBed } from "./bed.ts";
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
async function history(bed: Bed): Promise<Past> {
  await bed.apply(...defaults(bed), project("again", DELETE), ...tree(bed, "shop"));
  await bed.waitFor("PlatformProject", "again", { status: "True" }, 60_000);
  await bed.waitFor("PlatformApplication", "shop", { status: "True" }, 60_000);
  await bed.kill();
  await bed.remove("PlatformProject", "again");
  expect((await bed.get("PlatformProject", "again")).metadata.finalizers).toEqual([FINALIZER]);
  await bed.apply(project("late"));
  await bed.patch("PlatformApplication", "shop", deploying(NEXT_COMMIT));
  await bed.patch("PlatformProject", "shop", { spec: { description: "old words" } });
  const past = await present(bed);
  await bed.patch("PlatformProject", "again", { metadata: { finalizers: null } });
  await bed.remove("PlatformProject", "late");
  await bed.apply(project("again", DELETE), project("late"));
  await bed.patch("PlatformProject", "shop", { spec: { description: "new words" } });
  return past;
}

/** Runs the operator until all of it is done. */
async function catchUp(bed: Bed): Promise<void> {
  await bed.start();
  for (const name of ["again", "late", "shop"]) await bed.waitFor("PlatformProject", name, { status: "True" }, 60_000);
  await bed.waitFor("PlatformApplication", "shop", { status: "True" }, 60_000);
  await bed.patch("PlatformApplication", "shop", deploying(COMMIT));
  await bed.waitFor("PlatformApplication", "shop", { status: "True" }, 60_000);
}

/** Until the operator has gone to the API server about each of what is stale. */
async function noticed(bed: Bed, since: number): Promise<void> {
  await vi.waitFor(
    () => {
      const calls = new Set(bed.calls.filter(({ k }) => k > since).map(({ what }) => what));
      expect(STALE.filter((one) => !calls.has(`kube GET ${one}`))).toEqual([]);
    },
    { timeout: 20_000, interval: 50 },
  );
}

/** The first is the deeper one: what is known of the connection lets the operator act at once. */
const ways: readonly (readonly [string, (bed: Bed, machine: TimeMachine, past: Past) => Promise<void>])[] = [
  [
    "while it runs",
    (_, machine, past) => {
      machine.travel(past);
      return Promise.resolve();
    },
  ],
  [
    "after a restart",
    async (bed, machine, past) => {
      await bed.kill();
      machine.travel(past);
      await bed.start();
    },
  ],
];

describe("[B1] time travel", () => {
  it.concurrent.for(ways.slice(0, effort.cases(1, 2)))(
    "%s changes nothing on the word of an old list",
    async ([, go], { task, expect }) => {
      await using bed = await openBed({ surface: "full", windows: PATIENT });
      const past = await history(bed);
      const machine = timeMachine();
      bed.director = machine;
      await catchUp(bed);
      const since = bed.calls.length;
      await go(bed, machine, past);
      await noticed(bed, since);
      machine.back();
      await bed.apply(project("next"));
      await bed.waitFor("PlatformProject", "next", { status: "True" }, 60_000);
      expect(changesSince(bed, since)).toEqual(["createProject next"]);
      // What the past had replaced is followed as before.
      for (const name of ["again", "late", "shop"]) {
        await bed.patch("PlatformProject", name, { spec: { description: "today's words" } });
        await bed.waitFor("PlatformProject", name, { status: "True" }, 60_000);
      }
      const names = [...bed.platform.world().projects.values()].map(({ name }) => name);
      expect(names.toSorted()).toEqual(["again", "late", "next", "shop"]);
      figure(task, "0 changes of the platform by a cache of an earlier time", STALE.length);
    },
  );
});
