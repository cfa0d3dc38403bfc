/** The call of a command: what its function receives, and how it is run. */
import { stringMember } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { isUuidOfAnyCase } from "../../platform/codec/paths.ts";
import { printable, printableLines } from "../../text/text.ts";
import type { Access, SharedOptions } from "./access.ts";
import type { ClusterClient } from "./cluster.ts";
import { EXIT } from "./exit.ts";
import type { Host } from "./io.ts";
import type { Format } from "./render.ts";

/** The name of the program: as a plugin of kubectl, or as the operator's own. */
export type ProgramName = "kubectl platform" | "platform-operator";

/** The kinds take longer to load than everything else: --help and --version do without. */
const loadTargets = () => import("./targets.ts");

export interface Invocation {
  readonly host: Host;
  readonly program: ProgramName;
  readonly shared: SharedOptions;
}

/** The argument of a command's function. */
export type Call = ReturnType<typeof openCall>["call"];

/**
 * Makes the action of a command, which commander calls with the arguments, the options and the command itself.
 * @param load loads the command's function, which returns the exit code, 0 if undefined
 * @param ended receives the exit code
 */
export function action<Given extends readonly unknown[]>(
  invocation: () => Invocation,
  load: () => Promise<(call: Call, ...given: Given) => Promise<number | void> | number | void>,
  ended: (code: number) => void,
) {
  return async (...given: [...Given, command: unknown]): Promise<void> => {
    const [, ...all] = given.toReversed();
    const { call, close } = openCall(invocation(), stringMember(all[0], "output"));
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without the command these are its arguments
      const code = await (await load())(call, ...(all.toReversed() as unknown as Given));
      ended(code ?? EXIT.ok);
    } finally {
      await close();
    }
  };
}

/**
 * Returns the call of a command, which connects to the cluster and the platform on demand, and a function that closes
 * these connections. Every method throws CliError, ConfigError, KubeError or ApiError, each with a message for the user.
 */
export function openCall({ host, program, shared }: Invocation, output?: string) {
  const { io, clock } = host;
  const closers: (() => Promise<void>)[] = [];
  const open = async (): Promise<ClusterClient> => {
    const { clusterOver } = await import("./cluster.ts");
    const opened = clusterOver(await host.connect());
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
    const opened = await openAccess(await cluster(), shared, clock, to);
    closers.push(() => opened.platform.close());
    return opened;
  };
  /** @param object see connection */
  const access = async (object?: KubeObject): Promise<Access> => connect(await connection(object));

  const call = {
    host,
    program,
    shared,
    io,
    /** The format of -o, which is one that the command has. */
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- commander has checked the choice
    output: (output ?? "table") as Format,
    /** Writes a line of progress to standard error, without control characters. */
    report: (line: string): void => void io.stderr.write(`${printableLines(line)}\n`),
    cluster,
    connection,
    /** Opens the platform of a connection. */
    connect,
    access,
    /**
     * Returns the custom resource that the user names by kind and name.
     * @param kinds the allowed kinds, all if absent; a bare name is of the first kind
     */
    object: async (given: string, kinds?: readonly string[]): Promise<KubeObject> => {
      const { nameOf, parseTarget } = await loadTargets();
      const { kind, name } = kinds === undefined ? parseTarget(given) : nameOf(given, kinds);
      return (await cluster()).get(kind, name);
    },
    /** Returns the custom resources that the user names, one after the other. */
    objects: async (given: readonly string[]): Promise<readonly KubeObject[]> => {
      const { parseTargets } = await loadTargets();
      const objects: KubeObject[] = [];
      for (const { kind, name } of parseTargets(given)) objects.push(await (await cluster()).get(kind, name));
      return objects;
    },
    /**
     * Resolves an id of the platform, or a custom resource, whose connection and id are then used.
     * @param kinds the allowed kinds; a bare name is of the first kind
     */
    target: async (given: string, kinds: readonly string[]) => {
      const { externalIdOf, nameOf } = await loadTargets();
      const name = isUuidOfAnyCase(given) ? undefined : nameOf(given, kinds, ["an id"]);
      const object = name === undefined ? undefined : await (await cluster()).get(name.kind, name.name);
      const id = object === undefined ? given : externalIdOf(object);
      const opened = await access(object);
      return { id, platform: opened.platform, access: opened, object };
    },
    /** Prints that an object was written: the cluster, the namespace, the object, and what was done. */
    wrote: async (object: KubeObject, done: string, dryRun?: string): Promise<void> => {
      const { shortTarget } = await loadTargets();
      const { place } = await cluster();
      const { namespace } = object.metadata;
      const where = [place, ...(namespace === undefined ? [] : [namespace]), shortTarget(keyOf(object))].join("/");
      io.stdout.write(`${printable(`${where} ${done}`)}${dryRun === undefined ? "" : ` (${dryRun} dry run)`}\n`);
    },
  };
  return {
    call,
    close: async (): Promise<void> => {
      await Promise.all(closers.map((one) => one()));
    },
  };
}
