/** One run of the life, with or without a crash in it. */
import { isDeepStrictEqual } from "node:util";

import type { Surface } from "../../../simulator/base/operations.ts";
import { member, parseJson } from "../../../src/kube/api/json.ts";
import { comes } from "../../support/env/cluster.ts";
import { type ChaosEnv, openChaosEnv } from "../env.ts";
import { exposures } from "../exposures.ts";
import { holdings } from "../holdings.ts";
import type { Answer, Call, Interceptor } from "../tap/call.ts";
import { doubleActions } from "./actions.ts";
import { contradictionOf, dishonesty, type Sample } from "./honesty.ts";
import { duplicates, inventory, leaks, textOf, upsets } from "./invariants.ts";
import { CHAPTERS, type Chapter, FIRST, MEMBERS, SECOND } from "./life.ts";
import { mostPasses, type ReconcileCounts } from "./passes.ts";
import { crashInterceptor, type Plan } from "./plan.ts";
import { restlessness } from "./rest.ts";
import { otherEnds, type Step, type Trace } from "./trace.ts";
import { busyness, namesIn } from "./updates.ts";

/** What a run showed. */
export interface Run {
  readonly steps: readonly Step[];
  /** Per chapter, each object's conditions at its end. */
  readonly ends: Trace["ends"];
  /** Per chapter, what the platform holds at its end. */
  readonly held: Trace["held"];
  readonly violations: readonly string[];
  /** The kinds of what nobody could know of, and what one command solved. */
  readonly unknowns: readonly string[];
  /** From the restart to the end of the chapter of the crash. */
  readonly passes: ReconcileCounts;
  /** How long after the restart the chapter of the crash had come to its end. */
  readonly convergedMs: number;
  /** Whether the operator was killed. */
  readonly crashed: boolean;
}

/** What a slow machine may take to show the end that it comes to; what is stuck never does. */
const PATIENCE_MS = 60_000;

/**
 * Lives a life; with a plan, up to the chapter of its crash and then straight to the end.
 * @param expected how the chapters should end: what differs is given time, as a slow machine polls late.
 */
export async function live(surface: Surface, plan?: Plan, expected?: Ends): Promise<Run> {
  const { uniqueNames = true } = plan ?? {};
  await using env = await openChaosEnv({ surface, uniqueNames, args: ["--leader-elect=false"] });
  const before = inventory(env);
  const secrets = [env.platform.tokens.admin, FIRST, SECOND];
  const samples: Sample[] = [];
  const done: string[] = [];
  const onAnswer: NonNullable<Interceptor["onAnswer"]> = (call, answer) => {
    samples.push(...sampleOf(env, call, answer));
    if (call.side === "kube" && answer.status < 300) done.push(call.what);
  };
  const crash = plan === undefined ? undefined : crashInterceptor(plan);
  const steps: Step[] = [];
  const ends: Trace["ends"] = {};
  const held: Trace["held"] = {};
  const found: string[] = [];
  let passes: ReconcileCounts = { acting: 0, writing: 0 };
  let convergedMs = 0;

  for (const chapter of chaptersOf(surface, plan)) {
    const from = env.calls.length;
    const isIts = plan?.step.chapter === chapter.name;
    const { unrest, ...times } = await lived(env, chapter, onAnswer, isIts ? crash : undefined);
    found.push(...unrest);
    const end = await endOf(env, chapter, expected, isIts || plan === undefined);
    ends[chapter.name] = end.conditions;
    held[chapter.name] = end.held;
    steps.push(...env.calls.slice(from).map(({ what, nth }) => ({ chapter: chapter.name, what, nth })));
    if (isIts) {
      const since = env.calls.slice(from).filter(({ pid }) => pid === env.operator.pid);
      passes = mostPasses(since, env.operator.logs());
      ({ convergedMs } = times);
    }
  }

  found.push(
    ...duplicates(env),
    ...leaks(env, before, surface),
    ...doubleActions(env, 1),
    ...dishonesty(samples),
    ...(expected === undefined ? [] : busyness(done, namesIn(expected.steps, Object.keys(ends)))),
    ...upsets(env),
    ...exposures(env, secrets),
  );
  return {
    steps,
    ends,
    held,
    violations: found,
    unknowns: env.unknowns.map(({ kind }) => kind),
    passes,
    convergedMs,
    crashed: crash?.met() ?? false,
  };
}

