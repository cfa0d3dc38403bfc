/**
 * The operator's configuration: flags before environment variables before defaults. No other file reads the
 * environment.
 */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

import { z } from "zod";

import { DEFAULT_WINDOWS, type Windows } from "../../engine/contract/windows.ts";
import { tryParseJson } from "../../kube/api/json.ts";
import { type ConfigSource, configSource } from "../../kube/api/transport.ts";
import { DEFAULT_DEADLINES, type Deadlines } from "../../platform/client/caller.ts";
import { camelCase, type CamelCase, envName, FLAGS, readFlags, type FlagName } from "./flags.ts";
import { OPERATOR } from "./names.ts";
import { isEndpoint, isPlatformHost, NAMESPACE_PATTERN, parseLogLevels, type LogLevels } from "./validators.ts";

/** The address of a server; without a host all addresses. Port 0 is a free one, which the log names. */
export interface BindAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** An invalid command line or environment; the message says what, where and what to do. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}

/** The sources of a configuration besides the command line; tests have their own. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hostname: () => string;
  /** @returns the content of a file, undefined when it cannot be read. */
  readonly readFile: (path: string) => string | undefined;
}

/**
 * Overrides the engine's times, as JSON of milliseconds, e.g. {"landingMs":500}: for tests, which cannot wait for
 * minutes.
 */
export const WINDOWS_VARIABLE = "PLATFORM_OPERATOR_WINDOWS";
/** Overrides the deadlines of calls of the platform, e.g. {"readMs":500}. */
export const DEADLINES_VARIABLE = "PLATFORM_OPERATOR_DEADLINES";
/** Mounted with every ServiceAccount token (Kubernetes: "Accessing the API from a Pod"). */
const NAMESPACE_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

const boolean = z.enum(["true", "false"], "must be true or false").transform((text) => text === "true");
const optional = z.string().transform((text) => (text === "" ? undefined : text));
const list = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);
const namespace = z.string().regex(NAMESPACE_PATTERN, "must be the name of a namespace, e.g. platform-operator");
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
const otlpEndpoint = z
  .string()
  .refine(isEndpoint, "must be the http or https URL of a collector, e.g. http://collector:4318, without user or query")
  .transform((text) => text.replace(/\/+$/, ""));
const logLevels = z.string().transform((text, context): LogLevels => {
  const read = parseLogLevels(text);
  if (!("problem" in read)) return read;
  context.addIssue({ code: "custom", message: read.problem });
  return z.NEVER;
});

/** By the names of the flags, in camel case. */
const options = z.object({
  // undefined: no such server.
  metricsBindAddress: bindAddress,
  healthProbeBindAddress: bindAddress,
  webhookBindAddress: bindAddress,
  statusPageBindAddress: bindAddress,
  leaderElect: boolean,
  /** Empty: all. */
  watchNamespaces: list.pipe(z.array(namespace)).transform((names) => [...new Set(names)]),
  /** Empty: every public host. */
  allowedPlatformHosts: list.pipe(z.array(platformHost)),
  allowInsecurePlatform: boolean,
  kubeconfig: optional,
  context: optional,
  operatorNamespace: optional.pipe(namespace.optional()),
  workers: z
    .string()
    .regex(/^([1-9]\d?|100)$/, "must be a whole number from 1 to 100")
    .transform(Number),
  logLevel: logLevels,
  /** The endpoint of traces, without a slash at the end; undefined: none. */
  otlpEndpoint: optional.pipe(otlpEndpoint.optional()),
  /** Whether requests to the platform have trace headers. */
  otlpPropagate: boolean,
  metricsPerObject: boolean,
} satisfies Record<CamelCase<FlagName>, z.ZodType>);

/** The whole configuration. Frozen. */
export interface Config extends Readonly<Omit<z.output<typeof options>, "kubeconfig" | "context">> {
  readonly kube: ConfigSource;
  readonly operatorNamespace: string;
  /** Names this process in the lease and in events: the pod, else the host. */
  readonly instance: string;
  readonly windows: Windows;
  readonly deadlines: Deadlines;
}

const milliseconds = z.int().min(0).max(86_400_000);

/**
 * @param args the command line after `run`
 * @throws ConfigError with everything that is wrong
 */
