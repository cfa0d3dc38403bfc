import { beforeAll, describe, expect, inject, it, vi } from "vitest";

import { member } from "../../src/kube/api/json.ts";
import { kubeconfigFor } from "../control-plane/access.ts";
import { createEnv } from "../support/env/env.ts";
import { application, defaults, tree } from "../support/kube/manifests.ts";
import { commandsIn, ending, ON_LOOPBACK } from "../support/programs/cli.ts";

const controlPlane = inject("controlPlane");

const env = createEnv({ surface: "full" });
const callAs = (kubeconfig: string) => commandsIn(env, kubeconfig, ...ON_LOOPBACK);
const call = callAs(controlPlane.kubeconfigPath);
const operator = (): string => `--operator-namespace=${env.operatorNamespace}`;
/** The result of each check. */
const results = (stdout: string): Readonly<Record<string, string>> => {
  const found = JSON.parse(stdout) as readonly { readonly check: string; readonly result: string }[];
  return Object.fromEntries(found.map(({ check, result }) => [check, result]));
};

beforeAll(async () => {
  await env.ready(...defaults(env), ...tree(env, "shop"));
  // The first project shows what the platform offers.
  await env.waitFor(
    "PlatformConnection",
    "default",
    ({ status }) => member(member(status, "surface"), "name") === "Full",
  );
});

describe("kubectl platform check", () => {
  it("reports no failed check on a complete installation", async () => {
    // A connection that another file has just made for the namespaces of a label counts, too.
    const { stdout, stderr } = await vi.waitUntil(async () => {
      const ended = await call(["check", operator()]);
      return ended.code === 0 && ended;
    }, 60_000);
    expect(stderr).toBe("");
    expect(stdout).not.toMatch(/^✘/m);
    const lines = [
      /^✔ cluster +\S+, Kubernetes v1\.\d+/,
      /^✔ CRDs +all \d+ are installed and current$/m,
      /^✔ operator +\S+ leads$/m,
      /^✔ your rights +you may read the custom resources of namespace "stage-/m,
      /^✔ pconn\/default +The platform is reachable and accepts the token\.$/m,
      /^✔ platform +it answers; the token sees 1 project$/m,
      /^✔ clocks +this machine and the platform agree$/m,
      /^· token +the platform does not show its scope/m,
      /^✔ objects +none of \d+ is Stalled$/m,
    ];
    for (const line of lines) expect(stdout).toMatch(line);
    expect(stdout).toMatch(/^· pconn\/default surface +Full: the platform's whole API$/m);
    const reported = stdout.split("\n").filter((line) => /^(?:· | {3})/.test(line));
    expect(reported.filter((line) => line.length > 120)).toEqual([]);
  });

  it("says for each failed check what is missing and what to do, also after --wait", async () => {
    const { code, stdout } = await call(["check", "--operator-namespace=nowhere"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^✘ operator +there is no lease platform-operator-leader-election in namespace "nowhere"\. Install it/m,
    );
    expect(stdout).toMatch(/^✘ operator's rights +ServiceAccount nowhere\/platform-operator may not /m);
    const waited = await call(["check", "--operator-namespace=nowhere", "--wait=1s", "-o", "json"]);
    expect(waited.code).toBe(3);
    // A connection that another file has just made for the namespaces of a label may follow.
    expect(waited.stderr).toMatch(/^not yet: operator, installation key, operator's rights\b/);
    expect(results(waited.stdout)).toMatchObject({ operator: "failed" });
  });

  it("names a namespace of --watch-namespaces that the operator cannot serve", async () => {
    const labels = { app: "operator" };
    const container = { name: "operator", image: "operator", args: [`--watch-namespaces=${env.namespace},gone`] };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    const spec = { replicas: 0, selector: { matchLabels: labels }, template };
    const metadata = { name: "operator", namespace: env.operatorNamespace };
    const deployment = JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec });
    await env.kubectl(["-n", env.operatorNamespace, "apply", "-f", "-"], { input: deployment });
    const account = `--serviceaccount=${env.operatorNamespace}:limited`;
    await env.kubectl(["create", "role", "limited", "--verb=list", "--resource=platformprojects.platform-operator.io"]);
    await env.kubectl(["create", "rolebinding", "limited", "--role=limited", account]);
    const { code, stdout } = await call(["check", operator(), "--service-account=limited"]);
    await env.kubectl(["-n", env.operatorNamespace, "delete", "deployment", "operator"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✘ watched namespaces +gone: not served, as the operator may not list there\./m);
  });

  it("reports checks as unknown that the user has no right to make", async () => {
    await env.kubectl(["create", "serviceaccount", "nobody"]);
    const kubeconfig = await kubeconfigFor(controlPlane, env.namespace, "nobody");
    const { code, stdout } = await callAs(kubeconfig)(["check", operator(), "-o", "json"]);
    expect(code).toBe(1);
    const unknown = { CRDs: "unknown", operator: "unknown", "operator's rights": "unknown" };
    expect(results(stdout)).toMatchObject({ cluster: "ok", ...unknown });
  });

  it("checks with --pre only the cluster and the rights that an installation needs", async () => {
    const enough = /^✔ cluster [^\n]+\n✔ your rights +enough to install\n$/;
    expect(await call(["check", "--pre"])).toEqual(ending(0, enough));
  });
});

it("kubectl platform plan names the rights that a user lacks, and what it leaves out without them", async () => {
  await env.kubectl(["create", "serviceaccount", "reader"]);
  await env.kubectl(["create", "role", "reader", "--verb=get,list", "--resource=*.platform-operator.io"]);
  await env.kubectl(["create", "rolebinding", "reader", "--role=reader", `--serviceaccount=${env.namespace}:reader`]);
  const kubeconfig = await kubeconfigFor(controlPlane, env.namespace, "reader");
  const stdin = JSON.stringify(application("web", "shop"));
  const omitted =
    "clusterplatformconnections are omitted: you may not list them.\n" +
    `values of Secrets and ConfigMaps are compared by their versions: you may not read the Secret platform-operator-key in namespace ${env.operatorNamespace}, or it has no key.\n` +
    "the orphan ledger is omitted: you may not read it.\n";
  const refused =
    /^papp\/web +error +PlatformConnection "default" cannot be used: You may not do this in the cluster: secrets "default"\s+is forbidden: User "\S+:reader" /m;
  expect(await callAs(kubeconfig)(["plan", "-f", "-", operator()], { stdin })).toEqual(ending(1, refused, omitted));
});

it("kubectl platform status --remote compares the fields of objects with the platform", async () => {
  const { code, stdout } = await call(["status", "pproj/shop", "--remote"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/\nPlatform\n {2}FIELD +DIFFERS +SPEC +PLATFORM\n {2}name +no +shop +shop\n/);
  const catalog = await call(["status", "pconn/default", "--remote"]);
  expect(catalog.stdout).toMatch(/\nPlatform\n {2}The platform shows no PlatformConnection\.\n/);
});
