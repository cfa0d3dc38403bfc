/**
 * The operator's configuration: flags override environment variables, which override defaults. No other file reads the
 * environment, except for the plugin's search for kubectl.
 */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

import { z } from "zod";

import { DEFAULT_WINDOWS, type Windows } from "../engine/contract/windows.ts";
import { tryParseJson } from "../kube/api/json.ts";
import { type ConfigSource, configSource } from "../kube/api/transport.ts";
import { DEFAULT_DEADLINES, type Deadlines } from "../platform/client/caller.ts";
import { envName, flagName, options, readFlags } from "./flags.ts";
import { OPERATOR } from "./names.ts";
import { NAMESPACE_PATTERN } from "./validators.ts";

/** An invalid command line or environment; the message says what, where and what to do. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}

/** The parts of the process that a configuration is read from, besides the command line. */
export interface ProcessEnvironment {
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
/** Overrides the deadlines of calls to the platform, e.g. {"readMs":500}. */
export const DEADLINES_VARIABLE = "PLATFORM_OPERATOR_DEADLINES";
/** Mounted with every ServiceAccount token (Kubernetes: "Accessing the API from a Pod"). */
const NAMESPACE_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/** The whole configuration. Frozen. */
export interface Config extends Readonly<Omit<z.output<typeof options>, "kubeconfig" | "context">> {
  readonly kube: ConfigSource;
  readonly operatorNamespace: string;
  /** Names this process in the lease and in events: the pod, else the host. */
  readonly instance: string;
  readonly windows: Windows;
  readonly deadlines: Deadlines;
}

const rules = options.pick({
  allowedPlatformHosts: true,
  allowInsecurePlatform: true,
  platformProxy: true,
  platformNoProxy: true,
});
const milliseconds = z.int().min(0).max(86_400_000);

/**
 * @param args the command line after `run`
 * @throws ConfigError with everything that is wrong
 */
export function loadConfig(args: readonly string[], environment: ProcessEnvironment = processEnvironment()): Config {
  const { env, readFile } = environment;
  const { kubeconfig, context, operatorNamespace, ...parsed } = parsedBy(options, flagsIn(args), env);
  checkReceiver(parsed);
  return Object.freeze({
    ...parsed,
    kube: configSource(kubeconfig, context),
    operatorNamespace: operatorNamespace ?? ownNamespace(env["POD_NAMESPACE"] ?? readFile(NAMESPACE_FILE)),
    instance: env["POD_NAME"] ?? environment.hostname(),
    windows: readTimes(WINDOWS_VARIABLE, env, DEFAULT_WINDOWS),
    deadlines: readTimes(DEADLINES_VARIABLE, env, DEFAULT_DEADLINES),
  });
}

/** Checks the URL of the receiver against other flags. @throws ConfigError */
function checkReceiver({
  webhookUrl,
  webhookBindAddress,
  allowInsecurePlatform,
}: Pick<Config, "webhookUrl" | "webhookBindAddress" | "allowInsecurePlatform">): void {
  if (webhookUrl === undefined) return;
  if (webhookBindAddress === undefined)
    throw new ConfigError("--webhook-url needs --webhook-bind-address, at which the operator receives deliveries");
  if (!webhookUrl.startsWith("https:") && !allowInsecurePlatform)
    throw new ConfigError(
      "--webhook-url must be an https URL, as requests to it contain what proves a delivery; http needs --allow-insecure-platform",
    );
}

/** Which platforms may be reached, and through which proxy. */
export type PlatformRules = Pick<Config, "allowedPlatformHosts" | "allowInsecurePlatform"> &
  Partial<Pick<Config, "platformProxy" | "platformNoProxy">>;

/**
 * Returns the hosts to which a user's command may send tokens, from its flags, else from the variables of `run`, and
 * the proxy from these variables.
 * @throws ConfigError
 */
export function loadPlatformRules(given: {
  readonly allowedPlatformHosts?: string | undefined;
  readonly allowInsecurePlatform?: boolean | undefined;
}): PlatformRules {
  const flags: Given = {
    allowedPlatformHosts: given.allowedPlatformHosts,
    allowInsecurePlatform: given.allowInsecurePlatform === true ? "true" : undefined,
  };
  return parsedBy(rules, flags, process.env);
}

/**
 * Returns the options of a schema, from flags, else from variables.
 * @throws ConfigError with everything that is wrong
 */
function parsedBy<Schema extends z.ZodObject>(schema: Schema, flags: Given, env: ProcessEnvironment["env"]) {
  const texts = Object.keys(schema.shape).map((option) => [option, flags[option] ?? fromEnv(option, env)]);
  const parsed = schema.safeParse(Object.fromEntries(texts));
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map((issue) => explain(issue, flags, env)).join("\n"));
}

function processEnvironment(): ProcessEnvironment {
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

type Given = ReturnType<typeof readFlags>;

/** Reads the command line. @throws ConfigError for an unknown flag or a missing value */
function flagsIn(args: readonly string[]): Given {
  try {
    return readFlags(args);
  } catch (error) {
    // parseArgs names the argument, without its value.
    throw new ConfigError(error instanceof Error ? error.message : "the command line cannot be read");
  }
}

function explain({ path, message }: z.core.$ZodIssue, flags: Given, env: ProcessEnvironment["env"]): string {
  const option = String(path[0]);
  if (flags[option] !== undefined) return `--${flagName(option)} ${message}`;
  return `${variablesOf(option).find((name) => env[name] !== undefined) ?? envName(option)} ${message}`;
}

/** Standard variables of other programs that set the same options. */
const STANDARD: Readonly<Record<string, readonly string[]>> = {
  platformProxy: ["HTTPS_PROXY", "https_proxy"],
  platformNoProxy: ["NO_PROXY", "no_proxy"],
};

function variablesOf(option: string): readonly string[] {
  return [envName(option), ...(STANDARD[option] ?? [])];
}

function fromEnv(option: string, env: ProcessEnvironment["env"]): string | undefined {
  return variablesOf(option)
    .map((name) => env[name])
    .find((text) => text !== undefined);
}

function ownNamespace(text: string | undefined): string {
  const name = text?.trim() ?? "";
  if (name === "") return OPERATOR;
  if (!NAMESPACE_PATTERN.test(name)) throw new ConfigError("POD_NAMESPACE must be the name of a namespace");
  return name;
}

/** @returns `defaults` with the times that a variable overrides, as JSON. @throws ConfigError */
function readTimes<Times extends object>(variable: string, env: ProcessEnvironment["env"], defaults: Times): Times {
  const text = env[variable];
  if (text === undefined || text === "") return defaults;
  const names = Object.keys(defaults);
  const parsed = z.partialRecord(z.enum(names), milliseconds).safeParse(tryParseJson(text));
  if (parsed.success) return Object.freeze({ ...defaults, ...parsed.data });
  throw new ConfigError(`${variable} must be a JSON object of milliseconds with members of ${names.join(", ")}`);
}
