import { z } from "zod";

/** A problem with one member of a body. */
export interface FieldProblem {
  /** Dotted path. */
  readonly field: string;
  readonly message: string;
}

/** A refusal, thrown anywhere below a route and answered with its status. */
export class Problem extends Error {
  readonly status: number;
  readonly fields: readonly FieldProblem[];

  /** @param detail the message, or the problems by field */
  constructor(status: number, detail: string | readonly FieldProblem[]) {
    const fields = typeof detail === "string" ? [] : detail;
    super(typeof detail === "string" ? detail : fields.map(({ field, message }) => `${field} ${message}`).join("; "));
    this.name = "Problem";
    this.status = status;
    this.fields = fields;
  }
}

/** The documented body of errors; its text is in `message` or `detail`. */
export const ProblemBody = z.object({
  status: z.int().optional(),
  error: z.string(),
  message: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
});

const phrases: ReadonlyMap<number, string> = new Map([
  [400, "Bad Request"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "Not Found"],
  [405, "Method Not Allowed"],
  [409, "Conflict"],
  [413, "Payload Too Large"],
  [415, "Unsupported Media Type"],
  [422, "Unprocessable Entity"],
  [429, "Too Many Requests"],
  [500, "Internal Server Error"],
  [502, "Bad Gateway"],
  [503, "Service Unavailable"],
  [504, "Gateway Timeout"],
]);

/**
 * The body of a refusal that names fields, in its text or in a list beside it. The documentation shows neither form.
 * @param text see problemBody
 */
export function refusalBody(
  { status, message, fields }: Problem,
  text: Parameters<typeof problemBody>[2],
  rejections: "text" | "list",
): z.infer<typeof ProblemBody> {
  if (fields.length === 0 || rejections === "text") return problemBody(status, message, text);
  return { ...problemBody(status, "The request has fields that are not accepted", text), errors: [...fields] };
}

/** @returns the body of an error answer; `text` is the name of the member with the message, if there is one */
export function problemBody(
  status: number,
  message: string,
  text: "message" | "detail" | "none" | "bare",
): z.infer<typeof ProblemBody> {
  const error = phrases.get(status) ?? "Error";
  if (text === "bare") return { error };
  const base = { status, error };
  return text === "none" ? base : { ...base, [text]: message };
}
