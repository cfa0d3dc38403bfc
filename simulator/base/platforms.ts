/** Platforms between the documented and the full surface, by the operations that they do not offer. */
import { z } from "zod";

import { operations, surfaces, type OperationId, type Surface } from "./operations.ts";

/** The operations that are switched off, with the status that each answers. */
export const SwitchedOff = z.partialRecord(
  z.enum(operations.map(({ id }) => id)),
  z.union([z.literal(401), z.literal(403), z.literal(404), z.literal(405), z.literal(501)]),
);
export type SwitchedOff = z.infer<typeof SwitchedOff>;
type Status = NonNullable<SwitchedOff[OperationId]>;

const beyond = operations.filter(({ surface }) => surface === "full");
/** Reads of one record; all other reads beyond the documentation are lists. */
const SINGLE: ReadonlySet<OperationId> = new Set([
  "getProject",
  "getEnvironment",
  "getApplication",
  "getDatabase",
  "getDatabaseCredentials",
  "getWebhook",
  "getClusterStatus",
  "getClusterPlatformBinding",
]);

function off(status: Status, isOff: (operation: (typeof beyond)[number]) => boolean): SwitchedOff {
  return Object.fromEntries(beyond.filter(isOff).map(({ id }) => [id, status]));
}

export const partialPlatformNames = ["read-only", "no-delete", "lists-only"] as const;

/** Partial platforms by name; each is the full surface without some of its operations. */
export const partialPlatforms = {
  /** Beyond the documentation it offers only reads, and answers 405 to everything else. */
  "read-only": off(405, ({ method }) => method !== "GET"),
  /** Offers no deletes and no stop of applications, and answers 501 to them. */
  "no-delete": off(501, ({ id, method }) => method === "DELETE" || id === "stopApplication"),
  /** Beyond the documentation it offers only lists, and answers 404 to the rest, as for a missing object. */
  "lists-only": off(404, ({ id, method }) => method !== "GET" || SINGLE.has(id)),
} as const satisfies Record<(typeof partialPlatformNames)[number], SwitchedOff>;

/** A whole surface, or a partial platform. */
export const platformNames = [...surfaces, ...partialPlatformNames] as const;
export type PlatformName = (typeof platformNames)[number];

/** @returns the surface of a platform, and its operations that are switched off */
export function offerOf(name: PlatformName): { readonly surface: Surface; readonly switchedOff: SwitchedOff } {
  if (name === "documented" || name === "full") return { surface: name, switchedOff: {} };
  return { surface: "full", switchedOff: partialPlatforms[name] };
}
