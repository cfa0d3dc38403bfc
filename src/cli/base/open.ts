/** The cluster and the platform of a command: opened when first used, closed at the end. */
import type { KubeObject } from "../../kube/api/types.ts";
import { isUuidOfAnyCase } from "../../platform/codec/paths.ts";
import type { Access } from "./access.ts";
import type { ClusterClient } from "./cluster.ts";
import type { Parsed } from "./flags.ts";
import type { SharedFlags } from "./globals.ts";
import type { Host } from "./io.ts";

/** An object of the platform that the user named, the connection to it, and its resource when that was named. */
export type PlatformTarget = Awaited<ReturnType<CommandPorts["target"]>>;

/** Every method throws CliError, KubeError or ApiError, each with a message for the user. */
export type CommandPorts = ReturnType<typeof opener>["ports"];

/**
 * @param flags those of the command line, the shared ones included
 * @returns the ports, and what closes whatever was opened through them
 */
export function opener(flags: Parsed["flags"], host: Host) {
  const closers: (() => Promise<void>)[] = [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- FlagValues says in types what parse does
  const shared = flags as unknown as SharedFlags;

  const open = async (): Promise<ClusterClient> => {
    const { openCluster } = await import("./cluster.ts");
    const opened = openCluster(shared, host.clock);
    closers.push(() => opened.close());
    return opened;
  };
  let opening: Promise<ClusterClient> | undefined;
  const cluster = (): Promise<ClusterClient> => (opening ??= open());

  /** @param object the object whose connection is used; that of --connection or of the namespace if absent */
  const access = async (object?: KubeObject): Promise<Access> => {
    const { openAccess } = await import("./access.ts");
    const opened = await openAccess(await cluster(), shared, host.clock, object);
    closers.push(() => opened.platform.close());
    return opened;
  };

  return {
    ports: {
      shared,
      cluster,
      access,
      /** Returns the platform of --connection or of the namespace. */
      platform: async () => (await access()).platform,
      /**
       * Resolves an id of the platform, or a custom resource, whose connection and id are then used.
       * @param kinds the kinds that are allowed; a bare name is one of the first
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
