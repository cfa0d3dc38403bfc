/** The options of `run`: their types, their descriptions, and the parser of the command line. */
import { parseArgs } from "node:util";

import { z } from "zod";

import type { BindAddress } from "../http/server.ts";
import { parseLogLevels } from "./log-levels.ts";
import { isBypass, isPlatformHost, NAMESPACE_PATTERN, parseProxy } from "./validators.ts";

const boolean = z.enum(["true", "false"], "must be true or false").transform((text) => text === "true");
const optional = z.string().transform((text) => (text === "" ? undefined : text));
const list = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);
const namespace = z.string().regex(NAMESPACE_PATTERN, "must be the name of a namespace, e.g. platform-operator");
/** undefined means that the server is off. */
const bindAddress = z
  .string()
  .regex(/^(0|([A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\]):\d{1,5})$/, 'must be "host:port", ":port" or 0 for no server')
  .refine((text) => Number(text.slice(text.lastIndexOf(":") + 1)) <= 65_535, "has a port beyond 65535")
  .transform((text): BindAddress | undefined => {
    if (text === "0") return undefined;
    const at = text.lastIndexOf(":");
    const host = text.slice(0, at).replaceAll(/[[\]]/g, "");
    return { host: host === "" ? undefined : host, port: Number(text.slice(at + 1)) };
  });
const platformHost = z.string().refine(isPlatformHost, "must be host names, *.suffixes, addresses or CIDR blocks");
/** A URL without user, query or fragment: the operator appends a path. */
const receiverUrl = z
  .string()
  .max(512)
  .regex(
    /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/,
    "must be a URL without user, query and fragment, e.g. https://hooks.example.com/platform",
  );
/** A kind and the address of its objects in the platform's console. */
const consoleLink = z
  .string()
  .regex(
    /^\w+=https?:\/\/([^\s{}]|\{(organizationId|parentId|id)\})+$/,
    "must be KIND=URL, with no placeholders but {organizationId}, {parentId} and {id}",
  )
  .transform((text): readonly [kind: string, url: string] => {
    const at = text.indexOf("=");
    return [text.slice(0, at), text.slice(at + 1)];
  });
/** Returns the schema of a text whose parser returns the value, or the problem with the text. */
const readBy = <Value extends object>(read: (text: string) => Value | { readonly problem: string }) =>
  z.string().transform((text, context): Value => {
    const value = read(text);
    if (!("problem" in value)) return value;
    context.addIssue({ code: "custom", message: value.problem });
    return z.NEVER;
  });
const wholeNumber = (least: number, most: number) => {
  const problem = `must be a whole number from ${String(least)} to ${String(most)}`;
  return z
    .string()
    .regex(/^\d{1,4}$/, problem)
    .transform(Number)
    .pipe(z.int(problem).min(least, problem).max(most, problem));
};

/** `value` is the placeholder of the value in the usage text. BOOL is a switch: without a value it is true. */
const help = z.registry<{ readonly value: string; readonly about: string }>();

/**
 * The options by the names of their flags in camel case, in the order of the usage text. A flag has the name that
 * controller-runtime gives it, if it has one.
 */
