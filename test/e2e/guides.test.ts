/**
 * The commands of README and of all guides, in the order of docs/README.md, typed one after the other on one cluster by
 * a user with an empty home. A new block is run unless EXCLUDED names it.
 */
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { startSimulator, type Simulator } from "../../simulator/simulator.ts";
import { kubeconfigFor, kubectl, writeContexts } from "../control-plane/access.ts";
import type { ControlPlaneFacts } from "../control-plane/control-plane.ts";
import { type RunningOperator, startOperator } from "../support/env/operator.ts";
import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { create } from "../support/env/simulated-platform.ts";
import { fencedIn, shellBlocks, textOf } from "../support/examples/pages.ts";
import { project } from "../support/kube/manifests.ts";
import { newFolder } from "./folder.ts";
import { type Shell, type } from "./shell.ts";

const OPERATOR = "platform-operator";
const NO_KUBELET = "a control plane without kubelets forwards no port; in-pod.test.ts reads the page";

/** Blocks that are not run here, by page and first words, with what runs them or why nothing can. */
const EXCLUDED: Readonly<Record<string, string>> = {
  "README.md: make demo": "demo.test.ts runs the demo; the other line runs the tests",
  "README.md: make image": "image.test.ts and chart.test.ts",
  "README.md: kubectl apply -f crds/": "readme.test.ts",
  "README.md: kubectl port-forward": NO_KUBELET,
  "docs/guides/install.md: make image": "image.test.ts",
  "docs/guides/install.md: helm install": "chart.test.ts",
  "docs/guides/install.md: kubectl apply --server-side -k deploy/": "manifests.test.ts",
  "docs/guides/install.md: kubectl apply --server-side -k my-installation/": "manifests.test.ts",
  "docs/guides/install.md: helm upgrade": "chart.test.ts",
  "docs/guides/install.md: helm uninstall": "chart.test.ts",
  "docs/guides/install.md: kubectl delete platform": "chart.test.ts",
  "docs/guides/install.md: kubectl delete -n": "manifests.test.ts",
  "docs/guides/status-page.md: kubectl port-forward": NO_KUBELET,
  "docs/guides/observe.md: helm upgrade": "chart-variants.test.ts sets these values",
};

/** @returns a command that applies the first manifest of a guide */
const applying = (guide: string): string =>
  `kubectl apply -f - <<'YAML'\n${fencedIn(textOf(`docs/guides/${guide}.md`), "yaml")[0] ?? ""}YAML`;

/** What a block assumes, in words of its page or of an earlier one: by page and first words. */
const BEFORE: Readonly<Record<string, string>> = {
  // "examples/quickstart continues with …"
  "README.md: mkdir": fencedIn(textOf("examples/README.md"), "sh").join("\n"),
  // README's own Secret.
  "docs/guides/tokens.md: kubectl create secret": "kubectl delete secret platform-token -n shop",
  "docs/guides/tokens.md: kubectl replace": "cp quickstart/10-connection.yaml connection.yaml",
  "docs/guides/first-project.md: kubectl wait": applying("first-project"),
  "docs/guides/approval.md: kubectl get pproj": `${applying("approval")}
    kubectl wait --for=jsonpath='{.status.plan.hash}' pproj/payments -n shop --timeout=1m`,
  "docs/guides/stop-at-night.md: kubectl annotate": applying("stop-at-night"),
  "docs/guides/move.md: kubectl delete": `
    kubectl get papp web -n shop -o json | jq '{apiVersion, kind, metadata: {name: .metadata.name}, spec}' > web.yaml`,
  // "The other namespace needs a connection to the same organization …"
  "docs/guides/move.md: kubectl get papp web -n shop -o json |": `
    kubectl create namespace team-web
    sed 's/namespace: shop/namespace: team-web/' quickstart/10-connection.yaml | kubectl apply -f -`,
  // "The new cluster needs … the namespace, a connection …"
  "docs/guides/move.md: kinds=": `
    kubectl --context new create namespace team-web
    sed 's/namespace: shop/namespace: team-web/' quickstart/10-connection.yaml | kubectl --context new apply -f -
    kubectl wait --for=condition=Ready papp/web -n team-web --timeout=1m`,
  "docs/guides/argocd.md: kubectl patch configmap argocd-cm -n argocd --patch-file deploy/argocd/argocd-cm.yaml": `
    kubectl create namespace argocd
    kubectl create configmap argocd-cm -n argocd`,
  // "a checkout of the repository that Argo CD or Flux reads"
  "docs/guides/deploy-from-ci.md: cat >": `
    git init --quiet --bare fleet.git && git init --quiet && mkdir -p apps/api
    git config user.name ci && git config user.email ci@example.com
    git config push.autoSetupRemote true && git remote add origin ./fleet.git`,
  // Two resources whose objects the platform cannot delete.
  "docs/guides/previews.md: kubectl platform orphans -A": `
    kubectl apply -n shop -f manifests/ -f orphans/
    kubectl wait --for=condition=Ready pproj/reports pproj/trial -n shop --timeout=1m
    kubectl delete pproj reports trial -n shop`,
};

/** What a block prints, where its success alone says little: by page and first words. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  "README.md: mkdir": /✔ application api .* DEPLOYED[^]*create .*reports/,
  "docs/guides/adopt.md:": /created/,
  "docs/guides/rollback.md: kubectl platform rollback":
    /→ 1a2b3c4d5e6f708192a3b4c5d6e7f80912345678\n[^]*\(server dry run\)/,
  "docs/guides/move.md: kinds=": /web condition met/,
  "docs/guides/previews.md: kubectl platform orphans forget": /forgotten\n.* forgotten/,
  "docs/guides/logs.md: kubectl logs -n platform-operator deploy/platform-operator > ": /"deployApplication"/,
};

/** @returns the entry of a table for a block */
function entryFor<T>(table: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.entries(table).find(([beginning]) => id.startsWith(beginning))?.[1];
}

