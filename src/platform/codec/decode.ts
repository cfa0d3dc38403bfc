/**
 * How the bodies of successes are read. Deployed services answer any 2xx, some without a body.
 */
import type { z } from "zod";

import { excessIn, jsonIn } from "./json.ts";
import { asPage, indicatesPages } from "./listing.ts";
import { items, parseAs, ShapeError, wellShaped } from "./schema.ts";

/** The body of a success, and the platform's clock if the answer has it. */
export interface Received {
  readonly text: string;
  readonly serverDate?: Date;
  /** A header of the answer by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

/** How a body is read. */
export interface Decode<T> {
  /** The size of the largest body that is received, in bytes. */
  readonly maxBytes: number;
  /** @throws ShapeError */
  readonly read: (received: Received) => T;
}

/**
 * The largest bodies that are received. The record of an application has some thousand bytes, that of a project
 * or a variable some hundred.
 */
const MAX_BYTES = { record: 256 * 1024, list: 2 * 1024 * 1024, text: 2 * 1024 * 1024 } as const;
/** The number of items of the longest list that is read. */
const MAX_ITEMS = 10_000;

/**
 * The answer to a create: the record and the platform's own clock, by which the ledger proves who created it.
 */
export type Created<T> = T & { readonly serverDate?: Date };

const WRONG_SHAPE = "the answer does not have the documented shape";

/** Reads the body of one record. @throws ShapeError */
export function ofRecord<T>(read: Decode<T>["read"]): Decode<T> {
  return { maxBytes: MAX_BYTES.record, read };
}

/** Reads a long text. @throws ShapeError */
export function ofText<T>(read: Decode<T>["read"]): Decode<T> {
  return { maxBytes: MAX_BYTES.text, read };
}

/** JSON of this shape. */
export function json<T>(schema: z.ZodType<T>): Decode<T> {
  return ofRecord(({ text }) => parseAs(schema, parsed(text), WRONG_SHAPE));
}

/** JSON of this shape, with members that are as long as a list. */
export function longJson<T>(schema: z.ZodType<T>): Decode<T> {
  return { ...json(schema), maxBytes: MAX_BYTES.list };
}

/** `{ "results": […] }` with items of this shape; see `isWhole` for what such a list proves. */
export function list<Item extends z.ZodType>(item: Item): Decode<readonly z.output<Item>[]> {
  return listOf(items(item));
}

/** Same as `list`, but drops malformed items. Not for lists that may prove that an object does not exist. */
export function wellShapedList<Item extends z.ZodType>(item: Item): Decode<readonly z.output<Item>[]> {
  return listOf(wellShaped(item));
}

function listOf<T>(schema: z.ZodType<readonly T[]>): Decode<readonly T[]> {
  return {
    maxBytes: MAX_BYTES.list,
    read: ({ text, header }) => {
      const body = parsed(text);
      const results = resultsIn(body);
      if (results.length > MAX_ITEMS) throw new ShapeError(`the list has more than ${String(MAX_ITEMS)} items`);
      const list = parseAs(schema, results, WRONG_SHAPE);
      return indicatesPages(body, header) ? asPage(list) : list;
    },
  };
}

/** @throws ShapeError */
function resultsIn(body: unknown): readonly unknown[] {
  const { results } = { results: undefined, ...objectOf(body) };
  if (!Array.isArray(results)) throw new ShapeError(`${WRONG_SHAPE}: results: not a list`);
  return results;
}

/** JSON of this shape, or undefined for an empty body. */
export function jsonOrEmpty<T>(schema: z.ZodType<T>): Decode<T | undefined> {
  return ofRecord(({ text }) => (text.trim() === "" ? undefined : parseAs(schema, parsed(text), WRONG_SHAPE)));
}

/**
 * JSON of this shape, with the platform's clock. Only the id of a new object must be in the answer: if the answer lacks
 * other members, `sent` replaces them.
 */
export function created<T extends object>(schema: z.ZodType<T>, sent: object = {}): Decode<Created<T>> {
  return ofRecord(({ text, serverDate }) => {
    const answer = parsed(text);
    const value = schema.safeParse(answer).data ?? parseAs(schema, { ...objectOf(answer), ...sent }, WRONG_SHAPE);
    return serverDate === undefined ? value : { ...value, serverDate };
  });
}

/** Ignores the body. */
export const ignoredBody: Decode<void> = ofRecord(() => undefined);

/** Detects the web page of a proxy or a console where plain text is expected. */
const WEB_PAGE = /^\s*<(?:!doctype|html|\?xml)/i;

/** A string, as a JSON literal or as plain text (helm default values). */
export const jsonStringOrText: Decode<string> = ofText(({ text }) => {
  if (WEB_PAGE.test(text)) throw new ShapeError("the answer is a web page");
  const value = jsonIn(text);
  return typeof value === "string" ? value : text;
});

/** JSON of this shape, else undefined: for bodies that may have other shapes. */
export function matching<T>(schema: z.ZodType<T>, text: string): T | undefined {
  return schema.safeParse(jsonIn(text)).data;
}

function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

/** @throws ShapeError */
function parsed(text: string): unknown {
  const value = jsonIn(text);
  if (value !== undefined) return value;
  const excess = excessIn(text);
  if (excess !== undefined) throw new ShapeError(`the answer ${excess}`);
  throw new ShapeError(text.trim() === "" ? "the answer has no body" : "the answer is not JSON");
}
