/** How long a deployment took. Pure. */
import type { ServiceDeployment } from "./crd-status.ts";

/** Returns a duration as Go writes it, e.g. "2m14s". */
export function durationText(seconds: number): string {
  const units = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = units.slice(units.findIndex((value, unit) => value > 0 || unit === 2));
  return shown.map((value, at) => `${value}${"hms".slice(-shown.length)[at]}`).join("");
}

/** Returns how long a deployment of the operator took; undefined where its beginning or its end was not seen. */
export function secondsTaken({ startedAt, finishedAt }: ServiceDeployment): number | undefined {
  if (startedAt === undefined || finishedAt === undefined) return undefined;
  return Math.max(0, Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000));
}
