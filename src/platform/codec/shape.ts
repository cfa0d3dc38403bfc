/** Reads a value through a schema; what is wrong with it is told by the names of members, never by their values. */
import type { z } from "zod";

/** A request or an answer does not have the documented shape. The message names members, never values. */
export class ShapeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ShapeError";
  }
}

const MAX_ISSUES = 3;

/**
 * The value as the schema makes it.
 * @param complaint begins the message of the error.
 * @throws ShapeError
 */
export function shaped<Schema extends z.ZodType>(schema: Schema, value: unknown, complaint: string): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const issues = read.error.issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  throw new ShapeError(`${complaint}: ${issues.join("; ")}`);
}
