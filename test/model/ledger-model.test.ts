/**
 * The ledger's protocol (docs/project/architecture.md §6), explored: the engine's own code, its writer and its fence, in every
 * order of what can happen to it. Time is in ticks of 5 s: an intent may be sent within one, a lease lasts three, and
 * what was sent lands within three (production: 60 s) unless the case says otherwise.
 */
import { describe, expect, it, type TestContext } from "vitest";

import { INTENT } from "../../src/api/names.ts";
import { conditionOf } from "../../src/engine/contract/status.ts";
import { isObject, member } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { randomNumbers } from "../chaos/in-process/choose.ts";
import { silent, widget } from "../support/engine/kinds.ts";
import { effort } from "../support/env/effort.ts";
import { figure } from "../support/platform/figure.ts";
import { explore, follow, rested, wander, type Explored } from "./ledger/explore.ts";
import { createProcesses } from "./ledger/process.ts";
import type { Rules } from "./ledger/run.ts";
import type { Setting } from "./ledger/steps.ts";
import { begin, edited, type World } from "./ledger/world.ts";

const SPEC: JsonObject = { name: "a", lifecycle: { deletionPolicy: "Delete" } };

function settingOf(rules: Partial<Rules> = {}, more: Partial<Setting> = {}): Setting {
  const processes = createProcesses(rules);
  const changed = { create: { note: "n" }, deploy: { commit: "c2" } };
  return {
    processes,
    surface: rules.surface ?? "Full",
    edit: (spec) => ({
      ...(spec as JsonObject),
      ...(member(spec, "commit") === undefined ? changed.create : changed.deploy),
    }),
    beyond: false,
    taken: (body) => body,
    repeatableOnce: false,
    ...more,
  };
}

type Work = "create" | "deploy";

async function ahead(setting: Setting, work: Work, faults: number): Promise<World> {
  const first = begin(SPEC, faults);
  if (work === "create") return first;
  const settled = await rested(setting, first, faults);
  return edited(settled, "deploy", { spec: { ...SPEC, commit: "c1" } });
}

/** Explores the worlds up to that depth, and expects that all of them keep the rules. */
async function expectExplored(task: TestContext["task"], ...what: Parameters<typeof explore>): Promise<Explored> {
  const explored = await explore(...what);
  expect(explored.counterexample).toBeUndefined();
  const { states, depth, complete } = explored;
  figure(task, `${states} states, ${complete ? `all there are, ${depth} moves deep` : `depth ${depth}`}`);
  return explored;
}

const WAYS = effort.cases(20, 600);

async function expectWalked(setting: Setting, first: World) {
  const walked = await wander(setting, first, { ways: WAYS, length: 80, random: randomNumbers(effort.seed) });
  expect(walked.counterexample).toBeUndefined();
  return walked;
}

const WORKS = (["Full", "Documented"] as const).flatMap((surface) =>
  (["create", "deploy"] as const).map((work) => ({ surface, work })),
);

/** The beginnings of the labels of a path's moves. */
const way = (...labels: readonly string[]): readonly RegExp[] =>
  labels.flatMap((some) => some.split("; ")).map((label) => new RegExp(`^${label}`));

/** A second process leads, while the first is about to write its intent. */
const OVERTAKEN = way("A begins; A: list →; A is cut; time; time; time; another");
/** A second process leads, while the first is frozen since its intent was stored. */
const FROZEN = way("A begins; A: list →; A: writes .* freezes; A is cut; time; time; time; another");
/** And the second one has waited for its window, and found that it had no effect. */
const GIVEN_UP = [
  ...FROZEN,
  ...way("B begins; B: list →; time; time; time; B: writes the status .* done$; B begins; B: list →"),
];
/** A second process leads, while the first is about to clear an intent that had no effect. */
const CLEARING = way(
  "A begins; A: list →; A: writes the object .* done$; A: create, lost; A: writes the status .* done$",
  ".* is lost$; time; time; time; A begins; A: list →; A is cut; time; time; time; another",
);

/** What a broken API server makes of a patch: it compares no resourceVersion, or keeps no intent. */
const unchecked = ({ metadata, ...body }: JsonObject): JsonObject => ({
  ...body,
  metadata: { ...(metadata as JsonObject), resourceVersion: undefined },
});
const forgetful = (body: JsonObject): JsonObject => {
  const { metadata } = body;
  const annotations = member(metadata, "annotations");
  if (!isObject(annotations)) return body;
  return { ...body, metadata: { ...(metadata as JsonObject), annotations: { ...annotations, [INTENT]: undefined } } };
};

/** A kind that asks a person where a read would do. */
const unread: Rules["kind"] = {
  ...widget,
  trace: (intent, context, api) => widget.trace(intent, { ...context, isFull: false }, api),
};

/** A run of all of them takes minutes, and the machine may be busy. */
const PATIENCE = { timeout: 900_000 };

