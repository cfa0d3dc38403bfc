import { z } from "zod";

/** A refusal, thrown anywhere below a route and answered with its status. */
export class Problem extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "Problem";
    this.status = status;
  }
}

/** The documented body of errors, with either name of its text. */
export const ProblemBody = z.object({
  status: z.int(),
  error: z.string(),
  message: z.string().optional(),
  detail: z.string().optional(),
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

/** @returns the body of an error answer; `text` says under which name its text goes, if at all. */
export function problemBody(
  status: number,
  message: string,
  text: "message" | "detail" | "none",
): z.infer<typeof ProblemBody> {
  const base = { status, error: phrases.get(status) ?? "Error" };
  return text === "none" ? base : { ...base, [text]: message };
}
