/**
 * Runs kubectl, which knows how to reach a cluster: kubeconfigs, credential plugins, impersonation, proxies. This file
 * loads nothing but Node's modules, so that kubectl starts before the rest of the program is loaded.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { accessSync, constants, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { CliError } from "./exit.ts";

/** kubectl's global flags with a value (`kubectl options`). All of them may be repeated; the last value counts. */
export const VALUE_FLAGS = {
  as: "USER",
  "as-group": "GROUP",
  "as-uid": "UID",
  "as-user-extra": "KEY=VALUE",
  "cache-dir": "DIR",
  "certificate-authority": "FILE",
  "client-certificate": "FILE",
  "client-key": "FILE",
  cluster: "NAME",
  context: "NAME",
  kubeconfig: "FILE",
  kuberc: "FILE",
  "log-flush-frequency": "DURATION",
  namespace: "NAME",
  password: "PASSWORD",
  profile: "NAME",
  "profile-output": "FILE",
  "request-timeout": "DURATION",
  server: "URL",
  "tls-server-name": "NAME",
  token: "TOKEN",
  user: "NAME",
  username: "NAME",
  v: "LEVEL",
  vmodule: "PATTERN",
} as const;

/** kubectl's global flags without a value. */
export const SWITCH_FLAGS = [
  "disable-compression",
  "insecure-skip-tls-verify",
  "match-server-version",
  "warnings-as-errors",
] as const;

export const SHORT_FLAGS: Readonly<Record<string, keyof typeof VALUE_FLAGS>> = {
  n: "namespace",
  s: "server",
  v: "v",
};

/** Letters of the plugin's own flags that take a value: the rest of their word is that value. */
const OWN_SHORT_WITH_VALUE = new Set(["f", "k", "o", "q"]);

/** kubectl's flags on a command line. */
interface GlobalFlags {
  /** As they were given, for kubectl. */
  readonly args: readonly string[];
  /** The last value of each flag. */
  readonly values: Readonly<Partial<Record<keyof typeof VALUE_FLAGS, string>>>;
}

