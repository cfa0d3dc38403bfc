/** Three namespaces of very different size and a user's edits, on a platform that limits requests. */
import { setTimeout as sleep } from "node:timers/promises";

import type { RateBudget } from "../simulator/base/settings.ts";
import { createAll, edit, prepare, removeAll } from "./applications.ts";
import { journal } from "./figures.ts";
import type { Rig, Rival } from "./rig.ts";

export interface TenantsFigures {
  /** Requests a second of the platform. */
  readonly limit: number;
  readonly applications: readonly number[];
  readonly seconds: number;
  /** The least time for these calls under the platform's limit. */
  readonly boundSeconds: number;
  /** The percentage of requests that were refused with 429 after the first ten seconds. */
  readonly lateRefusedPercent: number;
  /** Jain's index of the namespaces' shares while they compete: 1 is max-min fair. */
  readonly jain: number;
  /** From a user's edit of a settled application to the request for it, in milliseconds. */
  readonly edit: { readonly p50: number; readonly longest: number; readonly missing: number };
}

/** The namespaces' parts of all applications. */
const PARTS = [0.9, 0.09, 0.01];
/** Applications for each request per second of the limit: at four calls each, they take a minute at least. */
const APPLICATIONS_PER_RATE = 15;
const EDITS = 10;
const EDIT_EVERY_MS = 4_000;

type Call = Awaited<ReturnType<typeof journal>>[number];

/**
 * Creates the applications of all namespaces at once, and edits settled ones of another namespace meanwhile.
 * @param setRate sets or removes the platform's limit
 */
export async function tenantsOf(
  rig: Rig,
  subject: Rival,
  limit: number,
  setRate: (rate: RateBudget | null) => Promise<void>,
): Promise<TenantsFigures> {
  const applications = PARTS.map((part) => Math.max(1, Math.round(part * limit * APPLICATIONS_PER_RATE)));
  const suffix = `${subject}-${String(limit)}`;
  const namespaces = applications.map((count) => `tenant-${String(count)}-${suffix}`);
  const person = `person-${suffix}`;
  const preparing = await rig.start("operator", "");
  for (const namespace of [...namespaces, person]) await prepare(rig, namespace, undefined);
  await preparing.stop();
  const running = await rig.start(subject, "");
  await createAll(rig, person, EDITS);
  await setRate({ limit, windowSeconds: 1, reset: "seconds" });
  await fetch(`${rig.controlUrl}/journal`, { method: "DELETE" });
  const from = Date.now();
  const commits = namespaces.map((_, index) => String(index + 3).repeat(40));
  const made = Promise.all(
    namespaces.map((namespace, index) =>
      createAll(rig, namespace, applications[index] ?? 0, { deploy: { gitCommitId: commits[index] ?? "" } }),
    ),
  ).then(() => (Date.now() - from) / 1_000);
  const edited = editsOf(rig, person);
  const seconds = await Promise.race([made, running.failed]);
  const sent = await edited;
  const calls = await journal(rig.controlUrl);
  await running.stop();
  await setRate(null);
  for (const namespace of [...namespaces, person]) await removeAll(rig, namespace);
  const late = calls.filter(({ at }) => Date.parse(at) > from + 10_000);
  return {
    limit,
    applications,
    seconds,
    boundSeconds: (calls.length - refused(calls)) / limit,
    lateRefusedPercent: (100 * refused(late)) / Math.max(1, late.length),
    jain: jainOf(calls, commits, applications),
    edit: latencyOf(calls, sent),
  };
}

const refused = (calls: readonly Call[]): number => calls.filter(({ status }) => status === 429).length;

/** Edits one settled application after the other. @returns the time of each commit's request */
async function editsOf(rig: Rig, namespace: string): Promise<ReadonlyMap<string, number>> {
  const sent = new Map<string, number>();
  for (let index = 0; index < EDITS; index += 1) {
    await sleep(EDIT_EVERY_MS);
    const commit = `9${String(index).padStart(39, "0")}`;
    sent.set(commit, await edit(rig, namespace, `app-${String(index)}`, commit));
  }
  await sleep(EDIT_EVERY_MS);
  return sent;
}

function latencyOf(calls: readonly Call[], sent: ReadonlyMap<string, number>): TenantsFigures["edit"] {
  const took = calls.flatMap(({ at, body, status }) => {
    const sentAt = sent.get(body?.git_commit_id ?? "");
    return sentAt === undefined || status === 429 ? [] : [Date.parse(at) - sentAt];
  });
  const sorted = took.toSorted((one, other) => one - other);
  return {
    p50: sorted[Math.floor(sorted.length / 2)] ?? NaN,
    longest: sorted.at(-1) ?? NaN,
    missing: sent.size - took.length,
  };
}

/**
 * Returns Jain's index of the namespaces' shares, each relative to its max-min fair share. It counts the first
 * deployments only, as many as would complete all but the largest namespace if all got equal shares.
 * @param commits of the namespaces, the largest first: they identify a namespace's deployments
 * @param wanted the number of deployments that each namespace needs
 */
function jainOf(calls: readonly Call[], commits: readonly string[], wanted: readonly number[]): number {
  const order = calls.flatMap(({ body, status }) =>
    status === 429 ? [] : [commits.indexOf(body?.git_commit_id ?? "")],
  );
  const [, ...others] = wanted;
  const total = others.reduce((sum, count) => sum + count, Math.max(...others));
  const deployed = order.filter((tenant) => tenant >= 0).slice(0, total);
  const fair = fairShares(total, wanted);
  const parts = wanted.map((_, tenant) => deployed.filter((one) => one === tenant).length / (fair[tenant] ?? 1));
  const sum = parts.reduce((all, part) => all + part, 0);
  return (sum * sum) / (parts.length * parts.reduce((all, part) => all + part * part, 0));
}

/** Returns the max-min fair shares: none exceeds what is wanted, and what is left is divided equally. */
function fairShares(total: number, wanted: readonly number[]): readonly number[] {
  const ascending = wanted.toSorted((one, other) => one - other);
  let left = total;
  let share = 0;
  for (const [index, want] of ascending.entries()) {
    share = left / (ascending.length - index);
    if (want > share) break;
    left -= want;
  }
  return wanted.map((want) => Math.min(want, share));
}
