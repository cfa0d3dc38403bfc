import { z } from "zod";

import { EXACTLY_ONE_VALUE, hasOneValue, ONE_VALUE, valueFrom } from "./fields.ts";

/** The name of an environment variable. */
export const environmentVariableName = z
  .string()
  .max(255)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable");

/**
 * A variable with its value, or with the source of its value.
 * @param what e.g. "An environment variable"
 * @param more further members of the kind, if any
 */
export function variableOf<More extends z.ZodRawShape>(name: z.ZodString, what: string, more: More) {
  return z
    .object({
      name: name.describe("Name of the variable."),
      value: z
        .string()
        .max(32768)
        .optional()
        .describe("The value. It is not protected here: use valueFrom for a secret."),
      valueFrom: valueFrom.optional(),
      secret: z
        .boolean()
        .optional()
        .describe(
          "Whether the platform keeps the value as a secret. Defaults to true for a value from a Secret, else to false.",
        ),
      ...more,
    })
    .refine(hasOneValue, EXACTLY_ONE_VALUE)
    .meta({ description: `${what}: exactly one of value and valueFrom.`, ...ONE_VALUE });
}
