/** What a command is, and what it is given when it runs. */
import type { OperationName } from "../../platform/codec/operations.ts";
import { EXIT } from "./exit.ts";
import { parse, type Arg, type ArgValues, type Flags, type FlagValues, type Parsed } from "./flags.ts";
import { HELP_FLAG, KUBE_FLAGS, outputFlag, PLATFORM_FLAGS, type Format } from "./globals.ts";
import type { Host, Io } from "./io.ts";
import { opener, type Ports } from "./open.ts";

/** One line of the table of commands: light, so that nothing of a command is loaded before it is called. */
export interface Entry {
  /** Its words, e.g. "cluster token". */
  readonly name: string;
  readonly about: string;
  /** The operations of the platform that it may call. */
  readonly operations: readonly OperationName[];
  readonly load: () => Promise<Command>;
  /** Not shown in the list of commands. */
  readonly hidden?: true;
}

/** A command as the command line sees it. */
export interface Command {
  readonly args: readonly Arg[];
  /** All that it takes. */
  readonly flags: Flags;
  /** Further words of the help. */
  readonly details?: string | undefined;
  /** Reads the whole rest of the command line itself, --help included. */
  readonly raw: boolean;
  /** @returns the exit code. @throws CliError, ApiError, KubeError */
  readonly run: (argv: readonly string[], caller: Caller) => Promise<number>;
}

/** Who called: where from and as what. */
export interface Caller {
  readonly host: Host;
  /** How the user calls the program: "kubectl platform" or "platform-operator". */
  readonly program: string;
  readonly name: string;
}

/** What the function of a command is given. */
export interface Call<Args = unknown, Own = unknown> extends Caller, Ports {
  readonly args: Args;
  readonly flags: Own;
  /** What -o says. */
  readonly output: Format;
  readonly io: Io;
  /** Writes a line of progress to standard error. */
  readonly tell: (line: string) => void;
}

type Asks = "nothing" | "cluster" | "platform";

interface Spec<Args extends readonly Arg[], Own extends Flags> {
  /** Whom it asks: decides which of the shared flags it takes. */
  readonly asks: Asks;
  readonly args?: Args;
  readonly flags?: Own;
  /** What -o takes; the first one is the default. None: there is no -o. */
  readonly formats?: readonly Format[];
  readonly details?: string;
  /** @returns the exit code, 0 when nothing. */
  readonly run: (call: Call<ArgValues<Args>, FlagValues<Own>>) => Promise<number | void> | number | void;
}

const SHARED = { nothing: {}, cluster: KUBE_FLAGS, platform: PLATFORM_FLAGS } as const satisfies Record<Asks, Flags>;

type NoFlags = Readonly<Record<string, never>>;

/** Makes a command of its arguments, its flags and its function. */
export function command<const Args extends readonly Arg[] = readonly [], const Own extends Flags = NoFlags>(
  spec: Spec<Args, Own>,
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

/** Makes a command that reads its own arguments. */
export function rawCommand(run: (argv: readonly string[], caller: Caller) => Promise<number>): Command {
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
