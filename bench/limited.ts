/** Many creates on a platform that refuses requests above its limit. */
import type { RateBudget } from "../simulator/base/settings.ts";
import { createAll, prepare, removeAll, UNLIMITED } from "./applications.ts";
import { journal } from "./figures.ts";
import type { Rig, Rival } from "./rig.ts";

/** The limit of the platform in requests per second, and the number of applications created on it. */
const LIMIT = 20;
const APPLICATIONS = 150;

export interface LimitedFigures {
  readonly seconds: number;
  /** The least time for these calls under the platform's limit. */
  readonly boundSeconds: number;
  readonly calls: number;
  /** The percentage of requests that were refused with 429, of all and of those after the first ten seconds. */
  readonly refusedPercent: number;
  readonly lateRefusedPercent: number;
}

export interface LimitedOptions {
  readonly rig: Rig;
  readonly subject: Rival;
  /** Sets or removes the platform's limit. */
  readonly setRate: (rate: RateBudget | null) => Promise<void>;
  /** The applications are divided among two connections with the same token, and a second replica stands by. */
  readonly isShared: boolean;
}

/** Creates the applications, and compares the time with the least that their calls take. */
export async function limitedOf({ rig, subject, setRate, isShared }: LimitedOptions): Promise<LimitedFigures> {
  const names = isShared ? [`shared-a-${subject}`, `shared-b-${subject}`] : [`limited-${subject}`];
  const preparing = await rig.start("operator", "");
  for (const namespace of names) await prepare(rig, namespace, UNLIMITED);
  await preparing.stop();
  const running = await rig.start(subject, names.join(","));
  const standby = isShared ? await rig.startStandby(subject, names.join(",")) : undefined;
  await setRate({ limit: LIMIT, windowSeconds: 1, reset: "seconds" });
  await fetch(`${rig.controlUrl}/journal`, { method: "DELETE" });
  const from = Date.now();
  const created = Promise.all(names.map((namespace) => createAll(rig, namespace, APPLICATIONS / names.length)));
  await Promise.race([created, running.failed]);
  const seconds = (Date.now() - from) / 1_000;
  const calls = await journal(rig.controlUrl);
  await standby?.stop();
  await running.stop();
  await setRate(null);
  for (const namespace of names) await removeAll(rig, namespace);
  const refused = (of: typeof calls): number => of.filter(({ status }) => status === 429).length;
  const percent = (of: typeof calls): number => (100 * refused(of)) / Math.max(1, of.length);
  return {
    seconds,
    boundSeconds: (calls.length - refused(calls)) / LIMIT,
    calls: calls.length,
    refusedPercent: percent(calls),
    lateRefusedPercent: percent(calls.filter(({ at }) => Date.parse(at) > from + 10_000)),
  };
}
