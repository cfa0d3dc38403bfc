/** The type of a command, and of the call that runs it. */
import type { OperationName } from "../../platform/codec/operations.ts";
import { EXIT } from "./exit.ts";
import { parse, type Arg, type ArgValues, type Flags, type FlagValues, type Parsed } from "./flags.ts";
import { HELP_FLAG, KUBE_FLAGS, outputFlag, PLATFORM_FLAGS, type Format } from "./globals.ts";
import type { Host, Io } from "./io.ts";
import { type CommandPorts, opener } from "./open.ts";

/** One entry of the table of commands. Code that is slow to load is loaded when the command is called. */
export interface Entry {
  /** The words of the command, e.g. "cluster token". */
  readonly name: string;
  readonly about: string;
  /** The operations of the platform that it may call; none if absent. */
  readonly operations?: readonly OperationName[] | undefined;
  readonly load: () => Promise<Command>;
  /** Left out of the list of commands. */
  readonly hidden?: true;
}

/** A command that can be run. */
export interface Command {
  readonly args: readonly Arg[];
  /** All its flags. */
  readonly flags: Flags;
  /** More text for the help. */
  readonly details?: string | undefined;
  /** Parses the rest of the command line itself, --help included. */
  readonly raw: boolean;
  /** @returns the exit code. @throws CliError, ApiError, KubeError */
  readonly run: (argv: readonly string[], caller: Invocation) => Promise<number>;
}

/**
 * Declares the command that a module exports, `planCommand` for "plan". The module is loaded when the command is called.
 * @param operations see Entry
 */
export function lazyCommand<Name extends string>(
  name: Name,
  about: string,
  load: () => Promise<Readonly<Record<`${Name}Command`, Command>>>,
  operations?: Entry["operations"],
): Entry {
  return { name, about, operations, load: async () => (await load())[`${name}Command` as const] };
}

/** How a command is called: in which environment, and by which name. */
export interface Invocation {
  readonly host: Host;
  /** The program's name: "kubectl platform" or "platform-operator". */
  readonly program: string;
}

/** The argument of a command's function. */
export interface Call<Args = unknown, Own = unknown> extends Invocation, CommandPorts {
  readonly args: Args;
  readonly flags: Own;
  /** The format of -o. */
  readonly output: Format;
  readonly io: Io;
  /** Writes a line of progress to standard error. */
  readonly tell: (line: string) => void;
}

type Asks = "nothing" | "cluster" | "platform";

export interface Spec<Args extends readonly Arg[], Own extends Flags> {
  readonly args?: Args;
  readonly flags?: Own;
  /** The formats of -o; the first one is the default. Absent: no -o. */
  readonly formats?: readonly Format[];
  readonly details?: string;
  /** @returns the exit code, 0 if undefined */
  readonly run: (call: Call<ArgValues<Args>, FlagValues<Own>>) => Promise<number | void> | number | void;
}

const SHARED = { nothing: {}, cluster: KUBE_FLAGS, platform: PLATFORM_FLAGS } as const satisfies Record<Asks, Flags>;

export type NoFlags = Readonly<Record<string, never>>;

/**
 * Builds a command from its arguments, its flags and its function.
 * @param spec `asks` is what the command talks to, which decides which shared flags it has
 */
export function command<const Args extends readonly Arg[] = readonly [], const Own extends Flags = NoFlags>(
  spec: Spec<Args, Own> & { readonly asks: Asks },
): Command {
  const args = spec.args ?? [];
  const flags = { ...spec.flags, ...outputFlag(spec.formats ?? []), ...SHARED[spec.asks], ...HELP_FLAG };
  return {
    args,
    flags,
    details: spec.details,
    raw: false,
    run: async (argv, caller) => {
      const parsed = parse(argv, args, flags);
      const { io } = caller.host;
      const opened = opener(parsed.flags, caller.host);
      const tell = (line: string): void => void io.stderr.write(`${line}\n`);
      try {
        const output = formatOf(parsed.flags);
        return (
          (await spec.run({ ...caller, ...opened.ports, ...typed<Args, Own>(parsed), output, io, tell })) ?? EXIT.ok
        );
      } finally {
        await opened.close();
      }
    },
  };
}

/** Builds a command that parses its own arguments. */
export function rawCommand(run: (argv: readonly string[], caller: Invocation) => Promise<number>): Command {
  return { args: [], flags: {}, raw: true, run };
}

function typed<Args extends readonly Arg[], Own extends Flags>(parsed: Parsed) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- FlagValues and ArgValues say in types what parse does.
  return parsed as unknown as { args: ArgValues<Args>; flags: FlagValues<Own> };
}

function formatOf(flags: Parsed["flags"]): Format {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its choices are formats
  return (flags["output"] ?? "table") as Format;
}
