/**
 * Tolerant readers (docs/architecture.md §8): unknown members stay out, enum values stay strings, null and absent are
 * the same.
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

function camelized<T extends object>(value: T): Camelized<T> {
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  const named = members.map(([name, member]: [string, unknown]) => [
    name.replaceAll(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase()),
    member,
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Camelized says in types what the lines above do.
  return Object.fromEntries(named) as Camelized<T>;
}

/** A record of the platform: only these members are read, and they come out in camelCase. */
export function record<const Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.object(shape).transform((value) => camelized(value));
}

/** An id that can be used in paths. */
export const pathId = z.string().refine(isUuidOfAnyCase, "not a UUID");

function orAbsent<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().catch(undefined);
}

/** Members that may be missing, null or (as nothing depends on them) of another shape: then they are absent. */
export const optional = {
  of: orAbsent,
  text: orAbsent(z.string()),
  flag: orAbsent(z.boolean()),
  number: orAbsent(z.number()),
  /** Dates stay text, so that they keep their fraction of a second. */
  date: orAbsent(z.string()),
  /** The parent of a record, as deployed services nest it: `{ "project": { "id": … } }`. */
  parent: orAbsent(z.object({ id: pathId })),
  strings: orAbsent(z.array(z.string())),
};

/** A list without the items that do not have the documented shape. */
export function wellShaped<Schema extends z.ZodType>(item: Schema) {
  return z.array(z.unknown()).transform((list) =>
    list.flatMap((one): readonly z.output<Schema>[] => {
      const read = item.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );
}

/**
 * A record that can be changed by PUT. `record` is the platform's whole answer: a PUT replaces absent members by
 * defaults, so it has to start from what is there. It is never shown.
 */
export function editable<Schema extends z.ZodType<object>>(schema: Schema) {
  return z.looseObject({}).transform((record, context) => {
    const read = schema.safeParse(record);
    if (read.success) return { ...read.data, record: record satisfies Readonly<Record<string, unknown>> };
    for (const issue of read.error.issues) context.issues.push({ ...issue, input: undefined });
    return z.NEVER;
  });
}

/** `{ "results": […] }`, the shape of every list of this API. */
export function results<Item>(list: z.ZodType<readonly Item[]>) {
  return z.object({ results: list }).transform((answer): readonly Item[] => answer.results);
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
export function shaped<Schema extends z.ZodType>(schema: Schema, value: unknown, complaint: string): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const issues = read.error.issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  throw new ShapeError(`${complaint}: ${issues.join("; ")}`);
}
