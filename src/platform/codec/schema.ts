/**
 * Tolerant readers: unknown members stay out, enum values stay strings, null and absent are
 * the same. A record and a list end at their first complaint: an answer of thousands of malformed values costs no more
 * than a good one.
 */
import { z } from "zod";

import { isUuidOfAnyCase } from "./paths.ts";

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type MayMiss<T, Key extends keyof T> = undefined extends T[Key] ? Key : never;

type Flat<T> = { [Key in keyof T]: T[Key] };

/** The record as our code sees it: names in camelCase, nullable members optional, no null. */
export type Camelized<T> = Flat<
  { readonly [Key in keyof T as Key extends string & MayMiss<T, Key> ? never : Camel<Key & string>]: T[Key] } & {
    readonly [Key in keyof T as Key extends string & MayMiss<T, Key> ? Camel<Key> : never]?: NonNullable<T[Key]>;
  }
>;

/** Complaints as zod collects them, without their texts. */
type Complaints = z.core.ParsePayload["issues"];

/**
 * Reads a part by its schema, as zod itself reads the parts of a schema. `safeParse` makes an error of complaints,
 * with a text for each, which takes ten times as long as the reading.
 */
function readPart<Schema extends z.ZodType>(schema: Schema, value: unknown): Part<z.output<Schema>> {
  const read = schema._zod.run({ value, issues: [] }, { async: false });
  if (read instanceof Promise) throw new Error("schemas of answers are synchronous");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without issues, it is the schema's output.
  return read as Part<z.output<Schema>>;
}

interface Part<T> {
  /** Meaningless if there are issues. */
  readonly value: T;
  readonly issues: Complaints;
}

/** Makes the first complaint about a part one about the whole. @param at the name or index of the part, if it is one */
function refuse({ issues }: { readonly issues: Complaints }, [first]: Complaints, ...at: PropertyKey[]): never {
  if (first !== undefined) issues.push({ ...first, path: [...at, ...(first.path ?? [])] });
  return z.NEVER;
}

function saying(message: string): Complaints {
  return [{ code: "custom", message, input: undefined }];
}

/** Reports whether a value of JSON is an object. */
export function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A record of the platform: only these members are read, and they come out in camelCase. The first malformed member
 * ends the reading.
 */
export function record<const Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) {
  type Read = Camelized<z.output<z.ZodObject<Shape>>>;
  const members = Object.entries(shape).map(
    ([name, schema]) =>
      [name, name.replaceAll(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase()), schema] as const,
  );
  return z.unknown().transform((value, context): Read => {
    if (!hasMembers(value)) return refuse(context, saying("not an object"));
    const read: Record<string, unknown> = {};
    for (const [name, camel, schema] of members) {
      const { value: part, issues } = readPart(schema, value[name]);
      if (issues.length > 0) return refuse(context, issues, name);
      if (part !== undefined && part !== null) read[camel] = part;
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Camelized says in types what the lines above do.
    return read as Read;
  });
}

/** An id that can be used in paths. */
export const pathId = z.string().refine(isUuidOfAnyCase, "not a UUID");

function orAbsent<Schema extends z.ZodType>(schema: Schema) {
  return z.unknown().transform((value): z.output<Schema> | undefined => {
    if (value === undefined || value === null) return undefined;
    const { value: part, issues } = readPart(schema, value);
    return issues.length > 0 ? undefined : part;
  });
}

/** A member that is absent unless a plain check accepts it: cheaper than a schema, since it makes no complaint. */
function plain<T>(accepts: (value: unknown) => value is T) {
  return z.unknown().transform((value): T | undefined => (accepts(value) ? value : undefined));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function isMaps(value: unknown): value is Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  return hasMembers(value) && Object.values(value).every(hasMembers);
}

/** Members that may be missing, null or (as nothing depends on them) of another shape: then they are absent. */
export const optional = {
  of: orAbsent,
  text: plain(isText),
  flag: plain((value): value is boolean => typeof value === "boolean"),
  number: plain((value): value is number => Number.isFinite(value)),
  /** Dates stay text, so that they keep their fraction of a second. */
  date: plain(isText),
  /** The parent of a record, as deployed services nest it: `{ "project": { "id": … } }`. */
  parent: orAbsent(record({ id: pathId })),
  strings: plain(isTexts),
  /** An object whose members have names that are not known. */
  map: plain(hasMembers),
  maps: plain(isMaps),
};

/** A list of texts. */
export const texts = z.custom<readonly string[]>(isTexts, "not a list of texts");

/** A list, all of whose items have to have the documented shape. The first malformed item ends the reading. */
export function items<Schema extends z.ZodType>(item: Schema) {
  return z.unknown().transform((list, context): readonly z.output<Schema>[] => {
    if (!Array.isArray(list)) return refuse(context, saying("not a list"));
    const read: z.output<Schema>[] = [];
    for (const [index, one] of list.entries()) {
      const { value, issues } = readPart(item, one);
      if (issues.length > 0) return refuse(context, issues, index);
      read.push(value);
    }
    return read;
  });
}

/** A list without the items that do not have the documented shape. */
export function wellShaped<Schema extends z.ZodType>(item: Schema) {
  return z.unknown().transform((list, context): readonly z.output<Schema>[] => {
    if (!Array.isArray(list)) return refuse(context, saying("not a list"));
    return list.flatMap((one: unknown): readonly z.output<Schema>[] => {
      const { value, issues } = readPart(item, one);
      return issues.length === 0 ? [value] : [];
    });
  });
}

/**
 * A record that can be changed by PUT. `record` is the platform's whole answer: a PUT replaces absent members by
 * defaults, so it has to start from what is there. It is never shown.
 */
export function editable<Schema extends z.ZodType<object>>(schema: Schema) {
  return z.looseObject({}).transform((record, context) => {
    const { value, issues } = readPart(schema, record);
    if (issues.length > 0) return refuse(context, issues);
    return { ...value, record: record satisfies Readonly<Record<string, unknown>> };
  });
}

/** A request or an answer does not have the documented shape. The message names members, never values. */
export class ShapeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ShapeError";
  }
}

const MAX_ISSUES = 3;

/**
 * Parses a value by a schema.
 * @param complaint the start of the error message
 * @throws ShapeError
 */
export function parseAs<Schema extends z.ZodType>(schema: Schema, value: unknown, complaint: string): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const issues = read.error.issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  throw new ShapeError(`${complaint}: ${issues.join("; ")}`);
}
