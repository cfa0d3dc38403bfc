/**
 * Makes the functions of the areas, each of which calls one operation. A function takes the ids of the path first, in
 * the order of the path.
 */
import type { z } from "zod";

import { created, type Created, type Decode, json, list, jsonOrEmpty, ignoredBody } from "../codec/decode.ts";
import { overlay, encodeWith } from "../codec/encode.ts";
import type { OperationName, PathIds } from "../codec/operations.ts";
import type { Caller, ReadOptions } from "./caller.ts";

export interface CreateOptions {
  /** Also sends the members that deployed services require beyond the specification. */
  readonly extended?: boolean;
}

/** A record that a PUT can start from. */
interface Editable {
  readonly id: string;
  readonly record: Readonly<Record<string, unknown>>;
}
type Body<Input> = z.ZodType<Record<string, unknown>, Input>;
type NameOfOneId = { [Name in OperationName]: PathIds<Name> extends [string] ? Name : never }[OperationName];

type Read<Name extends OperationName, T> = (...args: [...PathIds<Name>, options?: ReadOptions]) => Promise<T>;
type Create<Name extends OperationName, Input, T> = (
  ...args: [...PathIds<Name>, input: Input, options?: CreateOptions]
) => Promise<Created<T>>;

/** Returns the function of a read whose answer equal reads share. */
export function read<Name extends OperationName, T>(caller: Caller, name: Name, answer: Decode<T>): Read<Name, T> {
  return (...args) => {
    const options = args.find((arg) => typeof arg === "object");
    return caller.read(name, idsIn(args), { answer, ...options });
  };
}

/** Returns the function of a write without a body. */
export function write<Name extends OperationName, T>(caller: Caller, name: Name, answer: Decode<T>) {
  return (...ids: PathIds<Name>): Promise<T> => caller.write(name, ids, { answer });
}

/** Returns the function that creates a record. @param extended the body with the members beyond the specification */
export function create<Name extends OperationName, T extends object, Input extends object>(
  caller: Caller,
  name: Name,
  record: z.ZodType<T>,
  body: Body<Input>,
  extended = body,
): Create<Name, Input, T> {
  return (...args) => {
    const ids = idsIn(args);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Create says that these follow the ids.
    const [input, options] = args.slice(ids.length) as [Input, CreateOptions?];
    return caller.write(name, ids, {
      body: encodeWith(options?.extended === true ? extended : body, input),
      answer: created(record, "name" in input ? { name: input.name } : {}),
    });
  };
}

/**
 * Returns the function of a PUT, which sends the current record with the changes of the input, so that members that the
 * input lacks stay. It resolves with undefined when the answer has no body.
 */
export function update<T extends Editable, Input>(
  caller: Caller,
  name: NameOfOneId,
  record: z.ZodType<T>,
  body: Body<Input>,
) {
  const answer = jsonOrEmpty(record);
  return (current: T, input: Input): Promise<T | undefined> =>
    caller.write(name, [current.id], { body: () => overlay(current.record, encodeWith(body, input)()), answer });
}

type After<Verb extends string> = {
  [Name in OperationName]: Name extends `${Verb}${infer What}` ? What : never;
}[OperationName];
/** The record names that have create, get, update and delete operations. */
type One = After<"create"> & After<"get"> & After<"update"> & After<"delete">;

/**
 * Returns the functions that list, create, read, change and delete records.
 * @param bodies.extended the body of a create with the members beyond the specification
 */
export function crud<
  Single extends One,
  Several extends After<"list">,
  T extends Editable,
  Input extends object,
  Change,
>(
  caller: Caller,
  [one, several]: readonly [Single, Several],
  record: z.ZodType<T>,
  bodies: { readonly create: Body<Input>; readonly extended?: Body<Input>; readonly update: Body<Change> },
) {
  return {
    list: read(caller, `list${several}` as const, list(record)),
    create: create(caller, `create${one}` as const, record, bodies.create, bodies.extended),
    get: read(caller, `get${one}` as const, json(record)),
    update: update(caller, `update${one}` as const, record, bodies.update),
    delete: write(caller, `delete${one}` as const, ignoredBody),
  };
}

function idsIn(args: readonly unknown[]): readonly string[] {
  return args.filter((arg) => typeof arg === "string");
}
