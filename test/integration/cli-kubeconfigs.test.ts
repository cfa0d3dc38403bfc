/**
 * Kubeconfigs, credential plugins and proxies as users have them: kubectl and the plugin, as it is shipped, one after the
 * other, with the same verdict.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { endpointOf, kubectl as asAdmin, tokenFor } from "../control-plane/access.ts";
import { clientAt, cluster, createNamespace } from "../support/env/cluster.ts";
import { type ConnectProxy, connectProxy } from "../support/kube/connect-proxy.ts";
import { project } from "../support/kube/manifests.ts";
import { runToEnd } from "../support/programs/programs.ts";

const facts = inject("controlPlane");
const NAMESPACE = `kubeconfigs-${Math.trunc(process.hrtime()[1] % 1_000_000)}`;
const folder = await mkdtemp(join(tmpdir(), "kubeconfigs-"));
const bin = join(folder, "bin");
const client = clientAt(facts.kubeconfigPath, "kubeconfigs");
const ends: (() => void)[] = [];
/** What the rows use. */
const known = { server: "", ca: "", token: "", limited: "", plain: "", plainBelow: "" };
let tunnel: ConnectProxy;

beforeAll(async () => {
  await mkdir(bin);
  await symlink(facts.kubectlPath, join(bin, "kubectl"));
  await symlink(join(dirname(inject("program")), "plugin/kubectl-platform.cjs"), join(bin, "kubectl-platform"));
  await createNamespace(client, NAMESPACE);
  const here = cluster(() => client, NAMESPACE);
  await here.apply(project("shop"));
  const admin = (...args: readonly string[]) => asAdmin(facts, [...args, "-n", NAMESPACE]);
  await admin("create", "serviceaccount", "ann");
  await admin("create", "serviceaccount", "limited");
  await admin("create", "rolebinding", "ann", "--clusterrole=cluster-admin", `--serviceaccount=${NAMESPACE}:ann`);
  await asAdmin(facts, [
    "create",
    "clusterrolebinding",
    NAMESPACE,
    "--clusterrole=cluster-admin",
    `--serviceaccount=${NAMESPACE}:ann`,
  ]);
  const { server, ca } = await endpointOf(facts);
  Object.assign(known, { server, ca: Buffer.from(ca).toString("base64") });
  known.token = await tokenFor(facts, NAMESPACE, "ann");
  known.limited = await tokenFor(facts, NAMESPACE, "limited");
  known.plain = `http://${await plainServer()}`;
  known.plainBelow = `http://${await plainServer("--api-prefix=/below/")}/below`;
  tunnel = await connectProxy(Number(new URL(server).port));
}, 60_000);

afterAll(async () => {
  for (const end of ends) end();
  await asAdmin(facts, ["delete", "clusterrolebinding", NAMESPACE]);
  await tunnel.stop();
  await client.close();
  await rm(folder, { recursive: true });
});

/** Starts an API server without TLS, which is kubectl's proxy. @returns its address */
async function plainServer(...flags: readonly string[]): Promise<string> {
  const child = spawn(facts.kubectlPath, ["proxy", "--port=0", `--kubeconfig=${facts.kubeconfigPath}`, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  ends.push(() => child.kill());
  const [said] = await once(child.stdout, "data");
  return /serve on (\S+)/.exec(String(said))?.[1] ?? "";
}

type Part = Readonly<Record<string, unknown>>;

/** A kubeconfig with one context, whose parts a row replaces. */
function kubeconfig(
  parts: { readonly cluster?: Part; readonly user?: Part; readonly context?: Part; readonly more?: Part } = {},
) {
  const { cluster: at = trusted(), user = { token: known.token }, context = {}, more = {} } = parts;
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: at }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u", namespace: NAMESPACE, ...context } }],
    "current-context": "x",
    ...more,
  };
}

const trusted = (more: Part = {}): Part => ({ server: known.server, "certificate-authority-data": known.ca, ...more });
const dead = { server: "http://127.0.0.1:1" };

