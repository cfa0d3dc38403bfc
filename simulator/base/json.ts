import type { FastifyInstance } from "fastify";

import { Problem } from "./problems.ts";

// The names of ECMAScript 2026 for JSON with source text, which TypeScript's libraries do not declare yet.
declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): object;
  }
}

/**
 * @returns the value of a JSON text; integers beyond 2^53 come as bigint, so that int64 values survive.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? "")
      ? BigInt(source ?? "")
      : value,
  );
}

/** @returns the JSON text of a value; bigints are written as integers */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "bigint" ? JSON.rawJSON(member.toString()) : member,
  );
}

/** Makes a server parse bodies with {@link parseJson}. */
export function registerJson(app: FastifyInstance): void {
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, text, done) => {
    try {
      done(null, parseJson(String(text)));
    } catch {
      done(new Problem(400, "The body is not valid JSON"));
    }
  });
}
