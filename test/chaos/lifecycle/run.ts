/** Runs the lifecycle, with or without a crash. */
import { isDeepStrictEqual } from "node:util";

import type { Surface } from "../../../simulator/base/operations.ts";
import { conditionsOf } from "../../../src/engine/contract/status.ts";
import { member, parseJson } from "../../../src/kube/api/json.ts";
import { comes } from "../../support/env/cluster.ts";
import { type ChaosEnv, openChaosEnv } from "../env.ts";
import { exposures } from "../exposures.ts";
import { holdings } from "../holdings.ts";
import type { Answer, Call, Interceptor } from "../tap/call.ts";
import { doubleActions } from "./actions.ts";
import { CHAPTERS, type Chapter, MEMBERS, NEW_SECRET, OLD_SECRET } from "./chapters.ts";
import { writesWhenIdle } from "./idle.ts";
import { duplicates, inventory, leaks, loggedErrors } from "./invariants.ts";
import { crashInterceptor, type Plan } from "./plan.ts";
import { maxReconciles, type ReconcileCounts } from "./reconciles.ts";
import { inaccurateStatuses, mismatchOf, type Sample } from "./statuses.ts";
import { otherEnds, type Step, type Trace, whenOutOfDate } from "./trace.ts";
import { excessWrites, namesIn } from "./updates.ts";

/** The time limit until the final state matches; a slow machine polls late. */
const TIMEOUT_MS = 60_000;

/**
 * Runs all chapters; with a plan, those up to its crash and the last one.
 * @param expected the reference to wait for at the end of each chapter
 */
export async function runLifecycle(surface: Surface, plan?: Plan, expected?: Reference) {
  const { uniqueNames = true } = plan ?? {};
  await using env = await openChaosEnv({ surface, uniqueNames, args: ["--leader-elect=false"] });
  const before = inventory(env);
  const secrets = [env.platform.tokens.admin, OLD_SECRET, NEW_SECRET];
  const samples: Sample[] = [];
  const done: string[] = [];
  const onAnswer: NonNullable<Interceptor["onAnswer"]> = (call, answer) => {
    samples.push(...sampleOf(env, call, answer));
    if (call.side === "kube" && answer.status < 300) done.push(call.what);
  };
  const crash = plan === undefined ? undefined : crashInterceptor(plan);
  const steps: Step[] = [];
  const ends: Trace["ends"] = {};
  const reference: Trace["ends"] = {};
  const held: Trace["held"] = {};
  const violations: string[] = [];
  let reconciles: ReconcileCounts = { acting: 0, writing: 0 };
  let convergedMs = 0;

  for (const chapter of chaptersOf(surface, plan)) {
    const from = env.calls.length;
    const hasCrash = plan?.step.chapter === chapter.name;
    const result = await runChapter(env, chapter, onAnswer, hasCrash ? crash : undefined);
    violations.push(...result.violations);
    const final = await finalState(env, chapter, expected, plan);
    ends[chapter.name] = final.conditions;
    reference[chapter.name] = final.reference;
    held[chapter.name] = final.held;
    steps.push(...env.calls.slice(from).map(({ what, nth }) => ({ chapter: chapter.name, what, nth })));
    if (hasCrash) {
      const sinceRestart = env.calls.slice(from).filter(({ pid }) => pid === env.operator.pid);
      reconciles = maxReconciles(sinceRestart, env.operator.logs());
      ({ convergedMs } = result);
    }
  }

  violations.push(
    ...duplicates(env),
    ...leaks(env, before, surface),
    ...doubleActions(env, 1),
    ...inaccurateStatuses(samples),
    ...(expected === undefined ? [] : excessWrites(done, namesIn(expected.steps, Object.keys(ends)))),
    ...loggedErrors(env),
    ...exposures(env, secrets),
  );
  return {
    steps,
    ends,
    /** The conditions that each chapter should end with. */
    reference,
    held,
    violations,
    /** The kinds of the objects with an unknown result that the user resolved. */
    resolved: env.userActions.map(({ kind }) => kind),
    /** Between the restart and the end of the crash's chapter, as is the time. */
    reconciles,
    convergedMs,
    crashed: crash?.reached() ?? false,
  };
}

async function runChapter(
  env: ChaosEnv,
  chapter: Chapter,
  onAnswer: NonNullable<Interceptor["onAnswer"]>,
  crash: ReturnType<typeof crashInterceptor> | undefined,
) {
  env.interceptor = { ...crash, onAnswer };
  const end = new AbortController();
  const restarted = crash === undefined ? undefined : env.restartAfterCrash(end.signal).then(() => performance.now());
  await chapter.act(env);
  await chapter.complete(env);
  let completedAt = performance.now();
  let [violations, convergedMs] = [await writesWhenIdle(env), 0];
  if (crash?.reached() === true) {
    // The crash may come after the chapter was complete.
    const restartedAt = (await restarted) ?? completedAt;
    await chapter.complete(env);
    if (restartedAt > completedAt) completedAt = performance.now();
    convergedMs = completedAt - restartedAt;
    violations = await writesWhenIdle(env);
  }
  end.abort();
  env.interceptor = { onAnswer };
  return {
    violations,
    /** The time from the restart to the end; 0 without a crash. */
    convergedMs,
  };
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
      // A write of metadata returns a status that was not written now.
      ...(what.endsWith("/status") && { mismatch: mismatchOf(member(object, "status"), env.platform.world()) }),
    },
  ];
}

type Reference = Pick<Trace, "ends" | "held" | "steps">;

/**
 * Returns the state at the end of a chapter, and the conditions that it should have; waits until the state matches the
 * reference, or for TIMEOUT_MS.
 * @param plan the kill of the run; undefined for a run without a kill. What the platform holds is compared in the
 *   chapter of the kill alone, as it differs after skipped chapters.
 */
async function finalState(env: ChaosEnv, { name }: Chapter, expected: Reference | undefined, plan: Plan | undefined) {
  const hasCrash = plan?.step.chapter === name;
  const comparesHeld = hasCrash || plan === undefined;
  const landsLate = hasCrash && plan.phase === "late" && plan.step.what.startsWith("platform ");
  const should = expected?.ends[name] ?? {};
  const read = async () => {
    const world = env.platform.world();
    const isOutOfDate = [...world.services.values()].some(
      (service) => service.name === "api" && service.deploymentStatus === "OUT_OF_DATE",
    );
    const reference = landsLate && isOutOfDate ? whenOutOfDate(should) : should;
    return { conditions: await conditions(env), reference, held: [...holdings(world)] };
  };
  let state = await read();
  if (expected === undefined) return state;
  await comes(async () => {
    state = await read();
    const confirmedByUser = env.userActions.map(({ kind }) => kind);
    const sameConditions = otherEnds(state.conditions, state.reference, confirmedByUser).length === 0;
    return (sameConditions && (!comparesHeld || isDeepStrictEqual(state.held, expected.held[name]))) || undefined;
  }, TIMEOUT_MS);
  return state;
}

async function conditions(env: ChaosEnv): Promise<Trace["ends"][string]> {
  const found: Trace["ends"][string] = {};
  for (const [kind, name] of MEMBERS) {
    const object = await env.find(kind, name);
    const list = object === undefined ? [] : conditionsOf(object);
    if (list.length === 0) continue;
    found[`${kind}/${name}`] = list.map(({ type, status, reason }) => `${type}=${status}/${reason}`).toSorted();
  }
  return found;
}
