/**
 * How the bodies of successes are read. Deployed services answer any 2xx, some without a body (docs/architecture.md
 * §9).
 */
import { z } from "zod";

import { jsonIn } from "./json.ts";
import { asPage, indicatesPages } from "./listing.ts";
import { results, shaped, ShapeError, wellShaped } from "./schema.ts";

/** The body of a success, and the platform's clock if the answer has it. */
export interface Received {
  readonly text: string;
  readonly serverDate?: Date;
  /** A header of the answer by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

/** Reads a body. @throws ShapeError */
export type Decode<T> = (received: Received) => T;

/**
 * The answer to a create: the record and, for the ledger's proof (docs/architecture.md §6), the platform's own clock.
 */
export type Created<T> = T & { readonly serverDate?: Date };

const WRONG_SHAPE = "the answer does not have the documented shape";

/** JSON of this shape. */
export function json<T>(schema: z.ZodType<T>): Decode<T> {
  return ({ text }) => shaped(schema, parsed(text), WRONG_SHAPE);
}

/** `{ "results": […] }` with items of this shape; see `isWhole` for what such a list proves. */
export function list<Item extends z.ZodType>(item: Item): Decode<readonly z.output<Item>[]> {
  return listOf(z.array(item));
}

/** Same as `list`, but drops malformed items. Not for lists that may prove that an object does not exist. */
export function wellShapedList<Item extends z.ZodType>(item: Item): Decode<readonly z.output<Item>[]> {
  return listOf(wellShaped(item));
}

function listOf<T>(items: z.ZodType<readonly T[]>): Decode<readonly T[]> {
  const schema = results(items);
  return ({ text, header }) => {
    const body = parsed(text);
    const list = shaped(schema, body, WRONG_SHAPE);
    return indicatesPages(body, header) ? asPage(list) : list;
  };
}

/** JSON of this shape, or undefined for an empty body. */
export function maybe<T>(schema: z.ZodType<T>): Decode<T | undefined> {
  return ({ text }) => (text.trim() === "" ? undefined : shaped(schema, parsed(text), WRONG_SHAPE));
}

/**
 * JSON of this shape, with the platform's clock. Only the id of a new object must be in the answer: if the answer lacks
 * other members, `sent` replaces them.
 */
export function created<T extends object>(schema: z.ZodType<T>, sent: object = {}): Decode<Created<T>> {
  return ({ text, serverDate }) => {
    const answer = parsed(text);
    const value = schema.safeParse(answer).data ?? shaped(schema, { ...objectOf(answer), ...sent }, WRONG_SHAPE);
    return serverDate === undefined ? value : { ...value, serverDate };
  };
}

/** Ignores the body. */
export const nothing: Decode<void> = () => undefined;

/** Detects the web page of a proxy or a console where plain text is expected. */
const WEB_PAGE = /^\s*<(?:!doctype|html|\?xml)/i;

/** A string, as a JSON literal or as plain text (helm default values). */
export const jsonStringOrText: Decode<string> = ({ text }) => {
  if (WEB_PAGE.test(text)) throw new ShapeError("the answer is a web page");
  const value = jsonIn(text);
  return typeof value === "string" ? value : text;
};

/** JSON of this shape, else undefined: for bodies that may have other shapes. */
export function matching<T>(schema: z.ZodType<T>, text: string): T | undefined {
  return schema.safeParse(jsonIn(text)).data;
}

function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function parsed(text: string): unknown {
  const value = jsonIn(text);
  if (value === undefined)
    throw new ShapeError(text.trim() === "" ? "the answer has no body" : "the answer is not JSON");
  return value;
}
