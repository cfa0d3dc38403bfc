/** One run of the life, with or without a crash in it. */
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

import { member, parseJson } from "../../../src/kube/json.ts";
import { RESOURCES } from "../../../src/resources/index.ts";
import type { Surface } from "../../../src/simulator/operations.ts";
import { comes } from "../../support/cluster.ts";
import { type Bed, openBed, POLL_MS } from "../bed.ts";
import type { Answer, Call, Director } from "../tap/call.ts";
import { CHAPTERS, type Chapter, MEMBERS } from "./life.ts";
import {
  dishonesty,
  doubleActions,
  duplicates,
  exposures,
  holdings,
  leaks,
  type Sample,
  textOf,
  upsets,
} from "./oracles.ts";
import { directorOf, isWrite, type Plan } from "./plan.ts";
import type { Step, Trace } from "./trace.ts";

/** What a run showed. */
export interface Run {
  readonly steps: readonly Step[];
  /** Per chapter, each object's conditions at its end. */
  readonly ends: Trace["ends"];
  readonly violations: readonly string[];
  /** The kinds of what nobody could know of, and what one command solved. */
  readonly unknowns: readonly string[];
  /** The most passes from the restart on that wrote something of one object. */
  readonly reconciles: number;
  /** Whether the operator was killed. */
  readonly crashed: boolean;
}

const PLURALS: ReadonlyMap<string, string> = new Map(RESOURCES.map(({ kind, plural }) => [kind, plural]));

/** How long nothing may be written for the operator to be at rest. */
const QUIET_MS = 3 * POLL_MS + 100;
/** What it may take to come to rest: first looks after Ready may fill in a count. */
const RESTLESS_MS = 15_000;

/**
 * Lives a life; with a plan, up to the chapter of its crash and then straight to the end.
 * @param expected how the chapters should end: what differs is given a moment, as a slow machine polls late.
 */
export async function live(surface: Surface, plan?: Plan, expected?: Trace["ends"]): Promise<Run> {
  await using bed = await openBed({ surface, args: ["--leader-elect=false", "--log-level=debug"] });
  const before = holdings(bed);
  const secrets = [bed.platform.tokens.admin, "first-s3cret", "second-s3cret"];
  const samples: Sample[] = [];
  const answered: NonNullable<Director["answered"]> = (call, answer) => samples.push(...sampleOf(call, answer));
  const crash = plan === undefined ? undefined : directorOf(plan);
  const steps: Step[] = [];
  const ends: Trace["ends"] = {};
  const found: string[] = [];
  let reconciles = 0;

  for (const chapter of chaptersOf(plan)) {
    const from = bed.calls.length;
    const isIts = plan?.step.chapter === chapter.name;
    found.push(...(await lived(bed, chapter, answered, isIts ? crash : undefined)));
    ends[chapter.name] = await endOf(bed, expected?.[chapter.name]);
    steps.push(...bed.calls.slice(from).map(({ what, nth }) => ({ chapter: chapter.name, what, nth })));
    if (isIts) reconciles = mostPasses(bed, from);
  }

  found.push(
    ...duplicates(bed),
    ...leaks(bed, before, surface),
    ...doubleActions(bed, 1),
    ...dishonesty(samples),
    ...upsets(bed),
    ...exposures(bed, secrets),
  );
  return {
    steps,
    ends,
    violations: found,
    unknowns: bed.unknowns.map(({ kind }) => kind),
    reconciles,
    crashed: crash?.met() ?? false,
  };
}

/** Lives one chapter, with the crash in it. @returns what does not come to rest at its end */
async function lived(
  bed: Bed,
  chapter: Chapter,
  answered: NonNullable<Director["answered"]>,
  crash: ReturnType<typeof directorOf> | undefined,
): Promise<readonly string[]> {
  bed.director = { ...crash, answered };
  const end = new AbortController();
  const revived = crash === undefined ? undefined : bed.revive(end.signal);
  await chapter.act(bed);
  await chapter.over(bed);
  let unrest = await restlessness(bed);
  if (crash?.met() === true) {
    // It may have come as late as that.
    await revived;
    await chapter.over(bed);
    unrest = await restlessness(bed);
  }
  end.abort();
  bed.director = { answered };
  return unrest;
}

function chaptersOf(plan: Plan | undefined): readonly Chapter[] {
  if (plan === undefined) return CHAPTERS;
  const at = CHAPTERS.findIndex(({ name }) => name === plan.step.chapter);
  return CHAPTERS.filter((_, index) => index <= at || index === CHAPTERS.length - 1);
}

function sampleOf({ side, method, what }: Call, { status, body }: Answer): readonly Sample[] {
  if (side !== "kube" || method !== "PATCH" || status !== 200 || !what.includes(" platform")) return [];
  const object = parseJson(body.toString());
  const generation = member(member(object, "metadata"), "generation");
  return [
    {
      name: what.replace("kube PATCH ", "").replace("/status", ""),
      generation: typeof generation === "number" ? generation : 0,
      status: member(object, "status"),
    },
  ];
}

/** O4: comes to rest, and stays there. */
async function restlessness(bed: Bed): Promise<readonly string[]> {
  const until = performance.now() + RESTLESS_MS;
  for (;;) {
    const from = bed.calls.length;
    await sleep(QUIET_MS);
    const writes = bed.calls.slice(from).filter(({ what }) => isWrite(what) && !what.includes(" events "));
    if (writes.length === 0) return [];
    if (performance.now() > until) return [`O4 does not come to rest: ${writes.map(({ what }) => what).join(", ")}`];
  }
}

/** What nobody could know of may end otherwise. */
async function endOf(bed: Bed, expected: Trace["ends"][string] | undefined): Promise<Trace["ends"][string]> {
  let shown = await conditions(bed);
  if (expected === undefined || bed.unknowns.length > 0) return shown;
  await comes(async () => {
    shown = await conditions(bed);
    return isDeepStrictEqual(shown, expected) || undefined;
  }, RESTLESS_MS);
  return shown;
}

async function conditions(bed: Bed): Promise<Trace["ends"][string]> {
  const shown: Trace["ends"][string] = {};
  for (const [kind, name] of MEMBERS) {
    const object = await bed.find(kind, name);
    const list = member(object?.status, "conditions");
    if (!Array.isArray(list)) continue;
    shown[`${kind}/${name}`] = list
      .map((one) => `${textOf(member(one, "type"))}=${textOf(member(one, "status"))}/${textOf(member(one, "reason"))}`)
      .toSorted();
  }
  return shown;
}

/**
 * The most passes that any object took from the restart on and that wrote something of it. The others only look, at what
 * the platform is at or for what is waited for: how many they are says how fast the machine is.
 */
function mostPasses(bed: Bed, from: number): number {
  const ends = new Map<string, number[]>();
  for (const { message, kind, name, time } of bed.operator.logs()) {
    if (message !== "reconciled" || typeof name !== "string" || typeof time !== "string") continue;
    const key = `${PLURALS.get(textOf(kind)) ?? ""}/${name}`;
    ends.set(key, [...(ends.get(key) ?? []), Date.parse(time)]);
  }
  const passes = new Set<string>();
  for (const { what, at, pid } of bed.calls.slice(from)) {
    const [, key] = /^kube PATCH (platform\w+\/[^/]+)/.exec(what) ?? [];
    if (key === undefined || pid !== bed.operator.pid) continue;
    passes.add(`${key} ${(ends.get(key) ?? []).findIndex((end) => end >= at)}`);
  }
  const counts = Map.groupBy(passes, (pass) => pass.split(" ")[0]);
  return Math.max(0, ...[...counts.values()].map(({ length }) => length));
}