/** @param argv the command line of the plugin @returns kubectl's own flags among it */
export function globalFlagsIn(argv: readonly string[]): GlobalFlags {
  const args: string[] = [];
  const values: Partial<Record<keyof typeof VALUE_FLAGS, string>> = {};
  const end = argv.indexOf("--");
  const words = argv.slice(0, end === -1 ? undefined : end).values();
  const take = (name: keyof typeof VALUE_FLAGS, value: string | undefined): void => {
    const given = value ?? words.next().value;
    if (given === undefined) return;
    values[name] = given;
    args.push(`--${name}=${given}`);
  };
  for (const word of words) {
    const [, name = "", value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (isValueFlag(name)) take(name, value);
    else if (SWITCH_FLAGS.some((flag) => flag === name)) args.push(word);
    else if (/^-[A-Za-z]/.test(word)) {
      const found = shortFlagIn(word);
      if (found !== undefined) take(found.name, found.value);
    }
  }
  return { args, values };
}

function isValueFlag(name: string): name is keyof typeof VALUE_FLAGS {
  return Object.hasOwn(VALUE_FLAGS, name);
}

/** Reads a word of short flags, e.g. -nshop, -n=shop or -An. */
function shortFlagIn(word: string) {
  for (const [at, letter] of word.split("").entries()) {
    if (OWN_SHORT_WITH_VALUE.has(letter)) return undefined;
    const name = SHORT_FLAGS[letter];
    if (name === undefined) continue;
    const value = word.slice(at + 1).replace(/^=/, "");
    return { name, value: value === "" ? undefined : value };
  }
  return undefined;
}

/** Words of a command line that ask for a text of this program only. */
const OFFLINE = /^(?:-h|--help|help|-V|--version|__complete)$/;

/** @returns whether a command line may need the cluster */
export function asksCluster(argv: readonly string[]): boolean {
  return argv.length > 0 && !argv.some((word) => OFFLINE.test(word));
}

/** A running `kubectl proxy`. */
interface Proxy {
  /** The unix socket; a TCP port in `origin` without one. */
  readonly socketPath?: string;
  readonly origin: string;
  /** The path in front of every path, without a slash at its end. */
  readonly root: string;
}

/** The context that kubectl uses, as far as a person has to know it. */
interface ContextView {
  /** What names the cluster: the context, or the flag that overrides it. */
  readonly place: string;
  readonly namespace: string;
  /** Whether the command line names the namespace. */
  readonly isNamespaceGiven: boolean;
}

export type Kubectl = ReturnType<typeof createKubectl>;

interface KubectlOptions {
  /** kubectl's path; that on the PATH by default. */
  readonly program?: string | undefined;
  /** The command line of the plugin. */
  readonly argv: readonly string[];
  /** Receives what kubectl and its credential plugins print for a person. */
  readonly stderr: { write(text: string): unknown };
  /** What kubectl reads; the standard input of this process by default. */
  readonly stdin?: string | undefined;
  /** Serves on a TCP port of loopback, below a path that nobody can guess, as Windows has no unix sockets in Node. */
  readonly loopback?: boolean;
}

/** @returns kubectl with the global flags of a command line. Nothing runs before the first call */
export function createKubectl({
  program,
  argv,
  stderr,
  stdin,
  loopback = process.platform === "win32",
}: KubectlOptions) {
  const flags = globalFlagsIn(argv);
  let proxying: Promise<Proxy> | undefined;
  let viewing: Promise<ContextView> | undefined;
  let stopProxy: (() => void) | undefined;

  const startProxy = (): Promise<Proxy> =>
    new Promise((resolve, reject) => {
      const kubectl = program ?? kubectlOnPath();
      const prefix = loopback ? `/${randomBytes(16).toString("hex")}` : "";
      const dir = mkdtempSync(join(tmpdir(), "kubectl-platform-"));
      const socketPath = join(dir, "api");
      const where = loopback ? ["--port=0", `--api-prefix=${prefix}/`] : [`--unix-socket=${socketPath}`];
      const child = spawnLeashed(kubectl, ["proxy", "--append-server-path", ...where, ...flags.args], dir);
      stopProxy = child.stop;
      let said = "";
      child.process.stdout?.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        const [, address] = /^Starting to serve on (.+)\n/m.exec(said) ?? [];
        if (address === undefined) return;
        resolve(
          loopback
            ? { origin: `http://${address}`, root: prefix }
            : { socketPath, origin: "http://localhost", root: "" },
        );
      });
      child.process.stderr?.on("data", (chunk: Buffer) => {
        const text = withoutProxyLog(chunk.toString());
        if (text !== "") stderr.write(text);
      });
      child.process.on("error", (error) => {
        reject(new CliError(`kubectl cannot be started: ${error.message}.`));
      });
      // kubectl has said on standard error why it does not serve.
      child.process.on("close", () => {
        reject(new CliError(""));
      });
    });

  const readContext = async (): Promise<ContextView> => {
    let said = "";
    const view = ["config", "view", "--output=json", ...flags.args];
    const text = await output(program ?? kubectlOnPath(), view, { stderr: { write: (part) => (said += part) } }).catch(
      (error: unknown) => {
        throw said === "" ? error : new CliError(said.trim());
      },
    );
    return contextIn(text, flags.values);
  };

  const proxy = (): Promise<Proxy> => (proxying ??= startProxy());
  const context = (): Promise<ContextView> => (viewing ??= readContext());
  return {
    /** Starts kubectl now; a failure shows in the call that needs it. */
    start: (): void => {
      for (const starting of [proxy(), context()]) starting.catch(() => undefined);
    },
    /** @returns the way to the API server. @throws CliError; with an empty message where kubectl has said why */
    proxy,
    /** @returns the context and the namespace of the user's commands */
    context,
    /** @returns the deadline of `--request-timeout` in milliseconds; Infinity without one, as in kubectl */
    limitMs: requestTimeout(flags.values["request-timeout"]),
    /**
     * Reads manifests as `kubectl apply` does. kubectl's errors go to standard error.
     * @param args flags that name the manifests, e.g. -f DIR
     * @returns the objects as JSON texts, in their order
     * @throws CliError with an empty message where kubectl has said why
     */
    manifests: async (args: readonly string[]): Promise<readonly string[]> => {
      const all = ["create", "--dry-run=client", "--output=json", ...args, ...flags.args];
      const text = await output(program ?? kubectlOnPath(), all, { stderr, stdin });
      return text.split(/(?<=^\})\n/m).filter((one) => one.trim() !== "");
    },
    /** Ends the proxy. */
    stop: (): void => {
      stopProxy?.();
    },
  };
}

/**
 * Ends kubectl when the pipe at descriptor 3 ends, which it does with this process, however that ends; then removes the
 * folder. A line on the pipe says that kubectl has ended by itself. `$$` is the shell's process, which becomes kubectl.
 */
const LEASH = `(read -r _ <&3 || kill "$$"; rm -rf -- "$0") </dev/null >/dev/null 2>&1 & exec "$@" 3<&-`;

