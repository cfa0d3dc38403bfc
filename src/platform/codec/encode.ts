/** How bodies and queries are made: of the operation's schema and what the caller gives. */
import type { z } from "zod";

import { shaped } from "./shape.ts";

/** Makes what goes over the wire; members that are undefined are left out there. @throws ShapeError */
export type Encode<T extends object = object> = () => T;

/** What the schema makes of `input`. */
export function sent<Schema extends z.ZodType<object>>(
  schema: Schema,
  input: z.input<Schema>,
): Encode<z.output<Schema>> {
  return () => shaped(schema, input, "the request cannot be sent");
}

/** What `fold` makes of a body, e.g. a PUT on top of what is there. */
export function folded<T extends object>(encode: Encode<T>, fold: (body: T) => object): Encode {
  return () => fold(encode());
}

/** Whether a body carries members beyond the specification. */
export interface Extended {
  readonly extended?: boolean;
}
