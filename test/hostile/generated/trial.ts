/** Trials of one change of one leaf on a simulated platform. Each returns the problems that it found, as texts. */
import { isDeepStrictEqual } from "node:util";

import type { Surface } from "../../../simulator/base/operations.ts";
import { isGoalReached } from "../../../src/engine/contract/status.ts";
import { isKube, KubeError } from "../../../src/kube/api/errors.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { condition } from "../../support/env/cluster.ts";
import type { Env } from "../../support/env/env.ts";
import { carriers, changesIn } from "./carried.ts";
import type { Case, LeafCases } from "./cases.ts";
import type { Lane, Settled } from "./lane.ts";
import type { Misuse, Outcome } from "./outcomes.ts";
import { valueAt } from "./place.ts";
import { differences, stateOf } from "./state.ts";

type Calls = ReturnType<Lane["calls"]>;
type Problems = readonly string[];

export interface Subject {
  readonly env: Env;
  readonly lane: Lane;
  readonly name: string;
  readonly leaf: LeafCases;
}

/** After the revert, the platform has the earlier state, does not have it, or need not have it; or nothing reverts. */
export type Revert = "restores" | "leaves" | "ready" | "none";

/** A valid change, and its revert. @returns the problems */
export async function tryChange(on: Subject, surface: Surface, revert: Revert): Promise<Problems> {
  const { lane, name, leaf } = on;
  const outcome = leaf.entry[surface];
  const change = async (): Promise<Problems> => {
    const act = () => attempt(() => lane.change(name, leaf.valid.spec, endOf(outcome)));
    const { result, calls } = await watched(lane, act);
    return [...carried(outcome, calls), ...ended(outcome, result)];
  };
  return revert === "none" ? change() : changeAndRevert(on, change, { revert, silent: outcome.is !== "sent" });
}

/** The creation of an object with the leaf's other value. @returns the problems */
export async function tryCreation({ lane, name, leaf }: Subject, surface: Surface): Promise<Problems> {
  const { entry } = leaf;
  const created = surface === "full" ? entry.created : (entry.createdDocumented ?? entry.created);
  const create = () => attempt(() => lane.create(name, leaf.valid.spec, endOf(created)));
  const { result, calls } = await watched(lane, create);
  return [...(created.is === "local" ? [] : carried(created, calls)), ...ended(created, result)];
}

/**
 * A value at the leaf's bounds, and its revert. Whatever the result is, it is reported correctly; when it is Ready, the
 * value was sent unchanged. @returns the problems
 */
export async function tryBoundary(on: Subject, surface: Surface, bound: Case): Promise<Problems> {
  const change = async (): Promise<Problems> => {
    const { result, calls } = await watched(on.lane, () => attempt(() => on.lane.change(on.name, bound.spec)));
    const isReported = "ready" in result && result.ready.reason !== "InternalError" && result.ready.message !== "";
    if (!isReported) return [textOf(result)];
    return isReady(result) ? unsent(on.leaf, surface, bound, calls) : [];
  };
  return changeAndRevert(on, change, { revert: "ready", silent: false });
}

/** The problem of a bound that is Ready but not sent, when the leaf's other value is sent unchanged. */
function unsent({ base, leaf, entry }: LeafCases, surface: Surface, { value }: Case, calls: Calls): Problems {
  const outcome = entry[surface];
  if (outcome.is !== "sent" || value === undefined || !isDeepStrictEqual(outcome.as, entry.to)) return [];
  if (isDeepStrictEqual(valueAt(base, leaf), value)) return [];
  const by = carriers(calls, outcome.by, value);
  return by.includes(outcome.by) ? [] : [`Ready, and not carried by ${outcome.by}, but by ${listed(by)}`];
}

/** A value that only the operator or the platform can refuse, and its revert. @returns the problems */
export async function tryMisuse(on: Subject, { reason, isSent = false }: Misuse, spec: JsonObject): Promise<Problems> {
  const change = async (): Promise<Problems> => {
    const result = await attempt(() => on.lane.change(on.name, spec, reason));
    return hasReason(result, reason) && !isReady(result) ? [] : [textOf(result)];
  };
  return changeAndRevert(on, change, { revert: "restores", silent: !isSent });
}

