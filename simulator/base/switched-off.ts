/** Operations of the surface that are switched off. */
import { z } from "zod";

import { operations } from "./operations.ts";

/** The operations that are switched off, with the status that each answers. */
export const SwitchedOff = z.partialRecord(
  z.enum(operations.map(({ id }) => id)),
  z.union([z.literal(401), z.literal(403), z.literal(404), z.literal(405), z.literal(501)]),
);
export type SwitchedOff = z.infer<typeof SwitchedOff>;