const blocks = shellBlocks();
const [here, there] = await Promise.all([ownControlPlane(), ownControlPlane()]);
const folder = await newFolder("guides");
const ends: (() => Promise<unknown>)[] = [];
let shell: Shell;
/** What the user writes instead of the documentation's values. */
let replaced: readonly (readonly [string, string])[];
let operators: readonly RunningOperator[] = [];

function own(text: string): string {
  return replaced.reduce((done, [value, mine]) => done.replaceAll(value, mine), text);
}

/** Starts the operator in a cluster, as README does. */
async function startIn(cluster: ControlPlaneFacts, logFile: string): Promise<RunningOperator> {
  await kubectl(cluster, ["apply", "-f", join(import.meta.dirname, "../../deploy/rbac")]);
  const kubeconfig = await kubeconfigFor(cluster, OPERATOR, OPERATOR);
  const levels = "--log-level=info,engine=debug,platform=debug,kube=trace";
  const args = ["--allow-insecure-platform", "--allowed-platform-hosts=127.0.0.1", levels];
  const operator = await startOperator({ program: inject("program"), kubeconfig, logFile, args });
  ends.push(() => operator.stop());
  return operator;
}

function replacements({ url, organizationId, clusterIds, tokens }: Simulator, log: string): typeof replaced {
  return [
    ["<api-token>", tokens.admin],
    ["replace-with-an-api-token", tokens.admin],
    ["https://platform.example.com", url],
    ["00000000-0000-4000-8000-000000000001", organizationId],
    ["00000000-0000-4000-8000-000000000002", clusterIds[0] ?? ""],
    ["5f1de3a2-7c44-4a53-8a57-2a9d0c9b7e11", "$(kubectl platform orphans -A -o json | jq -r '.[0].id')"],
    ["0b0c6f5e-90ad-4c3c-9a4e-3d3a0a4b1c01", "$(kubectl platform orphans -A -o json | jq -r '.[1].id')"],
    ["--timeout=15m", "--timeout=1m"],
    ["$COMMIT", "1a2b3c4d5e6f708192a3b4c5d6e7f80912345678"],
    // No kubelet: the log of the operator's process.
    ["kubectl logs -n platform-operator deploy/platform-operator", `cat ${log}`],
    // It has changes; it waits for nothing; it follows.
    ["kubectl platform plan -n shop -f manifests/", "ends 2 kubectl platform plan -n shop -f manifests/"],
    ["kubectl platform approve papp/api", "ends 1 kubectl platform approve papp/api"],
    ["kubectl platform logs", "once kubectl platform logs"],
  ];
}

/** Writes what the user's folder has, a checkout with manifests of the user. */
async function fillFolder(): Promise<void> {
  const root = join(import.meta.dirname, "../..");
  const deleted = { lifecycle: { deletionPolicy: "Delete" } };
  for (const name of ["home", "dist", "manifests", "orphans"]) await mkdir(join(folder, name));
  await symlink(join(dirname(inject("program")), "plugin"), join(folder, "dist/plugin"));
  await symlink(join(root, "deploy"), join(folder, "deploy"));
  await writeFile(join(folder, "manifests/reports.yaml"), JSON.stringify(project("reports", deleted)));
  await writeFile(join(folder, "orphans/trial.yaml"), JSON.stringify(project("trial", deleted)));
  await cp(join(root, "examples/quickstart"), join(folder, "quickstart"), { recursive: true });
  for (const name of await readdir(join(folder, "quickstart"))) {
    const file = join(folder, "quickstart", name);
    await writeFile(file, own(await readFile(file, "utf8")));
  }
}

beforeAll(async () => {
  const simulator = await startSimulator({ surface: "documented", speed: 60 });
  ends.push(() => simulator.close());
  // For "Adopt what exists".
  await create(simulator, `/organization/${simulator.organizationId}/project`, { name: "Legacy shop" });
  const log = join(folder, "process.log");
  replaced = replacements(simulator, log);
  await fillFolder();
  operators = await Promise.all([startIn(here, log), startIn(there, join(folder, "new.log"))]);
  const kubeconfig = join(folder, "kubeconfig");
  await writeContexts(kubeconfig, { old: here, new: there });
  const home = join(folder, "home");
  shell = {
    cwd: folder,
    env: {
      PATH: [join(home, ".local/bin"), dirname(here.kubectlPath), dirname(process.execPath), "/usr/bin:/bin"].join(":"),
      HOME: home,
      KUBECONFIG: kubeconfig,
      // Later starts of the plugin take half the time of the first one.
      NODE_COMPILE_CACHE: join(folder, "compile-cache"),
      // The simulated platform is on loopback.
      PLATFORM_OPERATOR_ALLOW_INSECURE_PLATFORM: "true",
    },
  };
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

describe("the commands of README and of the guides, in order,", () => {
  it.each(blocks.filter(({ id }) => entryFor(EXCLUDED, id) === undefined))("succeed: $id", async ({ id, text }) => {
    const before = entryFor(BEFORE, id);
    if (before !== undefined) await type(own(before), shell);
    expect(await type(own(text), shell)).toMatch(entryFor(PRINTED, id) ?? /\S/);
  });

  it("make the operator log no error", () => {
    expect(operators.flatMap((one) => one.logs().filter(({ level }) => level === "error"))).toEqual([]);
  });

  it("include each block that a table of this file names", () => {
    const keys = [EXCLUDED, BEFORE, PRINTED].flatMap((table) => Object.keys(table));
    expect(keys.filter((beginning) => !blocks.some(({ id }) => id.startsWith(beginning)))).toEqual([]);
  });
});
