/** The options of `run` as data: names, descriptions, and how a command line is parsed. */
import { parseArgs } from "node:util";

interface Flag {
  /** Without the dashes. The environment variable is PLATFORM_OPERATOR_ and the name in upper case. */
  readonly name: string;
  /** The placeholder of the value in the usage text. BOOL: a switch, which may stand alone for true. */
  readonly value: string;
  readonly fallback: string;
  readonly about: string;
}

/** In the order of the usage text. Names are those of controller-runtime where it has one. */
export const FLAGS = [
  {
    name: "metrics-bind-address",
    value: "ADDRESS",
    fallback: ":8080",
    about: "where /metrics is served, e.g. :8080 or 127.0.0.1:9090; 0 for nowhere",
  },
  {
    name: "health-probe-bind-address",
    value: "ADDRESS",
    fallback: ":8081",
    about: "where /healthz and /readyz are served; 0 for nowhere",
  },
  {
    name: "webhook-bind-address",
    value: "ADDRESS",
    fallback: "0",
    about: "where the platform's deliveries are received, e.g. :8082, behind TLS of an ingress; 0 for nowhere",
  },
  {
    name: "status-page-bind-address",
    value: "ADDRESS",
    fallback: "0",
    about:
      "where the read-only status page is served, to everybody who gets there, e.g. 127.0.0.1:8083, which kubectl port-forward reaches; 0 for nowhere",
  },
  {
    name: "leader-elect",
    value: "BOOL",
    fallback: "true",
    about: "work only while holding the lease, so that several replicas can run",
  },
  {
    name: "watch-namespaces",
    value: "NAME,…",
    fallback: "",
    about: "namespaces to look at; all when empty",
  },
  {
    name: "allowed-platform-hosts",
    value: "HOST,…",
    fallback: "",
    about: "hosts, *.suffixes, addresses or CIDR blocks that connections may name; every public host when empty",
  },
  {
    name: "allow-insecure-platform",
    value: "BOOL",
    fallback: "false",
    about: "let connections use http and loopback or private addresses; for demos and tests",
  },
  {
    name: "kubeconfig",
    value: "FILE",
    fallback: "",
    about: "kubeconfig to use; else $KUBECONFIG, ~/.kube/config, then the cluster that the process runs in",
  },
  {
    name: "context",
    value: "NAME",
    fallback: "",
    about: "context of the kubeconfig; its current one when empty",
  },
  {
    name: "operator-namespace",
    value: "NAME",
    fallback: "",
    about:
      "namespace of the lease and of the Secrets of cluster connections; else $POD_NAMESPACE, then the ServiceAccount's, then platform-operator",
  },
  { name: "workers", value: "N", fallback: "10", about: "objects that are worked on at once" },
  {
    name: "log-level",
    value: "LEVEL,…",
    fallback: "info",
    about:
      "trace, debug, info, warn or error, then perhaps those of single parts (app, kube, engine, platform, changes), e.g. info,platform=debug; debug names each request to the platform, trace also those to the API server",
  },
  {
    name: "otlp-endpoint",
    value: "URL",
    fallback: "",
    about:
      "where traces are sent by OTLP/HTTP, e.g. http://collector:4318; else $OTEL_EXPORTER_OTLP_ENDPOINT; none when empty",
  },
  {
    name: "otlp-propagate",
    value: "BOOL",
    fallback: "false",
    about: "send the platform the header traceparent, so that it can take part in traces",
  },
  {
    name: "metrics-per-object",
    value: "BOOL",
    fallback: "false",
    about: "serve one platform_operator_resource_info series for each object",
  },
] as const satisfies readonly Flag[];

export type FlagName = (typeof FLAGS)[number]["name"];

export type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** @returns the member of the configuration that has the value of a flag */
export function camelCase(flag: FlagName): string {
  return flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** @returns the environment variable of a flag */
export function envName(flag: FlagName): string {
  return `PLATFORM_OPERATOR_${flag.replaceAll("-", "_").toUpperCase()}`;
}

/**
 * Parses a command line.
 * @returns the flags that are given
 * @throws Error for an unknown flag, a missing value or an extra argument; the message says which
 */
export function readFlags(args: readonly string[]): ReadonlyMap<FlagName, string> {
  const switches = new Set<string>(FLAGS.filter(({ value }) => value === "BOOL").map(({ name }) => `--${name}`));
  const { values } = parseArgs({
    args: args.map((arg) => (switches.has(arg) ? `${arg}=true` : arg)),
    options: Object.fromEntries(FLAGS.map(({ name }) => [name, { type: "string" as const }])),
    strict: true,
    allowPositionals: false,
  });
  return new Map(
    FLAGS.flatMap(({ name }): [FlagName, string][] => {
      const value = values[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}

/** @returns one line for each flag, for the usage text */
export function describeFlags(): string {
  return FLAGS.map(({ name, value, fallback, about }) => {
    const head = `  --${name} ${value}`;
    const end = fallback === "" ? "" : ` (default ${fallback})`;
    return `${head.padEnd(38)}${about}${end}`;
  }).join("\n");
}
