/** The type of a command, and of the call that runs it. */
import type { KubeObject } from "../../kube/api/types.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import { isUuidOfAnyCase } from "../../platform/codec/paths.ts";
import { printableLines } from "../../text/text.ts";
import type { Access } from "./access.ts";
import type { ClusterClient } from "./cluster.ts";
import { EXIT } from "./exit.ts";
import { parse, type Arg, type ArgValues, type Flags, type FlagValues } from "./flags.ts";
import { HELP_FLAG, KUBE_FLAGS, outputFlag, PLATFORM_FLAGS, type Format, type SharedFlags } from "./globals.ts";
import type { Host, Io } from "./io.ts";

/** One entry of the table of commands. Code that is slow to load is loaded when the command is called. */
export interface Entry {
  /** The words of the command, e.g. "cluster token". */
  readonly name: string;
  readonly about: string;
  /** The operations of the platform that it may call; none if absent. */
  readonly operations?: readonly OperationName[] | undefined;
  readonly load: () => Promise<Command>;
  /** Hides the command in the list of commands. */
  readonly hidden?: true;
}

/** A command that can be run. */
export interface Command {
  readonly args: readonly Arg[];
  /** All its flags. */
  readonly flags: Flags;
  /** More text for the help. */
  readonly details?: string | undefined;
  /** True for a command that parses its own arguments, --help included. */
  readonly raw: boolean;
  /** @returns the exit code. @throws CliError, ConfigError, ApiError, KubeError */
  readonly run: (argv: readonly string[], caller: Invocation) => Promise<number>;
}

/**
 * Declares the command that a module exports, `planCommand` for "plan". The module is loaded when the command is
 * called.
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
  /** Writes a line of progress to standard error, without control characters. */
  readonly report: (line: string) => void;
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
 * @param spec `asks` names what the command talks to, and decides which shared flags it has
 */
export function command<const Args extends readonly Arg[] = readonly [], const Own extends Flags = NoFlags>(
  spec: Spec<Args, Own> & { readonly asks: Asks },
): Command {
  const args = spec.args ?? [];
  const own = spec.flags ?? {};
  // In the order of the help. A command may describe a shared flag itself.
  const flags = { ...own, ...outputFlag(spec.formats ?? []), ...SHARED[spec.asks], ...HELP_FLAG, ...own };
  return {
    args,
    flags,
    details: spec.details,
    raw: false,
    run: async (argv, caller) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these types say what parse does
      const parsed = parse(argv, args, flags) as unknown as {
        readonly args: ArgValues<Args>;
        readonly flags: FlagValues<Own> & SharedFlags & { readonly output?: Format };
      };
      const { io } = caller.host;
      const opened = opener(parsed.flags, caller.host);
      const report = (line: string): void => void io.stderr.write(`${printableLines(line)}\n`);
      const { output = "table" } = parsed.flags;
      try {
        return (await spec.run({ ...caller, ...opened.ports, ...parsed, output, io, report })) ?? EXIT.ok;
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

/** An object of the platform that the user named, the connection to it, and its custom resource if that was named. */
export type PlatformTarget = Awaited<ReturnType<CommandPorts["target"]>>;

/** Every method throws CliError, ConfigError, KubeError or ApiError, each with a message for the user. */
type CommandPorts = ReturnType<typeof opener>["ports"];

/**
 * Returns the ports of a command, which connect to the cluster and the platform on demand, and a function that closes
 * the connections that were opened.
 */
function opener(shared: SharedFlags, host: Host) {
  const closers: (() => Promise<void>)[] = [];
  const open = async (): Promise<ClusterClient> => {
    const { openCluster } = await import("./cluster.ts");
    const opened = openCluster(shared, host.clock);
    closers.push(() => opened.close());
    return opened;
  };
  let opening: Promise<ClusterClient> | undefined;
  const cluster = (): Promise<ClusterClient> => (opening ??= open());

  /** @param object the object whose connection is used if --connection is not set; else a default connection is used */
  const connection = async (object?: KubeObject): Promise<KubeObject> => {
    const { chooseConnection } = await import("./access.ts");
    return chooseConnection(await cluster(), shared.connection, object);
  };
  const connect = async (to: KubeObject): Promise<Access> => {
    const { openAccess } = await import("./access.ts");
    const opened = await openAccess(await cluster(), shared, host.clock, to);
    closers.push(() => opened.platform.close());
    return opened;
  };
  /** @param object see connection */
  const access = async (object?: KubeObject): Promise<Access> => connect(await connection(object));

  return {
    ports: {
      shared,
      cluster,
      connection,
      /** Opens the platform of a connection. */
      connect,
      access,
      /** Returns the platform of --connection, else of the default connection. */
      platform: async () => (await access()).platform,
      /**
       * Returns the custom resource that the user names by kind and name.
       * @param kinds the allowed kinds, all if absent; a bare name is of the first kind
       */
      object: async (given: string, kinds?: readonly string[]): Promise<KubeObject> => {
        const { nameOf, parseTarget } = await import("./targets.ts");
        const { kind, name } = kinds === undefined ? parseTarget(given) : nameOf(given, kinds);
        return (await cluster()).get(kind, name);
      },
      /** Returns the custom resources that the user names, one after the other. */
      objects: async (given: readonly string[]): Promise<readonly KubeObject[]> => {
        const { parseTargets } = await import("./targets.ts");
        const objects: KubeObject[] = [];
        for (const { kind, name } of parseTargets(given)) objects.push(await (await cluster()).get(kind, name));
        return objects;
      },
      /**
       * Resolves an id of the platform, or a custom resource, whose connection and id are then used.
       * @param kinds the allowed kinds; a bare name is of the first kind
       */
      target: async (given: string, kinds: readonly string[]) => {
        const { externalIdOf, nameOf } = await import("./targets.ts");
        const name = isUuidOfAnyCase(given) ? undefined : nameOf(given, kinds, ["an id"]);
        const object = name === undefined ? undefined : await (await cluster()).get(name.kind, name.name);
        const id = object === undefined ? given : externalIdOf(object);
        const opened = await access(object);
        return { id, platform: opened.platform, access: opened, object };
      },
    },
    close: async (): Promise<void> => {
      await Promise.all(closers.map((close) => close()));
    },
  };
}