/** An exec plugin with a script that prints a credential, after what a row puts before it. */
const exec = (before: string, more: Part = {}): Part => {
  const credential = {
    apiVersion: "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    status: { token: known.token },
  };
  const script = `${before}\nprintf '%s' '${JSON.stringify(credential)}'`;
  return {
    exec: {
      apiVersion: "client.authentication.k8s.io/v1",
      interactiveMode: "IfAvailable",
      command: "sh",
      args: ["-c", script],
      ...more,
    },
  };
};

interface Given {
  /** The text of each file of $KUBECONFIG. */
  readonly files: readonly (string | Part)[];
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** More paths in $KUBECONFIG. */
  readonly paths?: readonly string[];
}

interface Row {
  readonly title: string;
  readonly given: () => Given;
  /** What both print on standard error, for a failure; both succeed without it. */
  readonly fails?: RegExp;
  /** What both print on standard error besides. */
  readonly says?: RegExp;
  /** The host of a tunnel that both open. */
  readonly through?: string;
}

const ROWS: readonly Row[] = [
  { title: "one context", given: () => ({ files: [kubeconfig()] }) },
  {
    title: "two files, of which the first names the context",
    given: () => ({ files: [kubeconfig(), { ...kubeconfig({ cluster: dead }), "current-context": "other" }] }),
  },
  {
    title: "one name in two files, of which the first counts",
    given: () => ({ files: [kubeconfig(), kubeconfig({ cluster: dead, user: { token: "x" } })] }),
  },
  {
    title: "one name in two files, of which the first is of another cluster",
    given: () => ({ files: [kubeconfig({ cluster: dead }), kubeconfig()] }),
    fails: /connection refused|was refused/,
  },
  {
    title: "a file in the list that does not exist",
    given: () => ({ files: [kubeconfig()], paths: [join(folder, "nowhere")] }),
  },
  {
    title: "a file named by a flag that does not exist",
    given: () => ({ files: [], flags: ["--kubeconfig=/nowhere/config"] }),
    fails: /stat \/nowhere\/config: no such file or directory/,
  },
  {
    title: "no kubeconfig",
    given: () => ({ files: [], env: { KUBECONFIG: "/nowhere/config" } }),
    fails: /8080.*refused/,
  },
  {
    title: "a context without a cluster",
    given: () => ({ files: [kubeconfig({ context: { cluster: undefined } })] }),
    fails: /8080.*refused|invalid configuration|cluster/,
  },
  {
    title: "a context of a cluster that does not exist",
    given: () => ({ files: [kubeconfig({ context: { cluster: "nowhere" } })] }),
    fails: /cluster "nowhere" does not exist|8080/,
  },
  {
    title: "a cluster without a server",
    given: () => ({ files: [kubeconfig({ cluster: {} })] }),
    fails: /8080.*refused|no server found|invalid configuration/,
  },
  {
    title: "a context that does not exist",
    given: () => ({ files: [kubeconfig()], flags: ["--context=nowhere"] }),
    fails: /context.* "?nowhere/,
  },
  {
    title: "no current context, and a flag that names one",
    given: () => ({ files: [kubeconfig({ more: { "current-context": "" } })], flags: ["--context=x"] }),
  },
  {
    title: "flags in place of cluster and user",
    given: () => ({
      files: [kubeconfig({ context: { cluster: "no", user: "no" } })],
      flags: ["--cluster=c", "--user=u"],
    }),
  },
  {
    title: "flags alone",
    given: () => ({
      files: [],
      flags: [
        `--server=${known.server}`,
        `--token=${known.token}`,
        "--insecure-skip-tls-verify",
        `--namespace=${NAMESPACE}`,
      ],
    }),
  },
  { title: "a trailing document mark", given: () => ({ files: [`${JSON.stringify(kubeconfig())}\n---\n`] }) },
  { title: "a text that is no YAML", given: () => ({ files: ["a: [\n"] }), fails: /error loading config file|yaml/ },
  {
    title: "a token in a file",
    given: () => ({ files: [kubeconfig({ user: { tokenFile: join(folder, "token") } })] }),
  },
  {
    title: "a wrong token",
    given: () => ({ files: [kubeconfig({ user: { token: "wrong" } })] }),
    fails: /You must be logged in to the server|provide credentials/,
  },
  {
    title: "a certificate of another authority",
    given: () => ({ files: [kubeconfig({ cluster: { server: known.server } })] }),
    fails: /x509: certificate/,
  },
  {
    title: "no verification of the certificate",
    given: () => ({ files: [kubeconfig({ cluster: { server: known.server, "insecure-skip-tls-verify": true } })] }),
  },
  { title: "an http server", given: () => ({ files: [kubeconfig({ cluster: { server: known.plain } })] }) },
  { title: "a server below a path", given: () => ({ files: [kubeconfig({ cluster: { server: known.plainBelow } })] }) },
  {
    title: "a server that does not answer",
    given: () => ({ files: [kubeconfig({ cluster: dead })] }),
    fails: /refused/,
  },
  {
    title: "as: another user",
    given: () => ({ files: [kubeconfig({ user: { token: known.token, as: "bob" } })] }),
    fails: /User "bob" cannot list/,
  },
  {
    title: "as: another user, and a group with rights",
    given: () => ({
      files: [kubeconfig({ user: { token: known.token, as: "bob", "as-groups": ["system:masters"] } })],
    }),
  },
  {
    title: "as-groups without as",
    given: () => ({ files: [kubeconfig({ user: { token: known.token, "as-groups": ["system:masters"] } })] }),
    fails: /requesting uid, groups or user-extra for .* without impersonating a user|without impersonating/,
  },
  {
    title: "flags --as and --as-group",
    given: () => ({ files: [kubeconfig()], flags: ["--as=bob", "--as-group=nobody", "--as-group", "system:masters"] }),
  },
  {
    title: "a user without the right",
    given: () => ({ files: [kubeconfig({ user: { token: known.limited } })] }),
    fails: /User "system:serviceaccount:[a-z0-9-]+:limited" cannot list/,
  },
  {
    title: "proxy-url in the kubeconfig",
    given: () => ({ files: [kubeconfig({ cluster: trusted({ "proxy-url": tunnel.url }) })] }),
    through: "127.0.0.1",
  },
  {
    title: "HTTPS_PROXY",
    given: () => ({
      files: [kubeconfig({ cluster: trusted({ server: "https://api.example.test", "tls-server-name": "127.0.0.1" }) })],
      env: { HTTPS_PROXY: tunnel.url },
    }),
    through: "api.example.test:443",
  },
  { title: "a credential plugin", given: () => ({ files: [kubeconfig({ user: exec("") })] }) },
  {
    title: "a credential plugin that explains itself",
    given: () => ({ files: [kubeconfig({ user: exec("echo 'Open https://login.example.com and sign in' >&2") })] }),
    says: /Open https:\/\/login\.example\.com and sign in/,
  },
  {
    title: "a credential plugin that asks, and reads the answer",
    given: () => ({
      files: [kubeconfig({ user: exec("printf 'Password: ' >&2; read -r answer < /dev/null; printf '\\n' >&2") })],
    }),
    says: /Password: /,
  },
  {
    title: "a credential plugin that fails",
    given: () => ({ files: [kubeconfig({ user: exec("echo 'your session has expired' >&2; exit 3") })] }),
    fails: /getting credentials: exec: executable sh failed with exit code 3/,
    says: /your session has expired/,
  },
  {
    title: "a credential plugin that is not installed",
    given: () => ({
      files: [kubeconfig({ user: exec("", { command: "login-nowhere", installHint: "Get it from IT." }) })],
    }),
    fails: /exec: executable login-nowhere not found/,
    says: /Get it from IT\./,
  },
  {
    title: "a credential plugin that needs a terminal",
    given: () => ({ files: [kubeconfig({ user: exec("", { interactiveMode: "Always" }) })] }),
    fails: /exec plugin cannot support interactive mode: standard input is not a terminal/,
  },
  {
    title: "a credential plugin that needs KUBERNETES_EXEC_INFO",
    given: () => ({
      files: [
        kubeconfig({
          user: exec('case "$KUBERNETES_EXEC_INFO" in *\'"server":"https://\'*) ;; *) exit 4 ;; esac', {
            provideClusterInfo: true,
          }),
        }),
      ],
    }),
  },
];