/** A chapter that is over. */
interface Lived {
  /** What does not come to rest at its end. */
  readonly unrest: readonly string[];
  /** How long it took from the restart to the end, 0 without a crash. */
  readonly convergedMs: number;
}

/** Lives one chapter, with the crash in it. */
async function lived(
  env: ChaosEnv,
  chapter: Chapter,
  onAnswer: NonNullable<Interceptor["onAnswer"]>,
  crash: ReturnType<typeof crashInterceptor> | undefined,
): Promise<Lived> {
  env.interceptor = { ...crash, onAnswer };
  const end = new AbortController();
  const revived = crash === undefined ? undefined : env.revive(end.signal).then(() => performance.now());
  await chapter.act(env);
  await chapter.over(env);
  let over = performance.now();
  let [unrest, convergedMs] = [await restlessness(env), 0];
  if (crash?.met() === true) {
    // It may have come as late as that.
    const up = (await revived) ?? over;
    await chapter.over(env);
    if (up > over) over = performance.now();
    convergedMs = over - up;
    unrest = await restlessness(env);
  }
  end.abort();
  env.interceptor = { onAnswer };
  return { unrest, convergedMs };
}

function chaptersOf(surface: Surface, plan: Plan | undefined): readonly Chapter[] {
  const all = CHAPTERS.filter(({ only = surface }) => only === surface);
  if (plan === undefined) return all;
  const at = all.findIndex(({ name }) => name === plan.step.chapter);
  return all.filter((_, index) => index <= at || index === all.length - 1);
}

function sampleOf(env: ChaosEnv, { side, method, what }: Call, { status, body }: Answer): readonly Sample[] {
  if (side !== "kube" || method !== "PATCH" || status !== 200 || !what.includes(" platform")) return [];
  const object = parseJson(body.toString());
  const generation = member(member(object, "metadata"), "generation");
  return [
    {
      name: what.replace("kube PATCH ", "").replace("/status", ""),
      generation: typeof generation === "number" ? generation : 0,
      status: member(object, "status"),
      // What was only kept beside something else was not said anew.
      ...(what.endsWith("/status") && {
        contradiction: contradictionOf(member(object, "status"), env.platform.world()),
      }),
    },
  ];
}

/** How chapters should end, and what is done on the way. */
type Ends = Pick<Trace, "ends" | "held" | "steps">;

/** How one ended. */
interface End {
  readonly conditions: Trace["ends"][string];
  readonly held: Trace["held"][string];
}

/**
 * Looks until a chapter has ended as it should, for a while. What a person vouched for may end otherwise.
 * @param wholly whether the platform should hold the same too: a life that was cut short leaves something else.
 */
async function endOf(env: ChaosEnv, { name }: Chapter, expected: Ends | undefined, wholly: boolean): Promise<End> {
  const look = async (): Promise<End> => ({
    conditions: await conditions(env),
    held: [...holdings(env.platform.world())],
  });
  let end = await look();
  if (expected === undefined) return end;
  await comes(async () => {
    end = await look();
    const confirmedByUser = env.unknowns.map(({ kind }) => kind);
    const sameConditions = otherEnds(end.conditions, expected.ends[name], confirmedByUser).length === 0;
    return (sameConditions && (!wholly || isDeepStrictEqual(end.held, expected.held[name]))) || undefined;
  }, PATIENCE_MS);
  return end;
}

async function conditions(env: ChaosEnv): Promise<Trace["ends"][string]> {
  const shown: Trace["ends"][string] = {};
  for (const [kind, name] of MEMBERS) {
    const object = await env.find(kind, name);
    const list = member(object?.status, "conditions");
    if (!Array.isArray(list)) continue;
    shown[`${kind}/${name}`] = list
      .map((one) => `${textOf(member(one, "type"))}=${textOf(member(one, "status"))}/${textOf(member(one, "reason"))}`)
      .toSorted();
  }
  return shown;
}
