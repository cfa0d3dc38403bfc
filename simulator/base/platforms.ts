/** Platforms between the documented and the full surface: which operations answer that they are not there. */
import { z } from "zod";

import { operations, surfaces, type OperationId, type Surface } from "./operations.ts";

/** What an operation that is switched off answers. */
export const SwitchedOff = z.partialRecord(
  z.enum(operations.map(({ id }) => id)),
  z.union([z.literal(401), z.literal(403), z.literal(404), z.literal(405), z.literal(501)]),
);
export type SwitchedOff = z.infer<typeof SwitchedOff>;
type Status = NonNullable<SwitchedOff[OperationId]>;

const beyond = operations.filter(({ surface }) => surface === "full");
/** Reads of one record; everything else that is read beyond the documentation is a list. */
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
  /** Shows everything and changes nothing beyond the documentation; refuses by method. */
  "read-only": off(405, ({ method }) => method !== "GET"),
  /** Creates and updates, but neither deletes nor stops what the documentation has no operation for. */
  "no-delete": off(501, ({ id, method }) => method === "DELETE" || id === "stopApplication"),
  /** Has the lists beyond the documentation alone; what it lacks looks like an object that is not there. */
  "lists-only": off(404, ({ id, method }) => method !== "GET" || SINGLE.has(id)),
} as const satisfies Record<(typeof partialPlatformNames)[number], SwitchedOff>;

/** A whole surface, or a partial platform. */
export const platformNames = [...surfaces, ...partialPlatformNames] as const;
export type PlatformName = (typeof platformNames)[number];

/** @returns the surface of a platform, and what of it is switched off. */
export function offerOf(name: PlatformName): { readonly surface: Surface; readonly switchedOff: SwitchedOff } {
  if (name === "documented" || name === "full") return { surface: name, switchedOff: {} };
  return { surface: "full", switchedOff: partialPlatforms[name] };
}
