/** One change of one leaf on a living platform, judged: what is wrong about what came of it, in words. */
import { isDeepStrictEqual } from "node:util";

import type { Surface } from "../../../simulator/base/operations.ts";
import { isKube, KubeError } from "../../../src/kube/api/errors.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import type { Env } from "../../support/env/env.ts";
import { carriers, changesIn } from "./carried.ts";
import type { Case, LeafCases } from "./cases.ts";
import type { Lane, Rest } from "./lane.ts";
import type { Misuse, Outcome } from "./outcomes.ts";
import { valueAt } from "./place.ts";
import { differences, stateOf, type State } from "./state.ts";

type Calls = ReturnType<Lane["calls"]>;
type Problems = readonly string[];

/** An object of a lane, and a leaf of its spec. */
export interface Subject {
  readonly env: Env;
  readonly lane: Lane;
  readonly name: string;
  readonly leaf: LeafCases;
}

/** What to ask of the way back: the state that was, or just not, no more than Ready, or nothing, as there is none. */
export type Back = "restores" | "leaves" | "ready" | "none";

/** A valid change, and back. @returns what is wrong */
export async function tryChange(on: Subject, surface: Surface, back: Back): Promise<Problems> {
  const outcome = on.leaf.entry[surface];
  const change = () => tried(on, on.leaf.valid.spec, outcome);
  if (back === "none") return change();
  return thereAndBack(on, change, { back, silent: outcome.is !== "sent" });
}

async function tried({ lane, name }: Subject, spec: JsonObject, outcome: Outcome): Promise<Problems> {
  const { result, calls } = await watched(lane, () => attempt(() => lane.change(name, spec, endOf(outcome))));
  return problemsOf(outcome, result, calls);
}

/** An object that is created with the leaf's other value. @returns what is wrong */
export async function tryCreation({ lane, name, leaf }: Subject, surface: Surface): Promise<Problems> {
  const { entry } = leaf;
  const created = surface === "full" ? entry.created : (entry.createdDocumented ?? entry.created);
  const make = () => attempt(() => lane.create(name, leaf.valid.spec, endOf(created)));
  const { result, calls } = await watched(lane, make);
  if (created.is !== "local") return problemsOf(created, result, calls);
  return isReady(result) ? [] : [saying(result)];
}

/**
 * A value at the leaf's bounds, and back: an honest end, whatever it is, and where that is Ready the value was sent as
 * it stands. @returns what is wrong
 */
export async function tryBoundary(on: Subject, surface: Surface, bound: Case): Promise<Problems> {
  const change = async (): Promise<Problems> => {
    const { result, calls } = await watched(on.lane, () => attempt(() => on.lane.change(on.name, bound.spec)));
    const isHonest = "ready" in result && result.ready.reason !== "InternalError" && result.ready.message !== "";
    if (!isHonest) return [saying(result)];
    return isReady(result) ? unsent(on.leaf, surface, bound, calls) : [];
  };
  return thereAndBack(on, change, { back: "ready", silent: false });
}

/** What is wrong about a bound that is Ready: where a leaf's value is sent as it stands, its bounds are, too. */
function unsent({ base, leaf, entry }: LeafCases, surface: Surface, { value }: Case, calls: Calls): Problems {
  const outcome = entry[surface];
  if (outcome.is !== "sent" || value === undefined || !isDeepStrictEqual(outcome.as, entry.to)) return [];
  if (isDeepStrictEqual(valueAt(base, leaf), value)) return [];
  const by = carriers(calls, outcome.by, value);
  return by.includes(outcome.by) ? [] : [`Ready, and not carried by ${outcome.by}, but by ${listed(by)}`];
}