/** @param silent whether neither the change nor the revert writes anything */
async function changeAndRevert(
  { env, lane, name, leaf }: Subject,
  change: () => Promise<Problems>,
  { revert, silent }: { readonly revert: Revert; readonly silent: boolean },
): Promise<Problems> {
  const state = () => stateOf(env.platform.world(), lane.calls(), lane.clusterIds());
  const first = await attempt(() => lane.change(name, leaf.base));
  if (!isReady(first)) return [`the seed is not Ready: ${textOf(first)}`];
  const before = state();
  const { result: problems, calls } = await watched(lane, async () => {
    const found = await change();
    const again = await attempt(() => lane.change(name, leaf.base));
    return isReady(again) ? found : [...found, `the revert: ${textOf(again)}`];
  });
  return [...problems, ...(silent ? unexpected(calls) : []), ...leftBy(revert, differences(before, state()))];
}

/** The problems with the differences that a revert leaves on the platform. */
function leftBy(revert: Revert, left: readonly string[]): Problems {
  if (revert === "leaves" && left.length === 0) return ["the revert leaves nothing: the exception is not needed"];
  return revert === "restores" ? left.map((one) => `the revert leaves ${one}`) : [];
}

/** The problems with the calls of a change that has this outcome. */
function carried(outcome: Outcome, calls: Calls): Problems {
  if (outcome.is !== "sent") return outcome.is === "reported" && outcome.isCreated === true ? [] : unexpected(calls);
  const by = carriers(calls, outcome.by, outcome.as);
  const isOnce = by.length === 1 && by[0] === outcome.by;
  return isOnce ? [] : [`carried by ${listed(by)} of ${listed(changesIn(calls))}`];
}

/** The problem with the end of a change that has this outcome. */
function ended(outcome: Outcome, result: Result): Problems {
  const reason = endOf(outcome);
  const isEnd = reason === undefined ? isReady(result) : hasReason(result, reason);
  if (outcome.is === "unchangeable" && isEnd) return unreported(result);
  return (outcome.is === "locked" ? isRefused(result, outcome.at) : isEnd) ? [] : [textOf(result)];
}

/** The problem of an object that does not report a setting that the platform cannot change. */
function unreported(result: Result): Problems {
  const { reason = "absent" } = ("object" in result && condition(result.object, "SettingsSynced")) || {};
  return reason === "UpdateNotSupported" ? [] : [`SettingsSynced is ${reason}`];
}

/** The reason to wait for; undefined for Ready=True. */
function endOf(outcome: Outcome): string | undefined {
  if (outcome.is === "reported") return outcome.reason;
  return outcome.is === "sent" ? outcome.refused : undefined;
}

function unexpected(calls: Calls): Problems {
  const changes = changesIn(calls);
  return changes.length === 0 ? [] : [`unexpected: ${listed(changes)}`];
}

const listed = (names: readonly string[]): string => (names.length === 0 ? "nothing" : names.join(", "));

type Result = Settled | { readonly refused: string };

async function attempt(change: () => Promise<Settled>): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof KubeError && isKube(error, "Invalid")) return { refused: error.message };
    throw error;
  }
}

const isReady = (result: Result): boolean => "ready" in result && isGoalReached(result.ready);

const hasReason = (result: Result, reason: string): boolean => "ready" in result && result.ready.reason === reason;

const isRefused = (result: Result, at: string): boolean =>
  "refused" in result && result.refused.includes(`${at} FieldValueInvalid`);

function textOf(result: Result): string {
  return "ready" in result ? `${result.ready.status} ${result.ready.reason}: ${result.ready.message}` : result.refused;
}

async function watched<T>(lane: Lane, act: () => Promise<T>): Promise<{ readonly result: T; readonly calls: Calls }> {
  const from = lane.calls().length;
  const result = await act();
  return { result, calls: lane.calls().slice(from) };
}