export function loadConfig(args: readonly string[], surroundings: Surroundings = systemSurroundings()): Config {
  const { env, readFile } = surroundings;
  const flags = given(args);
  const texts = Object.fromEntries(
    FLAGS.map(({ name, fallback }) => [
      camelCase(name),
      flags.get(name) ?? env[envName(name)] ?? standard(name, env) ?? fallback,
    ]),
  );
  const parsed = options.safeParse(texts);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => explain(issue, flags)).join("\n"));
  const { kubeconfig, context, operatorNamespace, ...others } = parsed.data;
  return Object.freeze({
    ...others,
    kube: configSource(kubeconfig, context),
    operatorNamespace: operatorNamespace ?? ownNamespace(env["POD_NAMESPACE"] ?? readFile(NAMESPACE_FILE)),
    instance: env["POD_NAME"] ?? surroundings.hostname(),
    windows: readTimes(WINDOWS_VARIABLE, env, DEFAULT_WINDOWS),
    deadlines: readTimes(DEADLINES_VARIABLE, env, DEFAULT_DEADLINES),
  });
}

/**
 * Returns the hosts that a command of a user may send tokens to: those in its flags, else in the variables of `run`.
 * @param given `hosts` as in --allowed-platform-hosts
 * @throws ConfigError
 */
export function loadPlatformRules(
  given: { readonly hosts: string | undefined; readonly insecure: boolean },
  { env }: Pick<Surroundings, "env"> = systemSurroundings(),
): Pick<Config, "allowedPlatformHosts" | "allowInsecurePlatform"> {
  const { hosts, insecure } = given;
  const flags = new Map<FlagName, string>(hosts === undefined ? [] : [["allowed-platform-hosts", hosts]]);
  const parsed = options.pick({ allowedPlatformHosts: true, allowInsecurePlatform: true }).safeParse({
    allowedPlatformHosts: hosts ?? env[envName("allowed-platform-hosts")] ?? "",
    allowInsecurePlatform: insecure ? "true" : (env[envName("allow-insecure-platform")] ?? "false"),
  });
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => explain(issue, flags)).join("\n"));
  return parsed.data;
}

/** What the user's shell and kubectl set for a command. */
export interface Shell {
  readonly kubeconfig: string | undefined;
  /** The input of a credential plugin from kubectl, as JSON (Kubernetes: "client-go credential plugins"). */
  readonly execInfo: string | undefined;
}

/** @returns what the environment of a command sets */
export function loadShell({ env }: Pick<Surroundings, "env"> = systemSurroundings()): Shell {
  return { kubeconfig: env["KUBECONFIG"], execInfo: env["KUBERNETES_EXEC_INFO"] };
}

function systemSurroundings(): Surroundings {
  return {
    env: process.env,
    hostname,
    readFile: (path) => {
      try {
        return readFileSync(path, "utf8");
      } catch {
        return undefined;
      }
    },
  };
}

function given(args: readonly string[]): ReadonlyMap<FlagName, string> {
  try {
    return readFlags(args);
  } catch (error) {
    // parseArgs names the argument, without its value.
    throw new ConfigError(error instanceof Error ? error.message : "the command line cannot be read");
  }
}

function explain(issue: z.core.$ZodIssue, flags: ReadonlyMap<FlagName, string>): string {
  const flag = FLAGS.find(({ name }) => camelCase(name) === issue.path[0]);
  if (flag === undefined) return issue.message;
  const where = flags.has(flag.name) ? `--${flag.name}` : envName(flag.name);
  return `${where} ${issue.message}`;
}

/** Standard variables with the same meaning, which other programs have defined. */
function standard(flag: FlagName, env: Surroundings["env"]): string | undefined {
  return flag === "otlp-endpoint" ? env["OTEL_EXPORTER_OTLP_ENDPOINT"] : undefined;
}

function ownNamespace(text: string | undefined): string {
  const name = text?.trim() ?? "";
  if (name === "") return OPERATOR;
  if (!NAMESPACE_PATTERN.test(name)) throw new ConfigError("POD_NAMESPACE must be the name of a namespace");
  return name;
}

/** @returns `usual` with the times that a variable overrides, as JSON */
function readTimes<Times extends object>(variable: string, env: Surroundings["env"], usual: Times): Times {
  const text = env[variable];
  if (text === undefined || text === "") return usual;
  const names = Object.keys(usual);
  const parsed = z.partialRecord(z.enum(names), milliseconds).safeParse(tryParseJson(text));
  if (parsed.success) return Object.freeze({ ...usual, ...parsed.data });
  throw new ConfigError(`${variable} must be a JSON object of milliseconds with members of ${names.join(", ")}`);
}