export const options = z.object({
  metricsBindAddress: bindAddress.prefault(":8080").register(help, {
    value: "ADDRESS",
    about: "address of /metrics, e.g. :8080 or 127.0.0.1:9090; 0 disables it",
  }),
  healthProbeBindAddress: bindAddress.prefault(":8081").register(help, {
    value: "ADDRESS",
    about: "address of /healthz and /readyz; 0 disables them",
  }),
  webhookBindAddress: bindAddress.prefault("0").register(help, {
    value: "ADDRESS",
    about: "address of the receiver of the platform's webhooks, e.g. :8082, behind an ingress with TLS; 0 disables it",
  }),
  /** undefined: no PlatformWebhook can have the operator as its receiver. */
  webhookUrl: optional.pipe(receiverUrl.optional()).prefault("").register(help, {
    value: "URL",
    about:
      "URL at which the platform reaches that receiver, for PlatformWebhooks with receiver: true, e.g. https://hooks.example.com/platform; the operator appends an unguessable path",
  }),
  statusPageBindAddress: bindAddress.prefault("0").register(help, {
    value: "ADDRESS",
    about:
      "address of the read-only status page, which has no authentication, e.g. 127.0.0.1:8083 for kubectl port-forward; 0 disables it",
  }),
  /** By kind. */
  consoleLinks: list
    .pipe(z.array(consoleLink))
    .transform((links) => new Map(links))
    .prefault("")
    .register(help, {
      value: "KIND=URL,…",
      about:
        "links of the status page to the platform's console, with {organizationId}, {parentId} and {id}, e.g. PlatformApplication=https://console.example.com/environments/{parentId}/applications/{id}",
    }),
  leaderElect: boolean.prefault("true").register(help, {
    value: "BOOL",
    about: "reconcile only while holding the lease, so that several replicas can run",
  }),
  /** Empty for all. */
  watchNamespaces: list
    .pipe(z.array(namespace))
    .transform((names) => [...new Set(names)])
    .prefault("")
    .register(help, { value: "NAME,…", about: "namespaces to watch; all if empty" }),
  /** Empty for every public host. */
  allowedPlatformHosts: list.pipe(z.array(platformHost)).prefault("").register(help, {
    value: "HOST,…",
    about: "hosts, *.suffixes, addresses or CIDR blocks that connections may name; every public host if empty",
  }),
  allowInsecurePlatform: boolean.prefault("false").register(help, {
    value: "BOOL",
    about: "allow connections over http and to loopback and private addresses; for demos and tests",
  }),
  /** undefined for no proxy. */
  platformProxy: optional.pipe(readBy(parseProxy).optional()).prefault("").register(help, {
    value: "URL",
    about:
      "proxy for the platform, e.g. http://proxy.example.com:3128, optionally with user:password@, unless a connection names its own; defaults to $HTTPS_PROXY",
  }),
  /** Entries that this program cannot read, e.g. an odd entry of NO_PROXY for another program, are ignored. */
  platformNoProxy: list
    .transform((entries) => entries.filter(isBypass))
    .prefault("")
    .register(help, {
      value: "HOST,…",
      about:
        "hosts to reach without that proxy: names, with their subdomains, *.suffixes, addresses or CIDR blocks; defaults to $NO_PROXY",
    }),
  kubeconfig: optional.prefault("").register(help, {
    value: "FILE",
    about:
      "path of the kubeconfig; defaults to $KUBECONFIG, then ~/.kube/config, then the cluster that the process runs in",
  }),
  context: optional.prefault("").register(help, {
    value: "NAME",
    about: "context of the kubeconfig; defaults to the current one",
  }),
  operatorNamespace: optional.pipe(namespace.optional()).prefault("").register(help, {
    value: "NAME",
    about:
      "namespace of the lease and of the Secrets of ClusterPlatformConnections; defaults to $POD_NAMESPACE, then the ServiceAccount's, then platform-operator",
  }),
  workers: wholeNumber(1, 100)
    .prefault("10")
    .register(help, { value: "N", about: "number of objects to reconcile at the same time" }),
  logLevel: readBy(parseLogLevels).prefault("info").register(help, {
    value: "LEVEL,…",
    about:
      "trace, debug, info, warn or error, optionally followed by levels of single loggers (app, kube, engine, platform, changes), e.g. info,platform=debug; debug logs each request to the platform, trace also those to the API server",
  }),
  metricsPerObject: boolean.prefault("false").register(help, {
    value: "BOOL",
    about: "serve one platform_operator_resource_info series for each object",
  }),
  metricsPerNamespace: boolean.prefault("false").register(help, {
    value: "BOOL",
    about:
      "give platform_operator_resources_stalled the label exported_namespace, so that alerts can be routed to teams",
  }),
});

export type OptionName = keyof typeof options.shape;

const FLAGS = Object.entries(options.shape).map(([option, schema]) => {
  const { value = "", about = "" } = help.get(schema) ?? {};
  return { option, name: flagName(option), value, about, fallback: schema.def.defaultValue };
});

/** @returns the description of an option */
export function describeOption(wanted: OptionName): string {
  return help.get(options.shape[wanted])?.about ?? "";
}

/** @returns the flag of an option, without the dashes */
export function flagName(option: string): string {
  return option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** @returns the environment variable of an option */
export function envName(option: string): string {
  return `PLATFORM_OPERATOR_${option.replaceAll(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/**
 * Parses a command line.
 * @returns the options that are given
 * @throws Error for an unknown flag, a missing value or an extra argument; the message says which
 */
export function readFlags(args: readonly string[]): Readonly<Record<string, string | undefined>> {
  const switches = new Set(FLAGS.filter(({ value }) => value === "BOOL").map(({ name }) => `--${name}`));
  const { values } = parseArgs({
    args: args.map((arg) => (switches.has(arg) ? `${arg}=true` : arg)),
    options: Object.fromEntries(FLAGS.map(({ name }) => [name, { type: "string" as const }])),
    strict: true,
    allowPositionals: false,
  });
  return Object.fromEntries(FLAGS.map(({ option, name }) => [option, values[name]?.toString()]));
}

/** @returns each flag with its value and its description, for the usage text */
export function describeFlags(): readonly (readonly [flag: string, about: string])[] {
  return FLAGS.map(({ name, value, fallback, about }) => {
    const end = fallback === "" ? "" : ` (default ${fallback})`;
    return [`--${name} ${value}`, `${about}${end}`];
  });
}
