/** Declares the commands that call the platform directly, with the user's own rights. */
import { ApiError } from "../../platform/transport/errors.ts";
import { command, type Call, type Entry, type NoFlags, type Spec } from "../base/command.ts";
import type { Arg, ArgValues, Flags, FlagValues } from "../base/flags.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import { print, type View } from "../base/render.ts";

/** The argument of the commands that work on an application. */
export const APPLICATION = {
  name: "application",
  about: "id of the application, or the name of a PlatformApplication",
} as const;

/**
 * @returns how long to wait after a temporary failure of the platform, in milliseconds; undefined for any other error
 */
export function pauseAfter(error: unknown): number | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { failure } = error;
  if ("retryAfterMs" in failure) return failure.retryAfterMs;
  return failure.is === "Server" || failure.is === "Unreachable" ? 0 : undefined;
}

/** Prints the state in the answer to a change, if there is one. */
export async function printAnswer<Row>(call: Call, view: View<Row>, answer: Row | undefined): Promise<void> {
  if (answer === undefined) call.report("The platform accepted the request.");
  else await print(call, view, answer);
}

type ApiCommand<Args extends readonly Arg[], Own extends Flags> = Pick<Entry, "name" | "about" | "operations"> &
  Spec<Args, Own>;

/** Declares a command that calls the platform. @returns its entry in the table of commands */
export function apiCommand<const Args extends readonly Arg[] = readonly [], const Own extends Flags = NoFlags>({
  name,
  about,
  operations,
  ...spec
}: ApiCommand<Args, Own>): Entry {
  return { name, about, operations, load: async () => command({ ...spec, asks: "platform" }) };
}

interface Read<Args extends readonly Arg[], Own extends Flags, Row> extends Omit<
  ApiCommand<Args, Own>,
  "run" | "formats"
> {
  readonly view: View<Row>;
  readonly read: (call: Call<ArgValues<Args>, FlagValues<Own>>) => Promise<Row | readonly Row[]>;
}

/** Declares a command that prints what it reads, one record or a list. */
export function readCommand<Row, const Args extends readonly Arg[] = readonly [], const Own extends Flags = NoFlags>({
  view,
  read,
  ...spec
}: Read<Args, Own, Row>): Entry {
  return apiCommand<Args, Own>({
    ...spec,
    formats: LIST_FORMATS,
    run: async (call) => print(call, view, await read(call)),
  });
}
