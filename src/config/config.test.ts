import { describe, expect, it } from "vitest";

import { DEFAULT_WINDOWS } from "../engine/contract/windows.ts";
import { DEFAULT_DEADLINES } from "../platform/client/caller.ts";
import { DEADLINES_VARIABLE, loadConfig, WINDOWS_VARIABLE, type Config, type ProcessEnvironment } from "./config.ts";

const every = <Level extends string>(level: Level) =>
  ({ app: level, kube: level, engine: level, platform: level, changes: level }) as const;

type Env = ProcessEnvironment["env"];

function load(args: readonly string[] = [], env: Env = {}, namespaceFile?: string): Config {
  return loadConfig(args, { env, hostname: () => "host-1", readFile: () => namespaceFile });
}

describe("the configuration of the operator", () => {
  it("has the defaults of docs/reference/commands.md", () => {
    const times = { windows: DEFAULT_WINDOWS, deadlines: DEFAULT_DEADLINES };
    const none = { webhookBindAddress: undefined, platformProxy: undefined };
    const switches = { leaderElect: true, allowInsecurePlatform: false };
    const metricsBindAddress = { host: undefined, port: 8080 };
    expect(load()).toMatchObject({ ...times, ...none, ...switches, metricsBindAddress, kube: { from: "default" } });
  });

  it("is frozen", () => {
    expect(Object.isFrozen(load())).toBe(true);
    expect(Object.isFrozen(load([], { [WINDOWS_VARIABLE]: '{"pollMs":1}' }).windows)).toBe(true);
  });

  const hosts = ["api.example.com", "*.example.org", "api.example.com:8443", "10.0.0.0/8", "::1", "fd00::/8"];
  const single = { ...every("debug"), kube: "warn", changes: "error" } as const;
  it.each<[string, string, Partial<Config>]>([
    ["a free port", "--metrics-bind-address=127.0.0.1:0", { metricsBindAddress: { host: "127.0.0.1", port: 0 } }],
    ["IPv6", "--health-probe-bind-address=[::1]:8081", { healthProbeBindAddress: { host: "::1", port: 8081 } }],
    ["0 for no server", "--metrics-bind-address=0", { metricsBindAddress: undefined }],
    ["hosts of every form", `--allowed-platform-hosts=${hosts.join(",")}`, { allowedPlatformHosts: hosts }],
    ["a switch with the value false", "--leader-elect=false", { leaderElect: false }],
    ["a switch without a value", "--allow-insecure-platform", { allowInsecurePlatform: true }],
    ["each namespace once", "--watch-namespaces=shop, pay,shop", { watchNamespaces: ["shop", "pay"] }],
    ["a context of the default kubeconfig", "--context=c", { kube: { from: "default", context: "c" } }],
    ["an empty URL of the receiver", "--webhook-url=", { webhookUrl: undefined }],
    [
      "links to the platform's console",
      "--console-links=PlatformProject=https://c.example/{id}?a=b,PlatformDatabase=https://c.example/{parentId}",
      {
        consoleLinks: new Map([
          ["PlatformProject", "https://c.example/{id}?a=b"],
          ["PlatformDatabase", "https://c.example/{parentId}"],
        ]),
      },
    ],
    ["a log level, but not for changes", "--log-level=trace", { logLevel: { ...every("trace"), changes: "info" } }],
    ["log levels of single parts", "--log-level=kube=warn, changes=error,debug", { logLevel: single }],
  ])("accepts %s", (_, arg, expected) => {
    expect(load([arg])).toMatchObject(expected);
  });

  it("accepts flags with their values behind them", () => {
    const { kube, workers } = load(["--kubeconfig", "/k", "--context=c", "--workers", "100"]);
    expect(kube).toEqual({ from: "file", path: "/k", context: "c" });
    expect(workers).toBe(100);
  });

  it("reads the proxy from HTTPS_PROXY and NO_PROXY, unless --platform-proxy is given", () => {
    const env = { HTTPS_PROXY: "http://user:p%40ss@proxy:3128/", NO_PROXY: ".svc, 10.0.0.0/8,odd/entry,*" };
    expect(load([], env)).toMatchObject({
      platformProxy: { url: "http://proxy:3128", credentials: "user:p@ss" },
      platformNoProxy: [".svc", "10.0.0.0/8", "*"],
    });
    expect(load([], { https_proxy: "proxy:3128" }).platformProxy).toEqual({ url: "http://proxy:3128" });
    expect(load(["--platform-proxy="], env).platformProxy).toBeUndefined();
    const socks = { HTTPS_PROXY: "socks5://u:s3cret@p" };
    expect(() => load([], socks)).toThrow(/^HTTPS_PROXY must be the http or https URL of/);
    expect(() => load(["--platform-proxy=http://u:s3%cret@p"])).toThrow(/^--platform-proxy .* written %25$/);
  });

  it("reads environment variables, which flags override", () => {
    const env = { PLATFORM_OPERATOR_WORKERS: "3", PLATFORM_OPERATOR_LEADER_ELECT: "false" };
    expect(load([], env)).toMatchObject({ workers: 3, leaderElect: false });
    expect(load(["--workers=4"], env)).toMatchObject({ workers: 4, leaderElect: false });
  });

  it.each<[string, readonly string[], Env, string | undefined, string]>([
    ["--operator-namespace first", ["--operator-namespace=a"], { POD_NAMESPACE: "b" }, "c", "a"],
    ["then POD_NAMESPACE", [], { POD_NAMESPACE: "b" }, "c", "b"],
    ["then the file of the ServiceAccount", [], {}, "c\n", "c"],
    ["at last platform-operator", [], {}, undefined, "platform-operator"],
  ])("takes its namespace from %s", (_, args, env, file, expected) => {
    expect(load(args, env, file).operatorNamespace).toBe(expected);
  });

  it.each([
    ["name of its pod", { POD_NAME: "operator-7d9f" }, "operator-7d9f"],
    ["name of its host without a pod", {}, "host-1"],
  ])("takes as its instance the %s", (_, env, instance) => {
    expect(load([], env).instance).toBe(instance);
  });

  it("reads times for tests from environment variables", () => {
    const env = { [WINDOWS_VARIABLE]: '{"landingMs":500}', [DEADLINES_VARIABLE]: '{"readMs":600}' };
    const { windows, deadlines } = load([], env);
    expect(windows).toEqual({ ...DEFAULT_WINDOWS, landingMs: 500 });
    expect(deadlines).toEqual({ ...DEFAULT_DEADLINES, readMs: 600 });
  });

  it("accepts an https URL of a receiver that listens, and http only with --allow-insecure-platform", () => {
    const at = "--webhook-bind-address=:8082";
    const url = "https://hooks.example.com/platform";
    expect(load([at, `--webhook-url=${url}`]).webhookUrl).toBe(url);
    expect(() => load([`--webhook-url=${url}`])).toThrow(/^--webhook-url needs --webhook-bind-address/);
    const plain = "--webhook-url=http://127.0.0.1:8082";
    expect(() => load([at, plain])).toThrow(/^--webhook-url must be an https URL/);
    expect(load([at, plain, "--allow-insecure-platform"]).webhookUrl).toBe("http://127.0.0.1:8082");
  });

  it.each<[string, string, RegExp]>([
    [
      "a console's link with an unknown placeholder",
      "--console-links=PlatformProject=https://c.example/{name}",
      /^--console-links must be KIND=URL, with no placeholders but/,
    ],
    ["a console's link that is code", "--console-links=PlatformProject=javascript:alert(1)", /must be KIND=URL/],
    [
      "a receiver's URL with a query",
      "--webhook-url=https://x/y?z",
      /^--webhook-url must be a URL without user, query/,
    ],
    ["a receiver's URL with a user", "--webhook-url=https://u@x", /^--webhook-url must be a URL without user, query/],
    ["a port without a colon", "--metrics-bind-address=8080", /^--metrics-bind-address must be "host:port"/],
    ["a port beyond the last", "--metrics-bind-address=:70000", /^--metrics-bind-address has a port beyond/],
    ["an unknown level", "--log-level=all", /^--log-level must be trace, debug, info, warn or error, optionally/],
    ["an unknown level of a part", "--log-level=kube=loud", /^--log-level must be trace, debug,/],
    ["an unknown part", "--log-level=info,kubernetes=debug", /the logger "kubernetes"; the loggers are app, kube, /],
    ["two levels for all", "--log-level=info,debug", /^--log-level names more than one level.*: info, debug$/],
    ["zero workers", "--workers=0", /^--workers must be a whole number from 1 to 100$/],
    ["half a worker", "--workers=1.5", /^--workers must be/],
    ["an invalid namespace", "--watch-namespaces=../x", /^--watch-namespaces must be the name of a namesp/],
    ["a host that is a URL", "--allowed-platform-hosts=https://x", /^--allowed-platform-hosts must be host names/],
    ["an invalid CIDR block", "--allowed-platform-hosts=10.0.0.0/33", /^--allowed-platform-hosts must be/],
    ["an unknown flag", "--speed=2", /--speed/],
    ["a stray argument", "now", /now/],
    ["a flag without its value", "--workers", /--workers/],
  ])("rejects %s with the name of the flag", (_, arg, message) => {
    expect(() => load([arg])).toThrow(message);
  });

  it.each<[string, Env, RegExp]>([
    ["an invalid number", { PLATFORM_OPERATOR_WORKERS: "no" }, /^PLATFORM_OPERATOR_WORKERS must be/],
    ["an invalid POD_NAMESPACE", { POD_NAMESPACE: "A" }, /^POD_NAMESPACE must be/],
    ["times that are not JSON", { [WINDOWS_VARIABLE]: "{" }, /^PLATFORM_OPERATOR_WINDOWS must be a JSON object/],
    ["unknown times", { [WINDOWS_VARIABLE]: '{"napMs":1}' }, /^PLATFORM_OPERATOR_WINDOWS must be .*landingMs/],
    ["an invalid deadline", { [DEADLINES_VARIABLE]: '{"readMs":-1}' }, /^PLATFORM_OPERATOR_DEADLINES must be .*readMs/],
  ])("rejects %s with the name of the variable", (_, env, message) => {
    expect(() => load([], env)).toThrow(message);
  });

  it("reports all invalid flags at once", () => {
    expect(() => load(["--workers=x", "--leader-elect=x"])).toThrow(/--leader-elect[^]*--workers/);
  });
});