/** A value that only the operator or the platform can refuse, and back. @returns what is wrong */
export async function tryMisuse(on: Subject, { reason }: Misuse, spec: JsonObject): Promise<Problems> {
  const change = async (): Promise<Problems> => {
    const result = await attempt(() => on.lane.change(on.name, spec, reason));
    const isTold = "ready" in result && result.ready.reason === reason && result.ready.status !== "True";
    return isTold ? [] : [saying(result)];
  };
  return thereAndBack(on, change, { back: "restores", silent: true });
}

interface Demands {
  readonly back: Exclude<Back, "none">;
  /** Nothing is written, on the way back neither. */
  readonly silent: boolean;
}

async function thereAndBack(on: Subject, there: () => Promise<Problems>, { back, silent }: Demands): Promise<Problems> {
  const { lane, name, leaf } = on;
  const first = await attempt(() => lane.change(name, leaf.base));
  if (!isReady(first)) return [`the seed is not Ready: ${saying(first)}`];
  const before = state(on);
  const { result: problems, calls } = await watched(lane, async () => {
    const found = await there();
    const again = await attempt(() => lane.change(name, leaf.base));
    return isReady(again) ? found : [...found, `going back: ${saying(again)}`];
  });
  return [...problems, ...(silent ? unasked(calls) : []), ...leftBy(back, differences(before, state(on)))];
}

/** What is wrong about what going back leaves on the platform. */
function leftBy(back: Demands["back"], left: readonly string[]): Problems {
  if (back === "leaves" && left.length === 0) return ["going back leaves nothing, the exception is not needed"];
  return back === "restores" ? left.map((one) => `going back leaves ${one}`) : [];
}

function problemsOf(outcome: Outcome, result: Result, calls: Calls): Problems {
  switch (outcome.is) {
    case "sent": {
      const by = carriers(calls, outcome.by, outcome.as);
      const isOnce = by.length === 1 && by[0] === outcome.by;
      const carried = isOnce ? [] : [`carried by ${listed(by)} of ${listed(changesIn(calls))}`];
      const { refused } = outcome;
      const isOver = refused === undefined ? isReady(result) : "ready" in result && result.ready.reason === refused;
      return [...carried, ...(isOver ? [] : [saying(result)])];
    }
    case "local":
      return [...unasked(calls), ...(isReady(result) ? [] : [saying(result)])];
    case "locked":
      return [...unasked(calls), ...("refused" in result ? [] : [saying(result)])];
    case "told": {
      const isTold = "ready" in result && result.ready.reason === outcome.reason;
      return [...(outcome.isCreated === true ? [] : unasked(calls)), ...(isTold ? [] : [saying(result)])];
    }
    default:
      return outcome satisfies never;
  }
}

/** The reason to wait for where it is not Ready=True. */
function endOf(outcome: Outcome): string | undefined {
  if (outcome.is === "told") return outcome.reason;
  return outcome.is === "sent" ? outcome.refused : undefined;
}

function unasked(calls: Calls): Problems {
  const changes = changesIn(calls);
  return changes.length === 0 ? [] : [`unasked: ${listed(changes)}`];
}

const listed = (names: readonly string[]): string => (names.length === 0 ? "nothing" : names.join(", "));

type Result = Rest | { readonly refused: string };

/** What an object came to, or that the API server refused it. */
async function attempt(change: () => Promise<Rest>): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof KubeError && isKube(error, "Invalid")) return { refused: error.message };
    throw error;
  }
}

const isReady = (result: Result): boolean => "ready" in result && result.ready.status === "True";

function saying(result: Result): string {
  return "ready" in result ? `${result.ready.status} ${result.ready.reason}: ${result.ready.message}` : result.refused;
}

/** What was done, and the calls that came of it. */
async function watched<T>(lane: Lane, what: () => Promise<T>): Promise<{ readonly result: T; readonly calls: Calls }> {
  const from = lane.calls().length;
  const result = await what();
  return { result, calls: lane.calls().slice(from) };
}

function state({ env, lane }: Subject): State {
  return stateOf(env.platform.world(), lane.calls(), lane.clusterIds());
}
