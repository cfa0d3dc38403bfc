/** The flags of many commands. */
import type { Flags, FlagValues } from "./flags.ts";

export const LIST_FORMATS = ["table", "wide", "json", "yaml", "name"] as const;
/** raw: unchanged from the platform; dot: for Graphviz. */
export type Format = (typeof LIST_FORMATS)[number] | "raw" | "dot";

/** The flags of every command that talks to the cluster. */
export const KUBE_FLAGS = {
  namespace: { type: "text", short: "n", value: "NAME", about: "namespace; defaults to that of the context" },
  context: { type: "text", value: "NAME", about: "context of the kubeconfig; defaults to the current one" },
  kubeconfig: {
    type: "text",
    value: "FILE",
    about: "path of the kubeconfig; defaults to $KUBECONFIG, then ~/.kube/config",
  },
} as const satisfies Flags;

/** The flags of commands that do what the operator would do. */
export const OPERATOR_FLAGS = {
  "operator-namespace": {
    type: "text",
    value: "NAME",
    fallback: "platform-operator",
    about: "namespace of the operator, which also has the Secrets of ClusterPlatformConnections",
  },
  "allowed-platform-hosts": {
    type: "text",
    value: "HOST,…",
    about:
      "hosts, *.suffixes, addresses or CIDR blocks that may receive the token; defaults to every public host " +
      "(or $PLATFORM_OPERATOR_ALLOWED_PLATFORM_HOSTS)",
  },
  "allow-insecure-platform": {
    type: "switch",
    about: "allow http, and loopback and private addresses (or $PLATFORM_OPERATOR_ALLOW_INSECURE_PLATFORM)",
  },
} as const satisfies Flags;

/** The flags of every command that talks to the platform as well. */
export const PLATFORM_FLAGS = {
  ...KUBE_FLAGS,
  connection: {
    type: "text",
    value: "[KIND/]NAME",
    about:
      "connection; defaults to the object's, then PlatformConnection default, then ClusterPlatformConnection default",
  },
  ...OPERATOR_FLAGS,
} as const satisfies Flags;

/** The values of the shared flags; a command has those of the cluster, and those of the platform if it calls it. */
export type SharedFlags = FlagValues<typeof PLATFORM_FLAGS>;

/** The flag of commands that list custom resources. */
export const ALL_NAMESPACES = {
  "all-namespaces": { type: "switch", short: "A", about: "use all namespaces" },
} as const satisfies Flags;

export const HELP_FLAG = { help: { type: "switch", short: "h", about: "show this help" } } as const satisfies Flags;

/** @returns the flag -o of a command that knows these formats; the first one is the default. */
export function outputFlag(formats: readonly Format[]): Flags {
  if (formats.length === 0) return {};
  return {
    output: {
      type: "text",
      short: "o",
      value: "FORMAT",
      choices: formats,
      fallback: formats[0] ?? "table",
      about: formats.join(", "),
    },
  };
}