/** Starts kubectl so that it ends with this process. Standard input is the terminal's: credential plugins may ask. */
function spawnLeashed(kubectl: string, args: readonly string[], dir: string) {
  if (process.platform === "win32") {
    const child: ChildProcess = spawn(kubectl, args, { stdio: ["inherit", "pipe", "pipe"], windowsHide: true });
    const stop = (): void => void child.kill();
    process.once("exit", stop);
    return { process: child, stop };
  }
  const child: ChildProcess = spawn("/bin/sh", ["-c", LEASH, dir, kubectl, ...args], {
    stdio: ["inherit", "pipe", "pipe", "pipe"],
  });
  const leash = child.stdio[3];
  if (leash === null || leash === undefined || !("end" in leash)) throw new TypeError("descriptor 3 is no pipe");
  leash.on("error", () => undefined);
  child.on("exit", () => leash.end("\n"));
  return { process: child, stop: (): void => void leash.destroy() };
}

/**
 * Removes the log of `kubectl proxy` about a request that it could not send, to the end of the text: the answer to the
 * request says the same.
 */
function withoutProxyLog(text: string): string {
  return text.replace(/^E\d{4} [\d:.]+ +\d+ proxy_server\.go:\d+\] Error while proxying request: .*/ms, "");
}

/**
 * Runs kubectl to its end.
 * @param stderr receives its errors; nobody if absent
 * @param stdin a text; the standard input of this process if absent
 * @throws CliError if it fails; with an empty message where kubectl has said why
 */
async function output(
  kubectl: string,
  args: readonly string[],
  { stderr, stdin }: Partial<Pick<KubectlOptions, "stderr" | "stdin">>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(kubectl, args, {
      stdio: [stdin === undefined ? "inherit" : "pipe", "pipe", stderr === undefined ? "ignore" : "pipe"],
    });
    child.stdin?.on("error", () => undefined).end(stdin);
    const chunks: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => stderr?.write(chunk.toString()));
    child.on("error", (error) => {
      reject(new CliError(`kubectl cannot be started: ${error.message}.`));
    });
    child.on("close", (code) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString());
      else reject(new CliError(""));
    });
  });
}

/** @throws CliError when there is none */
function kubectlOnPath(): string {
  const names = process.platform === "win32" ? ["kubectl.exe"] : ["kubectl"];
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((dir) => dir !== "");
  const found = folders.flatMap((dir) => names.map((name) => join(dir, name))).find(isExecutable);
  if (found === undefined) {
    throw new CliError("kubectl is not on the PATH: the plugin reaches the cluster through it. Install kubectl.");
  }
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What kubectl does without a kubeconfig: the API server of its pod, else the one of old at localhost:8080. */
const NO_CONTEXT = "default";

/** @param text what `kubectl config view` prints */
function contextIn(text: string, values: GlobalFlags["values"]): ContextView {
  const config: unknown = JSON.parse(text);
  const name = values.context ?? textMember(config, "current-context") ?? "";
  const contexts = listIn(config, "contexts");
  const found = contexts.find((one) => textMember(one, "name") === name);
  const own = typeof found === "object" && found !== null && "context" in found ? found.context : undefined;
  return {
    place: values.server ?? values.cluster ?? (name === "" ? NO_CONTEXT : name),
    namespace: values.namespace ?? textMember(own, "namespace") ?? podNamespace() ?? "default",
    isNamespaceGiven: values.namespace !== undefined,
  };
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name) : [];
  return Array.isArray(list?.[1]) ? list[1] : [];
}

function textMember(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** The namespace of the pod in which kubectl runs without a kubeconfig (client-go: clientcmd.inClusterClientConfig). */
function podNamespace(): string | undefined {
  if (process.env["KUBERNETES_SERVICE_HOST"] === undefined) return undefined;
  const named = process.env["POD_NAMESPACE"] ?? "";
  if (named !== "") return named;
  try {
    return readFileSync("/var/run/secrets/kubernetes.io/serviceaccount/namespace", "utf8").trim();
  } catch {
    return undefined;
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads a duration of kubectl: seconds, or a number with a unit. kubectl itself rejects an invalid one. */
function requestTimeout(text = "0"): number {
  if (/^\d+$/.test(text)) return Number(text) === 0 ? Infinity : Number(text) * 1_000;
  const parts = [...text.matchAll(/([\d.]+)(ms|[smh])/g)];
  const sum = parts.reduce((total, [, count, unit = ""]) => total + Number(count) * (UNITS[unit] ?? 0), 0);
  return sum === 0 ? Infinity : sum;
}