/** Writes the files, and runs a program with them. */
async function run(
  program: string,
  args: readonly string[],
  { files, flags = [], env = {}, paths = [] }: Given,
  input?: string,
) {
  const dir = await mkdtemp(join(folder, "case-"));
  const written = await Promise.all(
    files.map(async (file, at) => {
      const path = join(dir, `config-${at}`);
      await writeFile(path, typeof file === "string" ? file : JSON.stringify(file), { mode: 0o600 });
      return path;
    }),
  );
  return runToEnd(program, [...args, ...flags], {
    env: {
      PATH: [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
      HOME: dir,
      NODE_COMPILE_CACHE: join(folder, "compile-cache"),
      KUBECONFIG: [...written, ...paths].join(delimiter),
      ...env,
    },
    ...(input === undefined ? {} : { input }),
  });
}

describe("kubectl and the plugin have the same verdict on", () => {
  beforeAll(() => writeFile(join(folder, "token"), known.token));

  it.each(ROWS)("$title", async ({ given, fails, says, through }) => {
    const asked = given();
    const opened = tunnel.asked.length;
    const ofKubectl = await run(join(bin, "kubectl"), ["get", "pproj", "-o", "name"], asked);
    const openedByKubectl = tunnel.asked.slice(opened);
    const ofPlugin = await run(join(bin, "kubectl"), ["platform", "tree", "-o", "name"], asked);

    const expected = fails === undefined ? 0 : 1;
    expect(ofKubectl.code, ofKubectl.stderr).toBe(expected);
    expect(ofPlugin.code, ofPlugin.stderr).toBe(expected);
    // The tree has the connections of the cluster, too, which other files make.
    const projects = ofPlugin.stdout.split("\n").filter((line) => !line.startsWith("clusterplatformconnection."));
    expect(projects.join("\n")).toBe(ofKubectl.stdout);
    for (const pattern of [fails ?? /^/, says ?? /^/]) {
      expect(ofKubectl.stderr).toMatch(pattern);
      expect(ofPlugin.stderr).toMatch(pattern);
    }
    if (through === undefined) return;
    expect(openedByKubectl).toContainEqual(expect.stringContaining(through));
    expect(tunnel.asked.slice(opened + openedByKubectl.length)).toContainEqual(expect.stringContaining(through));
  });
});

it.each(["kubectl get pproj -o name", "kubectl platform tree -o name"])(
  "a credential plugin can ask at the terminal of %s",
  async (line) => {
    const asks = `printf 'Password: ' >&2; read -r answer; [ "$answer" = sesame ] || exit 5`;
    const files = [kubeconfig({ user: exec(asks, { interactiveMode: "Always" }) })];
    const { code, stdout } = await run("/usr/bin/script", ["-qec", line, "/dev/null"], { files }, "sesame\n");
    expect(code, stdout).toBe(0);
    expect(stdout).toContain("Password: ");
    expect(stdout).toContain("platformproject.platform-operator.io/shop");
  },
);

it("a write acts on the object and the cluster that kubectl names, and prints both", async () => {
  const files = [kubeconfig(), { ...kubeconfig({ cluster: dead }), "current-context": "other" }];
  const { code, stdout } = await run(join(bin, "kubectl"), ["platform", "pause", "pproj/shop"], { files });
  expect({ code, stdout }).toEqual({ code: 0, stdout: `x/${NAMESPACE}/pproj/shop paused\n` });
  const paused = await asAdmin(facts, [
    "get",
    "pproj",
    "shop",
    "-n",
    NAMESPACE,
    "-o",
    "jsonpath={.metadata.annotations}",
  ]);
  expect(paused).toContain('"platform-operator.io/paused":"true"');
});

it("without kubectl on the PATH the plugin says so in one sentence", async () => {
  const empty = await mkdtemp(join(folder, "empty-"));
  await symlink(process.execPath, join(empty, "node"));
  const ended = await runToEnd(join(bin, "kubectl-platform"), ["tree"], { env: { PATH: empty, HOME: empty } });
  const stderr = "kubectl is not on the PATH: the plugin reaches the cluster through it. Install kubectl.\n";
  expect(ended).toEqual({ code: 1, stdout: "", stderr });
});
