import type { Constraints, Field } from "./catalog.ts";

/**
 * @returns the problem with a value of a configuration field, or undefined. A boolean or a number may be a string, as
 * in the customer's inputs
 */
export function valueProblem(field: Field, constraints: Constraints, value: unknown): string | undefined {
  switch (field.type) {
    case "bool":
      return typeof value === "boolean" || value === "true" || value === "false" ? undefined : "must be a boolean";
    case "number":
      return numberProblem(constraints, value);
    case "string":
      return typeof value === "string" ? textProblem(constraints, value) : "must be a string";
    default:
      return field.type satisfies never;
  }
}

function numberProblem({ min, max, allowedValues }: Constraints, value: unknown): string | undefined {
  const number = numberOf(value);
  if (number === undefined) return "must be a number";
  if (min !== undefined && number < min) return `must be at least ${min}`;
  if (max !== undefined && number > max) return `must be at most ${max}`;
  return allowedProblem(allowedValues, String(number));
}

function numberOf(value: unknown): number | bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "string" && /^-?\d+$/.test(value) ? BigInt(value) : undefined;
}

function textProblem(constraints: Constraints, value: string): string | undefined {
  const { minLength, maxLength, pattern, allowedValues } = constraints;
  if (minLength !== undefined && value.length < minLength) return `must have at least ${minLength} characters`;
  if (maxLength !== undefined && value.length > maxLength) return `must have at most ${maxLength} characters`;
  if (pattern !== undefined && !new RegExp(pattern).test(value)) return `must match ${pattern}`;
  return allowedProblem(allowedValues, value);
}

function allowedProblem(allowed: readonly string[] | undefined, value: string): string | undefined {
  return allowed === undefined || allowed.includes(value) ? undefined : `must be one of ${allowed.join(", ")}`;
}
