/** Computes when an object is reconciled again. Pure: random numbers and times are passed in. */
import { DURATION } from "../../api/annotations.ts";
import { POLL_INTERVAL } from "../../api/names.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Ms } from "./kind.ts";
import type { Windows } from "./windows.ts";

const FLOOR_MS = 30_000;
const UNITS: ReadonlyMap<string, Ms> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/**
 * Reads a duration as Go writes it ("90s", "1h30m").
 * @returns milliseconds, undefined for anything else
 */
export function parseDuration(text: string): Ms | undefined {
  if (!DURATION.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d{1,9})(ms|s|m|h)/g)) {
    total += Number(amount) * (UNITS.get(unit ?? "") ?? 0);
  }
  return total;
}

/**
 * Returns the poll interval of an object: its annotation, else the connection's, each at least 30 s; else the default.
 * `invalid` is the annotation if it cannot be parsed.
 * @param ofConnection the poll interval among the connection's defaults, as the user writes it
 */
export function pollInterval(
  object: KubeObject,
  windows: Windows,
  ofConnection?: string,
): { readonly ms: Ms; readonly invalid: string | undefined } {
  const atLeast = (ms: Ms): Ms => Math.max(ms, Math.min(FLOOR_MS, windows.pollMs));
  const usual = parseDuration(ofConnection ?? "");
  const fallback = usual === undefined ? windows.pollMs : atLeast(usual);
  const asked = object.metadata.annotations?.[POLL_INTERVAL];
  if (asked === undefined) return { ms: fallback, invalid: undefined };
  const parsed = parseDuration(asked);
  return parsed === undefined ? { ms: fallback, invalid: asked } : { ms: atLeast(parsed), invalid: undefined };
}

/** Returns the interval ± 10 %, so that objects do not come in waves. @param random in [0, 1) */
export function jitter(ms: Ms, random: number): Ms {
  return Math.round(ms * (0.9 + 0.2 * random));
}

/**
 * Returns the time until the turn of a group. The turns of groups are spread over the interval.
 * @param now on the monotonic clock
 */
export function untilGroupPhase(ms: Ms, group: string, now: Ms): Ms {
  const turn = (hash(group) / 2 ** 32) * ms;
  return (((turn - now) % ms) + ms) % ms;
}

/**
 * Returns the interval, shifted by up to 10 % towards the turn of a group: after a few polls the objects under one
 * parent share its reads.
 * @param now on the monotonic clock
 */
export function alignToGroup(ms: Ms, group: string, now: Ms): Ms {
  const left = untilGroupPhase(ms, group, now);
  const shift = left < ms / 2 ? left : left - ms;
  return Math.round(ms + Math.max(-ms / 10, Math.min(ms / 10, shift)));
}

function hash(text: string): number {
  let sum = 7;
  for (const letter of text) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return sum;
}

/**
 * Returns the follow interval, which grows by half each time.
 * @param waits how many earlier reconciles in a row ended waiting for the same reason
 */
export function followInterval(waits: number, windows: Windows): Ms {
  return Math.min(windows.followMaxMs, windows.followMinMs * 1.5 ** Math.min(waits, 30));
}

/** Returns an exponential backoff, with a random part of up to half of it. @param failures in a row, from 1 */
export function backoff(failures: number, windows: Windows, random: number): Ms {
  const ceiling = Math.min(windows.backoffMaxMs, windows.backoffMinMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(ceiling * (0.5 + 0.5 * random));
}