describe("[M1] the ledger keeps its rules in every order of events", PATIENCE, () => {
  it.for(WORKS)("without faults, with any delays: $work on $surface", async ({ surface, work }, { task }) => {
    const setting = settingOf({ surface });
    const explored = await expectExplored(task, setting, await ahead(setting, work, 0), 60);
    expect(explored.complete).toBe(true);
  });

  it.for(WORKS)("with two faults or edits by the user: $work on $surface", async ({ surface, work }, { task }) => {
    const setting = settingOf({ surface });
    await expectExplored(task, setting, await ahead(setting, work, 2), effort.cases(6, 9));
  });

  it.for(WORKS)("on random paths with five faults: $work on $surface", async ({ surface, work }, { task }) => {
    const setting = settingOf({ surface });
    const walked = await expectWalked(setting, await ahead(setting, work, 5));
    figure(task, `${walked.moves} moves on ${WAYS} ways`, WAYS);
  });

  it("for an action that may be repeated: it is sent at most twice", async ({ task }) => {
    const setting = settingOf({ kind: silent }, { repeatableOnce: true, edit: undefined });
    const first = await ahead(setting, "deploy", 2);
    await expectExplored(task, setting, first, effort.cases(7, 11));
    await expectWalked(setting, { ...first, faults: 5 });
  });

  it.for([
    { what: "about to write its intent", first: OVERTAKEN, more: 0, deep: 15 },
    { what: "frozen since its intent was stored", first: FROZEN, more: 0, deep: 15 },
    { what: "about to clear an intent that had no effect", first: CLEARING, more: effort.cases(0, 1), deep: 12 },
  ])("while a second process leads, and the first is $what", async ({ first, more, deep }, { task }) => {
    const setting = settingOf({}, { edit: undefined });
    const overtaken = await follow(setting, begin(SPEC, 3), first);
    await expectExplored(task, setting, { ...overtaken, faults: more }, effort.cases(9, deep));
  });

  it("for the intent of the next process, whose request is under way: the first does not clear it", async () => {
    const setting = settingOf();
    const overtaken = await follow(setting, begin(SPEC, 3), CLEARING);
    const retried = way(
      "B begins; B: list →; time; time; time; B: writes the status .* done$; B begins; B: list →",
      "B: writes the object .* done$; B: list →; B: writes the object .* done$",
      "B: create, crashes; A: writes the object .* Conflict$",
    );
    const cleared = await follow(setting, overtaken, retried);
    expect(cleared.object?.metadata.annotations).toHaveProperty([INTENT]);
  });
});

describe("[M1] when a request lands after its window, against the ledger's assumption,", PATIENCE, () => {
  /** The window of a slow request is over, and the create is about to be tried again. */
  const RETRYING = way(
    "A begins; A: list →; A: writes the object .* done$; A: create, lost or slow; A: writes the status .* done$",
    "time; time; time; A begins; A: list →; A: writes the object .* done$; A: list →; A: writes the object .* done$",
  );

  it("nothing is deleted, and nothing hangs", async ({ task }) => {
    const setting = settingOf({}, { beyond: true, edit: undefined });
    const retrying = await follow(setting, begin(SPEC, 1), RETRYING);
    await expectExplored(task, setting, { ...retrying, faults: 1 }, effort.cases(6, 10));
  });

  it("a duplicate that a trace can see is reported and left to a person", async () => {
    const setting = settingOf({}, { beyond: true, edit: undefined });
    const late = [...RETRYING, ...way("A: create, executed but not answered$; .* lands$")];
    const { object, remotes } = await rested(setting, await follow(setting, begin(SPEC, 2), late), 0);
    expect(remotes).toHaveLength(2);
    expect(conditionOf(object ?? {}, "Stalled")).toMatchObject({ status: "True", reason: "DuplicateRemote" });
  });
});

describe("[M1] the model finds the defect of", PATIENCE, () => {
  const duplicate = /✗ 2 objects exist on the platform$/;
  const noEdit = { edit: undefined };
  const unfenced = { fenced: false, windows: { sendMs: 1e9 } };
  it.for([
    {
      what: "a create that is tried again within its window",
      broken: settingOf({ windows: { landingMs: 0 } }, noEdit),
      finds: duplicate,
    },
    {
      what: "a trace that does not read the list of the surface",
      broken: settingOf({ kind: unread }),
      finds: /✗ it stalls on a create whose id a read finds$/,
    },
    {
      what: "an action that is repeated",
      broken: settingOf({ kind: silent }, noEdit),
      work: "deploy",
      finds: /✗ \S+ was deployed 2 times$/,
    },
    {
      what: "an intent that is not stored before its request",
      broken: settingOf({}, { taken: forgetful }),
      finds: /✗ A sends "create", which it did not announce in this reconcile$/,
    },
    {
      what: "an API server that compares no resourceVersion",
      broken: settingOf({}, { taken: unchecked }),
      after: OVERTAKEN,
      finds: /✗ it is Ready with an open intent$/,
    },
    {
      what: "a process that wakes up, with neither fence nor send window",
      broken: settingOf(unfenced, noEdit),
      after: GIVEN_UP,
      finds: duplicate,
    },
  ] as const)("$what", async ({ broken, finds, ...rest }, { task }) => {
    const begun = await ahead(broken, "work" in rest ? rest.work : "create", 3);
    // What led there were the faults.
    const first =
      "after" in rest ? { ...(await follow(broken, begun, rest.after)), faults: 0 } : { ...begun, faults: 1 };
    const explored = await explore(broken, first, 40);
    expect(explored.counterexample).toMatch(finds);
    figure(task, `found after ${explored.states} states`);
  });
});
