/** A plan kills the operator at one call of the lifecycle, in one phase. */
import type { Surface } from "../../../simulator/base/operations.ts";
import { effort } from "../../support/env/effort.ts";
import { PHASES, type Call, type Interceptor, type Phase } from "../tap/call.ts";
import { readTrace, type Step } from "./trace.ts";

export interface Plan {
  /** E.g. "full-037-after": the same in every run. */
  readonly name: string;
  readonly surface: Surface;
  readonly step: Step;
  readonly phase: Phase;
  /** Whether the platform refuses a name that is taken; otherwise a second create succeeds. */
  readonly uniqueNames: boolean;
}

/** How long after the kill a late call takes effect: before an absent effect may be tried again (FAST.landingMs). */
export const LATE_MS = 700;

/** Returns every plan of a surface: the phases of each call that a lifecycle always makes. */
export function plansOf(surface: Surface): readonly Plan[] {
  return readTrace(surface).steps.flatMap((step, index) =>
    (step.optional === true ? [] : phasesOf(step)).map((phase, at) => ({
      name: `${surface}-${String(index + 1).padStart(3, "0")}-${phase}`,
      surface,
      step,
      phase,
      // Both values occur for each step and for each phase.
      uniqueNames: (index + at) % 2 === 0,
    })),
  );
}

/**
 * A read has no effect, so a kill before it equals a kill after it. Nothing reads events, so the other phases of their
 * writes add nothing.
 */
function phasesOf({ what }: Step): readonly Phase[] {
  if (!isWrite(what)) return ["before", "replied"];
  return what.startsWith("kube POST events") ? ["before", "after"] : PHASES;
}

/** Replays single plans: CHAOS_PLAN=full-037-after,documented-002-before */
const named = (process.env["CHAOS_PLAN"] ?? "").split(",").filter((name) => name !== "");

/**
 * Returns the plans to run: those that CHAOS_PLAN names, all in `make chaos`, or in `make test` one kill after a call
 * that must not happen twice, chosen by the seed.
 */
export function chosen(plans: readonly Plan[]): readonly Plan[] {
  if (named.length > 0) return plans.filter(({ name }) => named.includes(name));
  if (effort.all) return plans;
  const vital = plans.filter(({ step, phase }) => phase === "after" && step.nth === 1 && VITAL.test(step.what));
  return vital.filter((_, index) => index === effort.seed % vital.length);
}

/** Calls that must not happen twice. */
const VITAL =
  /^platform (create(Project|Environment|Application|Database)|deployApplication|stop(Application|Database))/;

const READ = /^(kube (GET|LIST|WATCH)|platform (GET |get|list))/;

export function isWrite(what: string): boolean {
  return !READ.test(what);
}

/** Returns an interceptor that kills the operator once, counting calls from the beginning of the plan's chapter. */
export function crashInterceptor(plan: Plan): Interceptor & { readonly reached: () => boolean } {
  const { step, phase } = plan;
  const ordinal = ordinalOf(plan);
  let seen = 0;
  return {
    reached: () => seen >= ordinal,
    decide: ({ what }: Call) => {
      if (what !== step.what || seen >= ordinal) return { do: "forward" };
      seen += 1;
      return seen === ordinal ? { do: "crash", phase, lateMs: LATE_MS } : { do: "forward" };
    },
  };
}

/** Returns the step's number within its chapter, as the number of calls in earlier chapters varies. */
function ordinalOf({ surface, step }: Plan): number {
  const same = readTrace(surface).steps.filter(({ what }) => what === step.what);
  const earlier = same.filter(({ chapter, nth }) => chapter !== step.chapter && nth < step.nth);
  return step.nth - Math.max(0, ...earlier.map(({ nth }) => nth));
}
